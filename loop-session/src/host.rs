//! What the program around a session provides.

use std::{ffi::OsString, fmt, sync::Arc, time::Duration};

use jiff::Timestamp;
use loop_agents::chat::TurnEvent;
use loop_manifest::secrets_in;
use loop_telemetry::{
    Redactor, clamped,
    words::{self, harmless},
};

/// Shows a person what a session has to tell.
///
/// Texts have no secrets in them that the [host](SessionHost) knows, and no control characters but line feeds, tabs and
/// [styles](loop_telemetry::words::style), which [`plain`](loop_telemetry::words::plain) removes.
pub trait SessionOutput: Send + Sync {
    /// Shows an answer or a notice.
    fn say(&self, text: &str);

    /// Shows a warning. The text does not say that it is one.
    fn warn(&self, text: &str);

    /// Shows a reply of the model when the turn is over, also when the turn failed in its middle. Default: shows nothing,
    /// for front ends whose [view](Self::show) shows the reply as it comes.
    fn reply(&self, text: &str) {
        let _ = text;
    }

    /// Begins to show a turn of a model, or a call of a tool. The session drops the view when that is over. Default: shows
    /// nothing.
    fn show(&self, work: Work) -> Box<dyn WorkView> {
        let _ = work;
        Box::new(Unseen)
    }
}

/// Shows one turn while it is taken.
pub trait WorkView: Send {
    /// Shows what happens in the turn. Unlike the texts of [`SessionOutput`], events are as the model sent them: they may
    /// have secrets and control characters in them, and [`SessionHost::printable`] removes these.
    fn hear(&mut self, event: TurnEvent<'_>);
}

/// A view that shows nothing.
struct Unseen;

impl WorkView for Unseen {
    fn hear(&mut self, _: TurnEvent<'_>) {}
}

/// The work that begins: a turn of a model, or a call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// The model that takes the turn; empty for the call of a tool.
    pub model: String,
    /// What is done now, in words: `waiting for qwen3`.
    pub doing: String,
    /// The mean time of the last turns, if there were any.
    pub usual: Option<Duration>,
    /// How full the context of the model is, in words, if its size is known.
    pub context: Option<String>,
}

/// The program around a session: where its words go, its clock, and the secrets that it knows.
///
/// # Default
/// The clock of the system, and the secrets among the variables of the [`ExecutionContext`](loop_manifest::ExecutionContext).
/// Texts with the shape of a key are secrets always.
#[derive(Clone)]
pub struct SessionHost {
    output: Arc<dyn SessionOutput>,
    clock: fn() -> Timestamp,
    secrets: Option<Arc<dyn Fn() -> Redactor + Send + Sync>>,
}

impl SessionHost {
    /// Shows everything with `output`.
    pub fn new(output: impl SessionOutput + 'static) -> Self {
        Self { output: Arc::new(output), clock: || clamped(std::time::SystemTime::now()), secrets: None }
    }

    /// Sets the clock of the wall.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> Timestamp) -> Self {
        Self { clock, ..self }
    }

    /// Sets the secrets that are kept out of everything that is shown or stored, as they are known at each call.
    #[must_use]
    pub fn with_secrets(self, secrets: impl Fn() -> Redactor + Send + Sync + 'static) -> Self {
        Self { secrets: Some(Arc::new(secrets)), ..self }
    }

    /// Sets the secrets among these variables, unless the host has set secrets.
    pub(crate) fn with_secrets_in(self, variables: &[(OsString, OsString)]) -> Self {
        if self.secrets.is_some() {
            return self;
        }
        let secrets = secrets_in(variables.iter().map(|(name, value)| (&**name, &**value)));
        let known = Redactor::new(secrets).shapes();
        self.with_secrets(move || known.clone())
    }

    /// Shows an answer or a notice.
    pub fn say(&self, text: &str) {
        self.output.say(&self.clean(text));
    }

    /// Shows a warning.
    pub fn warn(&self, text: &str) {
        self.output.warn(&self.clean(text));
    }

    /// Makes a foreign text safe to show: without escape sequences, control characters and secrets.
    pub fn printable(&self, text: &str) -> String {
        words::printable(text, &self.secrets())
    }

    /// Makes a foreign text [printable](Self::printable), and fit for one line.
    pub fn one_line(&self, text: &str) -> String {
        words::one_line(text, &self.secrets())
    }

    pub(crate) fn last_line(&self, text: &str, width: usize) -> Option<String> {
        words::last_line(text, width, &self.secrets())
    }

    pub(crate) fn reply(&self, text: &str) {
        let text = self.printable(text.trim_end());
        if !text.is_empty() {
            self.output.reply(&text);
        }
    }

    pub(crate) fn show(&self, work: Work) -> Box<dyn WorkView> {
        self.output.show(work)
    }

    /// The time on the clock of the wall.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        self.clock
    }

    pub(crate) fn secrets(&self) -> Redactor {
        match &self.secrets {
            Some(secrets) => secrets(),
            None => Redactor::new([] as [Vec<u8>; 0]).shapes(),
        }
    }

    /// A control character could stand within a secret, so controls go first.
    fn clean(&self, text: &str) -> String {
        self.secrets().redact(&harmless(text)).into_owned()
    }
}

impl fmt::Debug for SessionHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionHost")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    struct Silent;

    impl SessionOutput for Silent {
        fn say(&self, _: &str) {}

        fn warn(&self, _: &str) {}
    }

    /// A host that shows nothing.
    pub(crate) fn silent() -> SessionHost {
        SessionHost::new(Silent)
    }
}
