//! What the program around a session provides.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use loop_telemetry::{Redactor, clamped};

/// Shows a person what a session has to tell.
pub trait SessionOutput: Send + Sync {
    /// Shows an answer or a notice.
    fn say(&self, text: &str);

    /// Shows a warning. The text does not say that it is one.
    fn warn(&self, text: &str);
}

/// The program around a session: where its words go, its clock, and the secrets that it knows.
///
/// # Default
/// The clock of the system, and no secrets but those that have the shape of a key.
#[derive(Clone)]
pub struct SessionHost {
    output: Arc<dyn SessionOutput>,
    clock: fn() -> Timestamp,
    secrets: fn() -> Redactor,
}

impl SessionHost {
    /// Shows everything with `output`.
    pub fn new(output: impl SessionOutput + 'static) -> Self {
        Self {
            output: Arc::new(output),
            clock: || clamped(std::time::SystemTime::now()),
            secrets: || Redactor::new([] as [Vec<u8>; 0]).shapes(),
        }
    }

    /// Sets the clock of the wall.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> Timestamp) -> Self {
        Self { clock, ..self }
    }

    /// Sets the secrets that are kept out of transcripts, as they are known at each call.
    #[must_use]
    pub fn with_secrets(self, secrets: fn() -> Redactor) -> Self {
        Self { secrets, ..self }
    }

    pub(crate) fn say(&self, text: &str) {
        self.output.say(text);
    }

    pub(crate) fn warn(&self, text: &str) {
        self.output.warn(text);
    }

    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        self.clock
    }

    pub(crate) fn secrets(&self) -> Redactor {
        (self.secrets)()
    }
}

impl fmt::Debug for SessionHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionHost")
    }
}
