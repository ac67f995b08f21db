//! Secrets that must not be seen: an agent prints its environment, and somebody looks over a shoulder.

use std::{borrow::Cow, sync::OnceLock};

use loop_telemetry::{RedactingStream, Redactor};

/// The secrets of this process's run, once they are known.
static SECRETS: OnceLock<Redactor> = OnceLock::new();

/// Shows none of these secrets from now on. A process has one run, and so the first call counts.
pub(crate) fn conceal(secrets: Redactor) {
    let _ = SECRETS.set(secrets);
}

/// The text without secrets.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    SECRETS.get().map_or(Cow::Borrowed(text), |secrets| secrets.redact(text))
}

/// The bytes from `start` on without secrets, also without one that begins before it.
pub(super) fn clean_from(bytes: &[u8], start: usize) -> Cow<'_, [u8]> {
    // Where there is nothing to hide, all can be shown.
    let Some(secrets) = SECRETS.get() else { return Cow::Borrowed(bytes) };
    let (mut stream, mut clean) = (secrets.stream(), Vec::new());
    stream.push(&bytes[..start], &mut clean);
    clean.clear();
    stream.push(&bytes[start..], &mut clean);
    stream.finish(&mut clean);
    Cow::Owned(clean)
}

/// Takes secrets out of output that comes in pieces.
#[derive(Debug)]
pub(super) struct CleanStream {
    stream: Option<RedactingStream>,
    clean: Vec<u8>,
}

impl CleanStream {
    pub(super) fn new() -> Self {
        Self { stream: SECRETS.get().map(Redactor::stream), clean: Vec::new() }
    }

    /// What is clean with this piece. What may be the beginning of a secret is held back.
    pub(super) fn push<'a>(&'a mut self, piece: &'a [u8]) -> &'a [u8] {
        let Some(stream) = &mut self.stream else { return piece };
        self.clean.clear();
        stream.push(piece, &mut self.clean);
        &self.clean
    }

    /// Forgets what is held back: a piece is missing after it.
    pub(super) fn forget(&mut self) {
        if let Some(stream) = &mut self.stream {
            stream.finish(&mut self.clean);
        }
    }
}
