//! The money of steps, from a budget that several runs share.

use std::pin::pin;

use futures::FutureExt;
use loop_core::{ActionId, Halt, Input, StopReason, Usd, WorkResult};
use temporalio_sdk::{SignalWorkflowOptions, WorkflowCancellationToken, workflows::select};

use super::{
    FleetWorkflow, LoopWorkflow,
    driver::{Driver, cancelled, holds},
};
use crate::{Cut, FleetGrant, FleetNote, FleetShare, FleetStep, StepAnswer, Work};

/// The amount that a step may spend, in billionths of a dollar.
pub(super) struct Reservation {
    step: u64,
    amount: u64,
    /// The run's costs when the step began.
    before: u64,
    /// It is less than what the limits of the run leave.
    is_tighter: bool,
}

impl Driver<'_> {
    /// Reserves an amount for the iteration, and settles the last one. Returns whether the iteration may begin.
    pub(super) async fn reserve(&mut self, id: ActionId) -> bool {
        let Some(FleetShare { reserve, fleet }) = self.submission.fleet.clone() else { return true };
        let spent = self.settled();
        // The last iteration needed more than usual, so this one may, too.
        let needed = spent.map_or(0, |spent| spent.amount.saturating_mul(2));
        let wants = FleetStep { step: id.event, amount: reserve.max(needed) };
        self.cx.state_mut(|state| "a budget".clone_into(&mut state.status.phase));
        // The run does nothing, so its time stands still.
        self.clock.stop(self.cx.workflow_time());
        let is_there = self.tell(spent, Some(wants), false).await;
        let amount = match is_there {
            true => self.granted(wants.step).await,
            false => None,
        };
        self.clock.go_on(self.cx.workflow_time());
        self.publish();
        match amount {
            Some(amount) => {
                let before = self.costs();
                self.reservation = Some(Reservation { step: wants.step, amount, before, is_tighter: false });
            }
            None if self.is_cancelled => {}
            None => {
                let message = format!("the runs that share the budget {fleet} have spent it");
                let halt = Halt::new(StopReason::SharedBudgetExceeded, message);
                let now = self.now();
                self.run.handle(now, Input::Halted { halt });
            }
        }
        amount.is_some()
    }

    /// Waits for the answer of the budget. `None` if there is no money, or if the run is cancelled.
    async fn granted(&mut self, step: u64) -> Option<u64> {
        let (cx, of_step) = (self.cx, move |grant: &FleetGrant| grant.step == step);
        let has_answer = move |state: &LoopWorkflow| state.granted.as_ref().is_some_and(of_step);
        let is_cancelled = {
            let mut answered = pin!(holds(cx, has_answer).fuse());
            let mut cancelled = pin!(cancelled(cx, self.is_cancelled).fuse());
            select! {
                () = answered => false,
                () = cancelled => true,
            }
        };
        if is_cancelled {
            self.tell_cancelled();
            return None;
        }
        cx.state_mut(|state| state.granted.take()).and_then(|grant| grant.amount)
    }

    /// Limits work to the rest of its reservation.
    pub(super) fn within_reservation(&mut self, mut work: Work) -> Work {
        let costs = self.costs();
        if let Some(Reservation { amount, before, is_tighter, .. }) = &mut self.reservation {
            let left = amount.saturating_sub(costs.saturating_sub(*before));
            *is_tighter = work.left.cost.is_none_or(|cost| left < cost);
            if *is_tighter {
                work.left.cost = Some(left);
            }
        }
        work
    }

    /// Names the reservation as the cause if the worker ended the step for it, and not for a limit of the run.
    pub(super) fn name_cut(&self, answer: &mut StepAnswer) {
        let is_cut = answer.cut == Some(Cut::Usage) && !matches!(answer.result, WorkResult::Done(_));
        let tighter = self.reservation.as_ref().filter(|held| is_cut && held.is_tighter);
        if let Some(Reservation { amount, .. }) = tighter {
            let reserved = Usd::nanos(*amount);
            let message =
                format!("the iteration spent the {reserved} that it had reserved from the shared budget");
            answer.result = WorkResult::Failed(message.into());
        }
    }

    /// Settles the step of a run that will not begin another one soon.
    pub(super) async fn give_back(&mut self) {
        if let Some(spent) = self.settled() {
            self.tell(Some(spent), None, false).await;
        }
    }

    /// Settles the last step of the run.
    pub(super) async fn leave(&mut self) {
        let spent = self.settled();
        self.tell(spent, None, true).await;
    }

    fn settled(&mut self) -> Option<FleetStep> {
        let Reservation { step, before, .. } = self.reservation.take()?;
        Some(FleetStep { step, amount: self.costs().saturating_sub(before) })
    }

    fn costs(&self) -> u64 {
        self.run.progress().usage().cost.map_or(0, |cost| cost.usd.as_nanos())
    }

    /// Sends a note to the budget, and returns whether it is there.
    async fn tell(&self, spent: Option<FleetStep>, wants: Option<FleetStep>, leaves: bool) -> bool {
        let Some(FleetShare { fleet, .. }) = &self.submission.fleet else { return true };
        let note = FleetNote { run: self.cx.workflow_id().to_owned(), spent, wants, leaves };
        // A cancelled run settles too.
        let token = WorkflowCancellationToken::new();
        let options = SignalWorkflowOptions::builder().cancellation_token(token).build();
        let fleet = self.cx.external_workflow(fleet, None);
        fleet.signal(FleetWorkflow::note, note, options).await.is_ok()
    }
}
