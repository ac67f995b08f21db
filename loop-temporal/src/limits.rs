//! The limits of a step, as its worker enforces them.

use std::time::Duration;

use loop_core::{Ceiling, Usage, Usd};
use serde::{Deserialize, Serialize};

/// The limits of one step.
#[derive(Debug, Clone, Copy)]
pub struct StepLimits {
    /// The rest of the run's limits.
    pub left: Ceiling,
    /// How long interrupted work may take to end.
    pub grace: Duration,
    /// How long work may continue after a report that crosses a limit.
    pub overrun: Duration,
}

impl StepLimits {
    /// Returns whether this usage crosses a limit.
    pub fn are_crossed_by(&self, usage: &Usage) -> bool {
        let left = self.left.after(usage);
        left.cost.is_some_and(|cost| cost == Usd::ZERO) || left.tokens == Some(0)
    }
}

/// Why a worker ended the work of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// The workflow cancelled it, or the worker is about to end.
    Cancelled,
    /// The run time was over.
    Deadline,
    /// Its usage crossed a limit.
    Usage,
}
