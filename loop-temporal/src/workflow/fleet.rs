//! The workflow of a budget over several runs.

use std::collections::VecDeque;

use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ContinueAsNewOptions, SignalWorkflowOptions, SyncWorkflowContext, WorkflowContext, WorkflowContextView,
    WorkflowResult, workflows::join_all,
};

use super::LoopWorkflow;
use crate::{FleetNote, FleetState};

/// The workflow of a budget. It ends when its last run has left, or when it is cancelled: no run begins another step then.
#[workflow]
#[derive(Debug, Default)]
pub struct FleetWorkflow {
    notes: VecDeque<FleetNote>,
    runs: Option<u64>,
    state: Option<FleetState>,
}

#[workflow_methods]
impl FleetWorkflow {
    /// Answers its runs.
    ///
    /// # Errors
    /// Never; a long history ends here, and a new one begins.
    #[run]
    pub async fn run(cx: &mut WorkflowContext<Self>, mut fleet: FleetState) -> WorkflowResult<FleetState> {
        loop {
            let notes: Vec<_> = cx.state_mut(|state| {
                fleet.runs = state.runs.take().unwrap_or(fleet.runs);
                state.notes.drain(..).collect()
            });
            let has_notes = !notes.is_empty();
            let answers: Vec<_> = notes.into_iter().flat_map(|note| fleet.ledger.note(note)).collect();
            cx.state_mut(|state| state.state = Some(fleet.clone()));
            let runs: Vec<_> =
                answers.into_iter().map(|(run, grant)| (cx.external_workflow(run, None), grant)).collect();
            let signals = runs.iter().map(|(run, grant)| {
                run.signal(LoopWorkflow::granted, *grant, SignalWorkflowOptions::default())
            });
            // A run that is over needs no answer.
            let _ = join_all(signals).await;
            if fleet.ledger.runs_left() >= fleet.runs {
                return Ok(fleet);
            }
            if has_notes {
                continue;
            }
            if cx.history_length() >= fleet.longest_history || cx.continue_as_new_suggested() {
                match cx.continue_as_new(fleet, ContinueAsNewOptions::default())? {}
            }
            let has_news = |state: &Self| !state.notes.is_empty() || state.runs.is_some();
            if cx.wait_condition(has_news).await.is_err() {
                return Ok(fleet);
            }
        }
    }

    /// Takes a note of a run.
    #[signal]
    pub fn note(&mut self, _: &mut SyncWorkflowContext<Self>, note: FleetNote) {
        self.notes.push_back(note);
    }

    /// Takes the number of runs, if not all of them could be submitted.
    #[signal]
    pub fn runs(&mut self, _: &mut SyncWorkflowContext<Self>, runs: u64) {
        self.runs = Some(runs);
    }

    /// Returns the state of the budget. `None` before its first task.
    #[query]
    pub fn state(&self, _: &WorkflowContextView) -> Option<FleetState> {
        self.state.clone()
    }
}
