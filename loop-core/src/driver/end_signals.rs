//! The requests from outside to end a run.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use super::Shares;
use crate::{CancellationToken, Halt, Input, SharedBudget};

/// A future that ends a run: see [`Loop::halt_on`](crate::Loop::halt_on).
pub(crate) type HaltFuture = Pin<Box<dyn Future<Output = Halt> + Send>>;

/// The requests to end a run: its token, the futures that halt it, and the budgets that it shares.
pub(crate) struct EndSignals {
    cancel: CancellationToken,
    /// Cancelled together with `cancel`, and when one of the budgets is used up.
    wake: CancellationToken,
    shares: Shares,
    /// Those that are not ready yet. Empty once one of them was ready.
    halts: Vec<HaltFuture>,
    halt: Option<Halt>,
}

impl EndSignals {
    pub(crate) fn new(cancel: CancellationToken, mut halts: Vec<HaltFuture>, shares: Shares) -> Self {
        let wake = shares.all().fold(cancel.clone(), |wake, budget| wake.child_of_both(budget.exhausted()));
        for budget in shares.own.iter().filter(|budget| budget.has_time_limit()) {
            let budget = budget.clone();
            halts.push(Box::pin(async move {
                budget.clone().watch_time().await;
                budget.halt()
            }));
        }
        Self { cancel, wake, shares, halts, halt: None }
    }

    pub(super) const fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Resolves when the run has to end.
    pub(super) async fn requested(&mut self) {
        let Self { wake, halts, halt, .. } = self;
        if halts.is_empty() && halt.is_none() {
            return wake.cancelled().await;
        }
        tokio::select! {
            biased;
            () = wake.cancelled() => {}
            () = poll_fn(|cx| poll_halts(halts, halt, cx)) => {}
        }
    }

    /// Returns whether the run has to end. Work that is always ready never awaits [`requested`](Self::requested).
    pub(super) fn is_requested(&mut self) -> bool {
        let Self { wake, halts, halt, .. } = self;
        if wake.is_cancelled() || halt.is_some() {
            return true;
        }
        // Most runs have no such future, and this is asked several times per step. A later wait registers its own
        // waker.
        !halts.is_empty() && poll_halts(halts, halt, &mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Returns whether the run has to end only because a budget is used up. Work that has ended by then keeps its
    /// output, which may have cost as much as all the rest.
    pub(super) fn is_only_exhausted(&self) -> bool {
        self.shares.all().any(SharedBudget::is_exhausted) && !self.cancel.is_cancelled()
    }

    /// Returns the request for the machine. A cancellation has precedence.
    pub(super) fn input(&self) -> Input {
        if self.cancel.is_cancelled() {
            return Input::Cancelled;
        }
        let exhausted = || self.shares.own.iter().find(|budget| budget.is_exhausted());
        match self.halt.clone().or_else(|| exhausted().map(SharedBudget::halt)) {
            Some(halt) => Input::Halted { halt },
            // The run around this one shares the budget, and ends for that reason.
            None => Input::Cancelled,
        }
    }
}

/// Polls the futures until one is ready, and then drops all of them.
fn poll_halts(halts: &mut Vec<HaltFuture>, halt: &mut Option<Halt>, cx: &mut Context<'_>) -> Poll<()> {
    if halt.is_none() {
        *halt = halts.iter_mut().find_map(|future| match future.as_mut().poll(cx) {
            Poll::Ready(halt) => Some(halt),
            Poll::Pending => None,
        });
    }
    if halt.is_none() {
        return Poll::Pending;
    }
    halts.clear();
    Poll::Ready(())
}
