//! The requests from outside to end a run.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use crate::{
    CancellationToken, Halt, Input, Progress, SharedBudget, cancellation::Cancelled, shared_budget::Shares,
};

/// A future that ends a run: see [`Loop::halt_on`](crate::Loop::halt_on).
pub(crate) type HaltFuture = Pin<Box<dyn Future<Output = Halt> + Send>>;

/// The requests to end a run: its token, the futures that halt it, and the budgets that it shares.
pub(crate) struct EndSignals {
    cancel: CancellationToken,
    /// Cancelled together with `cancel`, and when one of the budgets is used up.
    wake: CancellationToken,
    /// Wakes the driver when `wake` is cancelled. Lives between two polls, in which the driver waits.
    woken: Cancelled<CancellationToken>,
    shares: Shares,
    /// Those that are not ready yet. Empty once one of them was ready.
    halts: Vec<HaltFuture>,
    halt: Option<Halt>,
    /// The machine knows about the request.
    pub(crate) is_told: bool,
}

impl EndSignals {
    pub(crate) fn new(cancel: CancellationToken, halts: Vec<HaltFuture>, shares: Shares) -> Self {
        let wake = shares.all().fold(cancel.clone(), |wake, budget| wake.child_of_both(budget.exhausted()));
        let woken = Cancelled::new(wake.clone());
        Self { cancel, wake, woken, shares, halts, halt: None, is_told: false }
    }

    /// Halts the run when the time of one of its budgets is used up. This needs tokio's clock.
    #[cfg(feature = "tokio")]
    pub(crate) fn watch_time(&mut self) {
        for budget in self.shares.own.iter().filter(|budget| budget.has_time_limit()) {
            let budget = budget.clone();
            self.halts.push(Box::pin(async move {
                budget.clone().watch_time().await;
                budget.halt()
            }));
        }
    }

    pub(crate) const fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Notes where the history of the run ends, for its budgets.
    pub(crate) fn leave(&mut self, progress: &Progress) {
        self.shares.leave(progress);
    }

    /// Resolves when the run has to end.
    ///
    /// # Cancel safety
    /// Cancel safe: the next call resolves too.
    pub(crate) async fn requested(&mut self) {
        poll_fn(|cx| self.poll_requested(cx)).await;
    }

    /// Is ready when the run has to end.
    pub(crate) fn poll_requested(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match self.woken.poll_cancelled(cx) {
            Poll::Pending if !self.halts.is_empty() || self.halt.is_some() => self.poll_halts(cx),
            woken => woken,
        }
    }

    /// Returns whether the run has to end. Work that is always ready never awaits [`requested`](Self::requested).
    #[inline]
    pub(crate) fn is_requested(&mut self) -> bool {
        self.wake.is_cancelled() || self.halt.is_some() || self.is_halted()
    }

    /// Returns whether one of the futures is ready. A later wait registers its own waker.
    #[inline]
    fn is_halted(&mut self) -> bool {
        // Most runs have no such future, and this is asked several times per step.
        !self.halts.is_empty() && self.poll_halts(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Returns whether the run has to end only because a budget is used up. Work that has ended by then keeps its
    /// output, which may have cost as much as all the rest.
    pub(crate) fn is_only_exhausted(&self) -> bool {
        self.shares.all().any(SharedBudget::is_exhausted) && !self.cancel.is_cancelled()
    }

    /// Returns the request for the machine. A cancellation has precedence.
    pub(crate) fn input(&self) -> Input {
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

    /// Polls the futures until one is ready, and then drops all of them.
    #[cold]
    fn poll_halts(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.halt.is_none() {
            self.halt = self.halts.iter_mut().find_map(|future| match future.as_mut().poll(cx) {
                Poll::Ready(halt) => Some(halt),
                Poll::Pending => None,
            });
        }
        if self.halt.is_none() {
            return Poll::Pending;
        }
        self.halts.clear();
        Poll::Ready(())
    }
}
