//! The contents of the files in `.loop/task`.

use std::time::SystemTime;

use loop_agents::review::Findings;
use loop_telemetry::{TokenTotals, clamped};
use serde::Serialize;

/// `run.toml`.
#[derive(Debug, Serialize)]
pub(super) struct RunFile {
    pub(super) run_id: String,
    pub(super) created_at: String,
    pub(super) workdir: String,
    pub(super) task_file: String,
    pub(super) executor: String,
    pub(super) reviewer: String,
    pub(super) loops: u64,
    pub(super) rounds: u64,
    pub(super) loops_completed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<String>,
    pub(super) usage: TokenTotals,
}

/// `state.toml`.
#[derive(Debug, Serialize)]
pub(super) struct StateFile<'a> {
    pub(super) run_id: &'a str,
    pub(super) workdir: &'a str,
    pub(super) task_file: &'a str,
    #[serde(rename = "loop")]
    pub(super) number: u64,
    /// `idle`, `execution`, `review` or `done`.
    pub(super) phase: &'a str,
    pub(super) updated_at: String,
}

/// The head of `execution.toml` and of `review.toml`.
#[derive(Debug, Serialize)]
pub(super) struct LogHead<'a> {
    pub(super) run_id: &'a str,
    #[serde(rename = "loop")]
    pub(super) number: u64,
    pub(super) phase: &'a str,
    pub(super) agent: &'a str,
    pub(super) started_at: String,
}

/// `review_output.toml`.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ReviewRecord {
    pub(super) run_id: String,
    #[serde(rename = "loop")]
    pub(super) number: u64,
    pub(super) outcome: String,
    #[serde(flatten)]
    pub(super) findings: Findings,
}

/// A time as the files have it.
pub(super) fn time(time: SystemTime) -> String {
    format!("{:.3}", clamped(time))
}
