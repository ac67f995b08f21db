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
/// use loop_core::{IterationContext, Loop, TimeOff, condition_fn, iteration_fn, Step};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let time_off = TimeOff::new();
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let done = condition_fn(|_: &Step<u64>, _| true);
/// let run = Loop::new(agent).until(done).at_most_for(Duration::from_secs(60)).time_off(time_off.clone());
/// time_off.add(Duration::from_secs(3600));
/// assert!(run.run().await?.is_success());
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
        self.0.fetch_add(RunTime::from(time).as_micros(), Ordering::Relaxed);
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
    stopped: Option<Instant>,
}

impl Clock {
    /// A clock that shows `base` now.
    pub(crate) fn starting_at(base: RunTime, off: TimeOff) -> Self {
        Self { base, origin: Instant::now(), before: off.sum(), off, stopped: None }
    }

    pub(crate) fn now(&self) -> RunTime {
        let now = self.stopped.unwrap_or_else(Instant::now);
        let counted = (now - self.origin).saturating_sub(self.off());
        self.base.after(Duration::from_micros(RunTime::from(counted).as_micros()))
    }

    fn off(&self) -> Duration {
        self.off.sum().saturating_sub(self.before)
    }

    /// Stands still from now on: a person is being asked.
    pub(crate) fn stop(&mut self) {
        self.stopped = Some(Instant::now());
    }

    /// Runs again.
    pub(crate) fn go_on(&mut self) {
        if let Some(stopped) = self.stopped.take() {
            self.off.add(stopped.elapsed());
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
