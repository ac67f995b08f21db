//! Output that is redacted as it comes.

use std::{fmt, sync::Arc};

use super::scan::{Left, Scanner};

/// Takes secrets out of bytes that come in pieces, cut anywhere. Made by [`Redactor::stream`](super::Redactor::stream).
///
/// What comes out is what the whole would give, whatever the pieces. It holds back only what may be the
/// beginning of a secret: call [`finish`](Self::finish) for the rest.
///
/// ```
/// use loop_telemetry::Redactor;
/// let mut stream = Redactor::new(["hunter2-hunter2"]).stream();
/// let mut clean = Vec::new();
/// stream.push(b"login with hunter2-hun", &mut clean);
/// assert_eq!(clean, b"login with ");
/// stream.push(b"ter2.", &mut clean);
/// stream.finish(&mut clean);
/// assert_eq!(clean, b"login with [redacted].");
/// ```
pub struct RedactingStream {
    scanner: Arc<Scanner>,
    held: Vec<u8>,
    left: Left,
}

impl RedactingStream {
    pub(super) fn new(scanner: Arc<Scanner>) -> Self {
        Self { scanner, held: Vec::new(), left: Left::default() }
    }

    /// Takes a piece, and adds to `clean` what is known to be clean by now.
    pub fn push(&mut self, piece: &[u8], clean: &mut Vec<u8>) {
        self.held.extend_from_slice(piece);
        let done = self.scanner.scan(&self.held, false, &mut self.left, clean);
        self.held.drain(..done);
    }

    /// What is held back: it may be the beginning of a secret.
    pub(super) fn held(&self) -> &[u8] {
        &self.held
    }

    /// Adds what was held back: nothing comes after it. The stream can begin anew.
    pub fn finish(&mut self, clean: &mut Vec<u8>) {
        self.scanner.scan(&self.held, true, &mut self.left, clean);
        self.held.clear();
        self.left = Left::default();
    }
}

impl fmt::Debug for RedactingStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not what is held: it may be a secret.
        f.debug_struct("RedactingStream").field("held_bytes", &self.held.len()).finish_non_exhaustive()
    }
}
