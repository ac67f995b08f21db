//! Run time, from tokio's clock.

use std::{sync::Arc, time::Duration};

use tokio::{
    task::unconstrained,
    time::{Instant, sleep_until},
};

use crate::{RunTime, SharedBudget, work::Pauses};

/// A clock that stands still in the [`Pauses`] of its run. Tokio's instants are monotonic, and on Linux and macOS they
/// exclude the time for which the machine slept.
#[derive(Debug)]
pub(crate) struct Clock {
    base: RunTime,
    origin: Instant,
    /// The uncounted time that was reported before this run began, in microseconds. It does not count for this run.
    before: u64,
    pauses: Arc<Pauses>,
}

impl Clock {
    /// Creates a clock that continues from `base`. Call [`start`](Self::start) when the run begins.
    pub(crate) fn starting_at(base: RunTime, pauses: Arc<Pauses>) -> Self {
        Self { base, origin: Instant::now(), before: pauses.uncounted(), pauses }
    }

    /// Restarts the clock at its base: the time before anybody drove the run is not run time. From now on the time
    /// counts for these budgets too.
    pub(crate) fn start(&mut self, budgets: &[SharedBudget]) {
        (self.origin, self.before) = (Instant::now(), self.pauses.uncounted());
        self.pauses.share_time(budgets);
    }

    #[inline]
    pub(crate) fn now(&self) -> RunTime {
        self.read(self.pauses.now())
    }

    /// Returns the run time at an instant until which this much time was uncounted.
    #[inline]
    fn read(&self, (instant, uncounted): (Instant, u64)) -> RunTime {
        // Whole microseconds are cheap to compute, and this runs several times per step.
        let passed = RunTime::from(instant - self.origin).as_micros();
        let counted = passed.saturating_sub(uncounted.saturating_sub(self.before));
        self.base.plus(RunTime::from_micros(counted))
    }

    /// Resolves when the clock reaches `at`, and never for `None`.
    pub(crate) async fn reach(&self, at: Option<RunTime>) {
        loop {
            // Nothing is due while the clock stands.
            unconstrained(self.pauses.closed()).await;
            self.sleep_until(at).await;
            // A pause or reported suspended time may have moved the clock back meanwhile.
            if at.is_some_and(|at| self.now() >= at) {
                return;
            }
        }
    }

    /// Returns the time after this much more time, for [`reach_in_pauses`](Self::reach_in_pauses).
    pub(crate) fn in_pauses_after(&self, time: Duration) -> RunTime {
        self.now_in_pauses().after(time)
    }

    /// Returns the time of a clock that an open question does not stop.
    fn now_in_pauses(&self) -> RunTime {
        self.read((Instant::now(), self.pauses.uncounted()))
    }

    /// Like [`reach`](Self::reach), but a loop within this run that asks a person does not delay it: the other work of
    /// this run continues meanwhile.
    pub(crate) async fn reach_in_pauses(&self, at: Option<RunTime>) {
        loop {
            self.sleep_until(at).await;
            if at.is_some_and(|at| self.now_in_pauses() >= at) {
                return;
            }
        }
    }

    /// Sleeps until the clock reaches `at`, unless it is paused meanwhile, and forever for `None`. It ignores tokio's
    /// cooperative budget: otherwise work polled earlier in the same task could use up the budget each time, and no
    /// limit would ever apply.
    async fn sleep_until(&self, at: Option<RunTime>) {
        let uncounted = Duration::from_micros(self.pauses.uncounted().saturating_sub(self.before));
        let instant =
            at.and_then(|at| self.origin.checked_add(at.since(self.base).saturating_add(uncounted)));
        match instant {
            Some(instant) => unconstrained(sleep_until(instant)).await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.pauses.share_time(&[]);
    }
}
