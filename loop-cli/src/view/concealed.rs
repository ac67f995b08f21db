//! Secrets that must not be seen: an agent prints its environment, and somebody looks over a shoulder.

use std::{
    borrow::Cow,
    env,
    sync::{LazyLock, PoisonError, RwLock},
};

use anstream::adapter::StripBytes;
use loop_telemetry::{RedactingStream, Redactor};

use crate::keeping;

/// The secrets of a run: those of the environment, and those of its manifest.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// Those of the environment, for as long as there is no run. To look for them takes a search that takes its time
/// to make, and many a command says nothing in which one could be.
static OF_ENVIRONMENT: LazyLock<Redactor> = LazyLock::new(|| {
    let variables: Vec<_> = env::vars_os().collect();
    keeping::secrets(variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())))
});

/// Shows none of these secrets from now on.
pub(crate) fn conceal(secrets: Redactor) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets);
}

/// The secrets that are not shown.
pub(crate) fn secrets() -> Redactor {
    let of_run = SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone();
    of_run.unwrap_or_else(|| OF_ENVIRONMENT.clone())
}

/// The text without secrets.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    secrets().redact(text)
}

/// The bytes from `start` on without secrets, also without one that begins before it, and without what steers a
/// terminal.
pub(super) fn clean_from(bytes: &[u8], start: usize) -> Vec<u8> {
    let mut stream = CleanStream::for_eyes();
    stream.push(&bytes[..start]);
    let mut clean = stream.push(&bytes[start..]).to_vec();
    clean.extend(stream.rest());
    clean
}

/// Takes secrets out of output that comes in pieces.
#[derive(Debug)]
pub(crate) struct CleanStream {
    /// Takes out first what steers a terminal: it could stand within a secret, which nobody sees but in whole.
    strip: Option<StripBytes>,
    stream: RedactingStream,
    clean: Vec<u8>,
}

impl CleanStream {
    /// For programs: nothing is taken out but secrets.
    pub(super) fn new() -> Self {
        Self { strip: None, stream: secrets().stream(), clean: Vec::new() }
    }

    /// For people: without what steers a terminal as well.
    pub(crate) fn for_eyes() -> Self {
        Self { strip: Some(StripBytes::new()), ..Self::new() }
    }

    /// What is clean with this piece. What may be the beginning of a secret is held back.
    pub(crate) fn push(&mut self, piece: &[u8]) -> &[u8] {
        self.clean.clear();
        match &mut self.strip {
            None => self.stream.push(piece, &mut self.clean),
            Some(strip) => {
                strip.strip_next(piece).for_each(|part| self.stream.push(part, &mut self.clean));
            }
        }
        &self.clean
    }

    /// What was held back, and turned out to be none. The stream can begin anew.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.stream.finish(&mut rest);
        rest
    }

    /// Forgets what is held back: a piece is missing after it.
    pub(super) fn forget(&mut self) {
        self.stream.finish(&mut self.clean);
        self.strip = self.strip.take().map(|_| StripBytes::new());
    }
}
