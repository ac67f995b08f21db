//! What agents and checks print, line by line as it comes.

use super::{DIM, Screen, paint, text};

/// Longer lines are shown in pieces, so that output without newlines does not fill the memory.
const LINE_BYTES: usize = 4096;

/// How much of the end of a piece of output is looked at if only the last lines are shown.
const SHOWN_BYTES: usize = 8192;

/// Cuts a stream of bytes into lines for a screen.
#[derive(Debug)]
pub(crate) struct Output {
    screen: Screen,
    /// Every line is printed for good, and not only shown while it is among the last.
    all: bool,
    torn: Vec<u8>,
}

impl Output {
    pub(crate) const fn new(screen: Screen, all: bool) -> Self {
        Self { screen, all, torn: Vec::new() }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        // Only the last lines stay to be seen, and an agent may print faster than lines can be shown.
        let skipped = if self.all { 0 } else { bytes.len().saturating_sub(SHOWN_BYTES) };
        if skipped > 0 {
            self.torn.clear();
        }
        let bytes = &bytes[skipped..];
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            for piece in piece.chunks(LINE_BYTES) {
                self.torn.extend_from_slice(piece);
                if piece.ends_with(b"\n") || piece.ends_with(b"\r") || self.torn.len() >= LINE_BYTES {
                    self.end_line();
                }
            }
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.torn);
        let line = text::printable(line.trim_end());
        self.torn.clear();
        if line.trim().is_empty() {
            return;
        }
        match self.all {
            true => self.screen.line(&paint(DIM, format_args!("  │ {line}"))),
            false => self.screen.output(&line),
        }
    }
}
