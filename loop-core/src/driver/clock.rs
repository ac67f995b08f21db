//! Run time, from tokio's clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

use crate::RunTime;

/// Time that does not count as run time, given by who knows of it: a program that was stopped with
/// Ctrl+Z, for example. Clones give to the same run.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{IterationContext, Loop, Step, TimeOff, condition_fn, iteration_fn};
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let time_off = TimeOff::new();
/// let handle = time_off.clone();
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
/// let report = Loop::new(agent).until(done).at_most(1).time_off(time_off).run().await?;
/// assert_eq!(report.elapsed(), Duration::from_secs(5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct TimeOff(Arc<AtomicU64>);

impl TimeOff {
    /// No time.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes this much time, which has passed already, out of the run's.
    pub fn add(&self, time: Duration) {
        let more = RunTime::from(time).as_micros();
        let add = |sum: u64| Some(sum.saturating_add(more));
        // It is never refused: the function always gives a new value.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    fn sum(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// A clock that can stand still. Tokio's instants are monotonic and leave out the time in which the
/// machine slept, on Linux and macOS.
#[derive(Debug)]
pub(crate) struct Clock {
    base: RunTime,
    origin: Instant,
    /// What was given before this run began is not of this run.
    before: Duration,
    off: TimeOff,
    /// Since when it stands still, and the time off until then.
    stopped: Option<(Instant, Duration)>,
}

impl Clock {
    /// A clock that shows `base` now.
    pub(crate) fn starting_at(base: RunTime, off: TimeOff) -> Self {
        Self { base, origin: Instant::now(), before: off.sum(), off, stopped: None }
    }

    pub(crate) fn now(&self) -> RunTime {
        let (now, off) = self.stopped.unwrap_or_else(|| (Instant::now(), self.off()));
        let counted = (now - self.origin).saturating_sub(off);
        self.base.plus(RunTime::from(counted))
    }

    fn off(&self) -> Duration {
        self.off.sum().saturating_sub(self.before)
    }

    /// Stands still from now on: a person is being asked.
    pub(crate) fn stop(&mut self) {
        self.stopped = Some((Instant::now(), self.off()));
    }

    /// Runs again. Time off that was given meanwhile is part of the time in which it stood still.
    pub(crate) fn go_on(&mut self) {
        if let Some((since, off_then)) = self.stopped.take() {
            let given = self.off().saturating_sub(off_then);
            self.origin += since.elapsed().saturating_sub(given);
        }
    }

    /// Resolves when the clock shows `at`; never for `None`.
    pub(crate) async fn reach(&self, at: Option<RunTime>) {
        let Some(at) = at else { return std::future::pending().await };
        loop {
            match self.origin.checked_add(at.since(self.base).saturating_add(self.off())) {
                Some(instant) => sleep_until(instant).await,
                None => std::future::pending().await,
            }
            // Time off may have been given meanwhile; then it is not yet so late.
            if self.now() >= at {
                return;
            }
        }
    }
}
