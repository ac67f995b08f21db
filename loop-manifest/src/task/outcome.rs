//! The end of a task.

use loop_agents::review::{ActionLog, BLOCKED, Findings, is_claimed};
use loop_core::{Ending, Progress, StopReason};
use serde::Serialize;

use super::{NO_VERDICT, Task};

/// The status of a finished task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// The agent that works says that the task is done, and no check contradicts it.
    Complete,
    /// The review found nothing left to do.
    NothingPending,
    /// All loops were used up.
    Exhausted,
    /// The reviewer says that a person is needed.
    Blocked,
    /// The reviews of several iterations in a row had no readable verdict.
    NoVerdict,
    /// The run was cancelled.
    Cancelled,
    /// Something went wrong.
    Error,
}

/// The end of a task, and the remaining work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TaskOutcome {
    /// The status at the end.
    pub status: TaskStatus,
    /// The findings of the last review.
    pub findings: Findings,
    /// The combined actions of all loops.
    pub did: ActionLog,
}

impl Task {
    /// Returns the outcome of a run that has ended like this.
    pub async fn outcome(&self, ending: &Ending, progress: &Progress) -> TaskOutcome {
        let step = progress.last_step();
        let mut findings = match step.and_then(|step| step.verdict()).map(|verdict| verdict.text().parse()) {
            Some(Ok(findings)) => findings,
            None => self.known(),
        };
        let status = match ending.reason() {
            None if step.is_some_and(is_claimed) => TaskStatus::Complete,
            None => TaskStatus::NothingPending,
            Some(StopReason::MaxIterations) => TaskStatus::Exhausted,
            Some(StopReason::Cancelled) => TaskStatus::Cancelled,
            Some(reason) if reason.as_str() == BLOCKED => {
                let blocked = || Findings::new([""; 0], ending.message(), "");
                findings = self.found().unwrap_or_else(blocked);
                TaskStatus::Blocked
            }
            Some(reason) if reason.as_str() == NO_VERDICT => {
                // The last summary is of an earlier loop. What is pending still is.
                findings.summary.clear();
                TaskStatus::NoVerdict
            }
            _ => TaskStatus::Error,
        };
        TaskOutcome { status, findings, did: self.did().await }
    }
}
