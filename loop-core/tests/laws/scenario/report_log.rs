//! The notes of the parts of a driven run.

use std::time::Duration;

use loop_core::{Stage, Usage};
use tokio::time::Instant;

/// The notes of the parts of one run.
pub(super) struct ReportLog {
    /// The usage that was reported until the run was over.
    pub(super) reported: Vec<Usage>,
    pub(super) over: bool,
    /// The calls of work that a time limit bounds.
    pub(super) calls: Vec<Call>,
    /// The time for which questions stopped the clock of the run.
    pub(super) asked_time: Duration,
    began: Instant,
}

/// A call of work.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) stage: Stage,
    /// The run time, measured with the clock of the test.
    pub(crate) at: Duration,
    /// The time that the work was told it has.
    pub(crate) left: Duration,
}

impl ReportLog {
    pub(super) fn new() -> Self {
        let began = Instant::now();
        Self { reported: Vec::new(), over: false, calls: Vec::new(), asked_time: Duration::ZERO, began }
    }

    pub(super) fn add(&mut self, usage: Usage) {
        if !self.over {
            self.reported.push(usage);
        }
    }

    pub(super) fn call(&mut self, stage: Stage, left: Option<Duration>) {
        if let Some(left) = left {
            self.calls.push(Call { stage, at: self.began.elapsed() - self.asked_time, left });
        }
    }
}
