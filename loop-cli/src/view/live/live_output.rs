//! The live output of agents and checks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loop_core::{Event, EventKind, Observer, Progress, WorkResult};

use super::{RunScreen, printer::PRINTER};
use crate::view::{DIM, OutputFilter, paint, secrets, text};

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
    redacted: OutputFilter,
}

impl LiveOutput {
    pub(crate) fn new(screen: RunScreen, all: bool) -> Self {
        let (torn, redacted) = (Vec::new(), OutputFilter::for_display(&secrets()));
        Self(Arc::new(Mutex::new(LiveOutputState { screen, all, torn, redacted })))
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&self, bytes: &[u8]) {
        self.inner().feed(bytes);
    }

    /// Ends the output, if this event ends the work that printed it: unfinished text counts as a line too.
    pub(crate) fn end_at(&self, event: &EventKind) {
        match ends_output(event) {
            Some(OutputEnd::Whole) => self.inner().end(OutputFilter::rest),
            Some(OutputEnd::Unknown) => self.break_off(),
            None => {}
        }
    }

    /// Ends a part of the output that broke off.
    pub(crate) fn break_off(&self) {
        self.inner().end(OutputFilter::cut);
    }

    fn inner(&self) -> MutexGuard<'_, LiveOutputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How the output of an agent or check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputEnd {
    /// It is complete.
    Whole,
    /// Its rest may be missing, because the work failed or was cut.
    Unknown,
}

/// Returns how the output of the work ended that this event ends, if it ends any.
pub(crate) fn ends_output(event: &EventKind) -> Option<OutputEnd> {
    let is_whole = match event {
        EventKind::IterationFinished { result, notes } => {
            matches!(result, WorkResult::Done(())) && notes.as_ref().is_none_or(|notes| notes.fault.is_none())
        }
        EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } => verdict.passed(),
        EventKind::EvaluationFinished { .. } | EventKind::WorkCut { .. } => false,
        _ => return None,
    };
    Some(if is_whole { OutputEnd::Whole } else { OutputEnd::Unknown })
}

/// The outputs of a run's agent and checks. As an observer, it ends them with the work that printed them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveOutputs(Arc<Mutex<Vec<LiveOutput>>>);

impl LiveOutputs {
    /// Adds an output, and returns it.
    pub(crate) fn add(&self, output: LiveOutput) -> LiveOutput {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(output.clone());
        output
    }
}

impl Observer for LiveOutputs {
    fn on_event(&mut self, event: &Event, _: &Progress) {
        for output in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            output.end_at(&event.kind);
        }
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

    fn end(&mut self, rest: fn(&mut OutputFilter) -> Vec<u8>) {
        let rest = rest(&mut self.redacted);
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
