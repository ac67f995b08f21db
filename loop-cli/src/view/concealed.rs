//! Secrets that must not be seen: an agent prints its environment, and somebody looks over a shoulder.

use std::{
    borrow::Cow,
    sync::{PoisonError, RwLock},
};

use loop_telemetry::{RedactingStream, Redactor};

/// The secrets that are known by now: first those of the environment, then those of the manifest as well.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// Shows none of these secrets from now on.
pub(crate) fn conceal(secrets: Redactor) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets);
}

/// The secrets that are not shown.
pub(crate) fn secrets() -> Redactor {
    let secrets = SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone();
    secrets.unwrap_or_else(|| Redactor::new::<&[u8]>([]))
}

/// The text without secrets.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    secrets().redact(text)
}

/// The bytes from `start` on without secrets, also without one that begins before it.
pub(super) fn clean_from(bytes: &[u8], start: usize) -> Cow<'_, [u8]> {
    let (mut stream, mut clean) = (secrets().stream(), Vec::new());
    stream.push(&bytes[..start], &mut clean);
    clean.clear();
    stream.push(&bytes[start..], &mut clean);
    stream.finish(&mut clean);
    Cow::Owned(clean)
}

/// Takes secrets out of output that comes in pieces.
#[derive(Debug)]
pub(super) struct CleanStream {
    stream: RedactingStream,
    clean: Vec<u8>,
}

impl CleanStream {
    pub(super) fn new() -> Self {
        Self { stream: secrets().stream(), clean: Vec::new() }
    }

    /// What is clean with this piece. What may be the beginning of a secret is held back.
    pub(super) fn push(&mut self, piece: &[u8]) -> &[u8] {
        self.clean.clear();
        self.stream.push(piece, &mut self.clean);
        &self.clean
    }

    /// What was held back, and turned out to be none. The stream can begin anew.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.stream.finish(&mut rest);
        rest
    }

    /// Forgets what is held back: a piece is missing after it.
    pub(super) fn forget(&mut self) {
        self.stream.finish(&mut self.clean);
    }
}
