//! Output that is redacted as it comes.

use std::{fmt, sync::Arc};

use super::{progress::Scan, scan::Scanner};

/// Takes secrets out of bytes that come in pieces, cut anywhere. Made by [`Redactor::stream`](super::Redactor::stream).
///
/// What comes out is what the whole would give, whatever the pieces. It holds back only what may be the
/// beginning of a secret: call [`finish`](Self::finish) for the rest. That is bounded: 64 KiB, and 16 bytes for each
/// byte of the longest form of a secret.
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
    scan: Scan,
}

impl RedactingStream {
    pub(super) fn new(scanner: Arc<Scanner>) -> Self {
        Self { scanner, held: Vec::new(), scan: Scan::default() }
    }

    /// Takes a piece, and adds to `clean` what is known to be clean by now.
    pub fn push(&mut self, piece: &[u8], clean: &mut Vec<u8>) {
        self.held.extend_from_slice(piece);
        self.pass(false, clean);
    }

    /// Ends it where the rest of the text is missing: so many bytes that may be the beginning of a secret are one.
    pub(super) fn cut(&mut self, least: usize, clean: &mut Vec<u8>) {
        self.scan.cut(&self.held, least);
        self.finish(clean);
    }

    /// Adds what was held back: nothing comes after it. The stream can begin anew.
    pub fn finish(&mut self, clean: &mut Vec<u8>) {
        self.pass(true, clean);
        self.scan = Scan::default();
    }

    fn pass(&mut self, is_all: bool, clean: &mut Vec<u8>) {
        self.scanner.read(&self.held, is_all, &mut self.scan);
        let done = self.scan.pass(&self.held, is_all, clean);
        self.held.drain(..done);
    }
}

impl fmt::Debug for RedactingStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not what is held: it may be a secret.
        f.debug_struct("RedactingStream").field("held_bytes", &self.held.len()).finish_non_exhaustive()
    }
}
