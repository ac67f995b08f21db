//! The live output of agents and checks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{RunScreen, printer::PRINTER};
use crate::view::{DIM, RedactedStream, paint, text};

/// Longer lines are shown in pieces, so that output without newlines does not fill the memory.
const LINE_BYTES: usize = 4096;

/// Shows a stream of bytes on a screen. Clones show the same stream.
#[derive(Debug, Clone)]
pub(crate) struct LiveOutput(Arc<Mutex<LiveOutputState>>);

#[derive(Debug)]
struct LiveOutputState {
    screen: RunScreen,
    /// True if every line is printed permanently, rather than shown only while it is among the last.
    all: bool,
    torn: Vec<u8>,
    redacted: RedactedStream,
}

impl LiveOutput {
    pub(crate) fn new(screen: RunScreen, all: bool) -> Self {
        let (torn, redacted) = (Vec::new(), RedactedStream::for_display());
        Self(Arc::new(Mutex::new(LiveOutputState { screen, all, torn, redacted })))
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&self, bytes: &[u8]) {
        self.inner().feed(bytes);
    }

    /// Ends the output: unfinished text counts as a line too.
    pub(crate) fn end(&self) {
        self.inner().end();
    }

    fn inner(&self) -> MutexGuard<'_, LiveOutputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveOutputState {
    fn feed(&mut self, bytes: &[u8]) {
        if !self.all {
            self.screen.glimpse(bytes);
        } else if PRINTER.skips(self.torn.len() + bytes.len()) {
            self.torn.clear();
            self.redacted.forget();
        } else {
            let lines = self.lines(bytes);
            if !lines.is_empty() {
                PRINTER.output(lines);
            }
        }
    }

    fn end(&mut self) {
        let rest = self.redacted.rest();
        self.torn.extend_from_slice(&rest);
        let mut line = String::new();
        end_line(&mut self.torn, &mut line);
        if !line.is_empty() {
            PRINTER.output(line);
        }
    }

    /// Returns the lines that these bytes complete, ready to print.
    fn lines(&mut self, bytes: &[u8]) -> String {
        let mut lines = String::new();
        for piece in self.redacted.push(bytes).split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            for piece in piece.chunks(LINE_BYTES) {
                self.torn.extend_from_slice(piece);
                if piece.ends_with(b"\n") || piece.ends_with(b"\r") || self.torn.len() >= LINE_BYTES {
                    end_line(&mut self.torn, &mut lines);
                }
            }
        }
        lines
    }
}

fn end_line(torn: &mut Vec<u8>, lines: &mut String) {
    let line = String::from_utf8_lossy(torn);
    let line = text::printable(line.trim_end());
    torn.clear();
    if !line.trim().is_empty() {
        lines.push_str(&paint(DIM, format_args!("  │ {line}")));
        lines.push('\n');
    }
}
