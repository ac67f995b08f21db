//! One run of a case.

use std::time::Duration;

use loop_core::{CostQuality, Usage};
use serde::{Deserialize, Serialize};

/// How a run of a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CaseOutcome {
    /// All checks passed.
    Passed,
    /// A check did not pass, or the run reached a limit.
    Failed,
    /// The run could not be made, for example because the model is unavailable.
    NotMade,
}

/// One run of a case with one model or agent, and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CaseRun {
    /// Its place among all runs of the assay, from 0.
    pub index: usize,
    /// How it ended.
    pub outcome: CaseOutcome,
    /// Why it did not pass; empty if it did.
    pub why: String,
    /// How long it took, without its checks.
    pub time: Duration,
    /// Its usage, without that of its checks.
    pub usage: Usage,
    /// The number of its iterations.
    pub iterations: u64,
}

impl CaseRun {
    /// Describes a run that could not be made.
    pub(crate) fn not_made(index: usize, why: String) -> Self {
        let outcome = CaseOutcome::NotMade;
        Self { index, outcome, why, time: Duration::ZERO, usage: Usage::unknown(), iterations: 0 }
    }

    /// Returns the cost in US dollars, if all of it is known.
    pub fn cost(&self) -> Option<f64> {
        let cost = self.usage.cost.filter(|cost| cost.quality != CostQuality::Partial)?;
        Some(cost.usd.as_f64())
    }
}
