//! Redacts output while it arrives.

use std::{fmt, sync::Arc};

use super::{forms::LEAST, progress::Scan, scan::Scanner};

/// Redacts bytes that arrive in chunks with any boundaries. Created by [`Redactor::stream`](super::Redactor::stream).
///
/// The result does not depend on the chunks. The stream holds back only bytes that may begin a secret: call
/// [`finish`](Self::finish) for the rest, or [`cut`](Self::cut) if the text broke off. It holds at most 64 KiB, plus 16
/// bytes for each byte of the longest form of a secret.
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

    /// Takes a chunk, and appends the bytes that are known to be clean to `clean`.
    pub fn push(&mut self, piece: &[u8], clean: &mut Vec<u8>) {
        self.held.extend_from_slice(piece);
        self.pass(false, clean);
    }

    /// Appends the held bytes of a text whose rest is missing, because a reply broke off or a program was killed. It
    /// redacts bytes at the end that may begin a secret, from 6 bytes on, because shorter parts occur everywhere. You
    /// can then reuse the stream.
    ///
    /// ```
    /// use loop_telemetry::Redactor;
    /// let mut stream = Redactor::new(["hunter2-hunter2"]).stream();
    /// let mut clean = Vec::new();
    /// stream.push(b"login with hunter2-hun", &mut clean);
    /// stream.cut(&mut clean);
    /// assert_eq!(clean, b"login with [redacted]");
    /// ```
    pub fn cut(&mut self, clean: &mut Vec<u8>) {
        self.scan.cut(&self.held, LEAST);
        self.finish(clean);
    }

    /// Appends the held bytes of a complete text. You can then reuse the stream.
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
        // Does not show the held bytes, which may be a secret.
        f.debug_struct("RedactingStream").field("held_bytes", &self.held.len()).finish_non_exhaustive()
    }
}
