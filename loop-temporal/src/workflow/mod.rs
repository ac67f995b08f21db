//! The workflow of a run. It drives the machine of `loop-core`: everything that the machine hears comes from the history
//! of the run, so a worker that replays the history has the same machine.
#![expect(missing_docs, missing_debug_implementations, reason = "of the items that the macro makes")]

mod clock;
mod driver;
mod fleet;
mod reserve;
mod step;

use std::{collections::VecDeque, sync::Arc};

use loop_core::{BoxError, Ending};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ApplicationFailure, SyncWorkflowContext, WorkflowContext, WorkflowContextView, WorkflowResult,
};

use self::driver::Driver;
pub use self::fleet::FleetWorkflow;
use crate::{FleetGrant, Loops, Outcome, PROTOCOL, PersonAnswer, RunStatus, Submission, UsageReports};

/// The workflow of a run. Its id is the id of the run.
#[workflow]
pub struct LoopWorkflow {
    loops: Arc<dyn Loops>,
    reports: VecDeque<UsageReports>,
    answers: VecDeque<PersonAnswer>,
    status: RunStatus,
    granted: Option<FleetGrant>,
    /// The run has to find another worker.
    reassign: bool,
}

impl std::fmt::Debug for LoopWorkflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoopWorkflow").field("status", &self.status).finish_non_exhaustive()
    }
}

impl LoopWorkflow {
    /// Creates the workflow of a worker that makes these loops.
    pub fn new(loops: Arc<dyn Loops>) -> Self {
        let status = RunStatus { phase: "a worker".to_owned(), ..RunStatus::default() };
        Self {
            loops,
            reports: VecDeque::new(),
            answers: VecDeque::new(),
            status,
            granted: None,
            reassign: false,
        }
    }
}

#[workflow_methods(factory_only)]
impl LoopWorkflow {
    /// Drives the run to its end.
    ///
    /// # Errors
    /// The submission describes no loop.
    #[run]
    pub async fn run(cx: &mut WorkflowContext<Self>, submission: Submission) -> WorkflowResult<Outcome> {
        if submission.protocol != PROTOCOL {
            // The failure of the task leaves the run to other workers.
            cx.force_task_fail(format!(
                "this worker is loop-temporal {}, whose messages have version {PROTOCOL}; the run needs version {}: \
                 start a worker of loop-temporal {} on this queue",
                env!("CARGO_PKG_VERSION"),
                submission.protocol,
                submission.version,
            ));
            return std::future::pending().await;
        }
        Driver::new(cx, submission)?.drive().await
    }

    /// Takes usage of the step in progress.
    #[signal]
    pub fn usage(&mut self, _: &mut SyncWorkflowContext<Self>, reports: UsageReports) {
        self.reports.push_back(reports);
    }

    /// Takes a person's answer.
    #[signal]
    pub fn answer(&mut self, _: &mut SyncWorkflowContext<Self>, answer: PersonAnswer) {
        self.answers.push_back(answer);
    }

    /// Takes an amount from the budget that the run shares.
    #[signal]
    pub fn granted(&mut self, _: &mut SyncWorkflowContext<Self>, grant: FleetGrant) {
        self.granted = Some(grant);
    }

    /// Gives the run to another worker.
    #[signal]
    pub fn reassign(&mut self, _: &mut SyncWorkflowContext<Self>) {
        self.reassign = true;
    }

    /// Returns the state of the run.
    #[query]
    pub fn status(&self, _: &WorkflowContextView) -> RunStatus {
        self.status.clone()
    }
}

/// A failure that no other attempt would avoid.
fn failure(cause: impl Into<BoxError>) -> ApplicationFailure {
    let cause: BoxError = cause.into();
    ApplicationFailure::non_retryable(anyhow::anyhow!(cause))
}

/// The name of an ending's state in [`RunStatus`].
fn ended(status: &mut RunStatus, ending: &Ending) {
    status.phase = "finish".to_owned();
    status.ending = Some(ending.clone());
}
