//! Run time, from tokio's clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::unconstrained,
    time::{Instant, sleep_until},
};

use crate::RunTime;

/// Time that does not count as run time, such as the time for which a user stopped the program with Ctrl+Z. Your
/// program reports this time. Clones share one total.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{IterationContext, Loop, Step, SuspendedTime, condition_fn, iteration_fn};
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let suspended_time = SuspendedTime::new();
/// let handle = suspended_time.clone();
/// let agent = iteration_fn(move |cx: IterationContext<u64>| {
///     let handle = handle.clone();
///     async move {
///         tokio::time::sleep(Duration::from_secs(3605)).await;
///         // Of these, the program was stopped for an hour.
///         handle.add(Duration::from_secs(3600));
///         Ok(cx.iteration())
///     }
/// });
/// let done = condition_fn(|_: &Step<u64>, _| true);
/// let report = Loop::new(agent).until(done).at_most(1).suspended_time(suspended_time).run().await?;
/// assert_eq!(report.elapsed(), Duration::from_secs(5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SuspendedTime(Arc<AtomicU64>);

impl SuspendedTime {
    /// Creates a handle with no time.
    pub fn new() -> Self {
        Self::default()
    }

    /// Subtracts this much time from the run time. It must have passed already.
    pub fn add(&self, time: Duration) {
        let more = RunTime::from(time).as_micros();
        let add = |sum: u64| Some(sum.saturating_add(more));
        // This cannot fail, because the function always returns a new value.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Returns the total, in microseconds.
    fn sum(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A clock that can be paused. Tokio's instants are monotonic, and on Linux and macOS they exclude the time for which
/// the machine slept.
#[derive(Debug)]
pub(crate) struct Clock {
    base: RunTime,
    origin: Instant,
    /// The suspended time that was reported before this run began, in microseconds. It does not count for this run.
    before: u64,
    off: SuspendedTime,
    /// The start of the current pause, and the suspended time until then in microseconds.
    stopped: Option<(Instant, u64)>,
}

impl Clock {
    /// Creates a clock that continues from `base`. Call [`start`](Self::start) when the run begins.
    pub(crate) fn starting_at(base: RunTime, off: SuspendedTime) -> Self {
        Self { base, origin: Instant::now(), before: off.sum(), off, stopped: None }
    }

    /// Restarts the clock at its base: the time before anybody drove the run is not run time.
    pub(crate) fn start(&mut self) {
        (self.origin, self.before) = (Instant::now(), self.off.sum());
    }

    pub(crate) fn now(&self) -> RunTime {
        let (now, suspended) = self.stopped.unwrap_or_else(|| (Instant::now(), self.suspended_micros()));
        // Whole microseconds are cheap to compute, and this runs several times per step.
        let counted = RunTime::from(now - self.origin).as_micros().saturating_sub(suspended);
        self.base.plus(RunTime::from_micros(counted))
    }

    /// Returns the suspended time since the clock started.
    fn suspended_micros(&self) -> u64 {
        self.off.sum().saturating_sub(self.before)
    }

    /// Pauses the clock while a person is being asked.
    pub(crate) fn stop(&mut self) {
        self.stopped = Some((Instant::now(), self.suspended_micros()));
    }

    /// Continues after a pause. Suspended time that was reported during the pause is part of the pause and is not
    /// subtracted twice.
    pub(crate) fn resume(&mut self) {
        if let Some((since, off_then)) = self.stopped.take() {
            let given = Duration::from_micros(self.suspended_micros().saturating_sub(off_then));
            self.origin += since.elapsed().saturating_sub(given);
        }
    }

    /// Resolves when the clock reaches `at`, and never for `None`. It ignores tokio's cooperative budget: otherwise
    /// work polled earlier in the same task could use up the budget each time, and no limit would ever apply.
    pub(crate) async fn reach(&self, at: Option<RunTime>) {
        let Some(at) = at else { return std::future::pending().await };
        loop {
            match self.origin.checked_add(
                at.since(self.base).saturating_add(Duration::from_micros(self.suspended_micros())),
            ) {
                Some(instant) => unconstrained(sleep_until(instant)).await,
                None => std::future::pending().await,
            }
            // Suspended time that was reported meanwhile may have moved the clock back.
            if self.now() >= at {
                return;
            }
        }
    }
}
