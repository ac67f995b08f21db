//! The panel that stays at the bottom of the terminal: what the run is at, the last lines of output, and the
//! last verdict.

use std::{fmt::Debug, time::Instant};

use super::{DIM, paint, status::Status, tail::Tail};
use loop_manifest::plan::Limits;

/// How many of the last lines of output are shown.
const LINES: usize = 4;

/// What stays at the bottom of the terminal.
pub(crate) trait Pinned: Debug + Send {
    /// Its lines now, each for a row of its own.
    fn lines(&self, now: Instant) -> Vec<String>;
}

/// What the panel shows.
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
