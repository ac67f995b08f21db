//! The panel at the bottom of the terminal: the run's status, the last lines of output, and the last verdict.

use std::{fmt::Debug, time::Instant};

use super::{DIM, paint, status::Status, tail::Tail};
use loop_manifest::plan::Limits;

/// The number of output lines shown.
const LINES: usize = 4;

/// Content that stays at the bottom of the terminal.
pub(crate) trait Pinned: Debug + Send {
    /// Returns its current lines, each for one row.
    fn lines(&self, now: Instant) -> Vec<String>;
}

/// The content of the panel.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) status: Status,
    pub(super) tail: Tail,
    /// The last verdict; empty before the first.
    pub(super) verdict: String,
}

impl Panel {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { status: Status::new(limits), tail: Tail::default(), verdict: String::new() }
    }
}

impl Pinned for Panel {
    fn lines(&self, now: Instant) -> Vec<String> {
        let mut lines = vec![self.status.text(now)];
        lines.extend(self.tail.lines(LINES).iter().map(|line| paint(DIM, format_args!("  │ {line}"))));
        if !self.verdict.is_empty() {
            lines.push(format!("  last check: {}", self.verdict));
        }
        lines.extend(self.status.left.iter().map(|left| format!("  left: {left}")));
        lines
    }
}
