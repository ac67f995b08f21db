//! The panel at the bottom of the terminal: the run's status, the last lines of output, and the last verdict.

use std::{fmt::Debug, time::Instant};

use super::{output_tail::OutputTail, run_status::RunStatus};
use crate::view::text;
use loop_manifest::plan::Limits;

/// Content that stays at the bottom of the terminal.
pub(crate) trait PanelContent: Debug + Send {
    /// Returns its current lines, each for one row.
    fn lines(&self, now: Instant) -> Vec<String>;
}

/// The content of the panel.
#[derive(Debug)]
pub(super) struct RunPanel {
    pub(super) status: RunStatus,
    pub(super) tail: OutputTail,
    /// The last verdict; empty before the first.
    pub(super) verdict: String,
    /// The number of files that the last iteration changed; 0 if that is not known.
    pub(super) changed: u64,
}

impl RunPanel {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            status: RunStatus::new(limits),
            tail: OutputTail::default(),
            verdict: String::new(),
            changed: 0,
        }
    }
}

impl PanelContent for RunPanel {
    fn lines(&self, now: Instant) -> Vec<String> {
        let mut lines = vec![self.status.text(now)];
        lines.extend(self.tail.rows());
        if !self.verdict.is_empty() {
            lines.push(format!("  last check: {}", self.verdict));
        }
        if self.changed > 0 {
            lines.push(format!("  last iteration: {} changed", text::count(self.changed, "file")));
        }
        lines.extend(self.status.left.iter().map(|left| format!("  left: {left}")));
        lines
    }
}
