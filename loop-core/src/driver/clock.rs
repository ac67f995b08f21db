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

    /// Microseconds.
    fn sum(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A clock that can stand still. Tokio's instants are monotonic and leave out the time in which the
/// machine slept, on Linux and macOS.
#[derive(Debug)]
pub(crate) struct Clock {
    base: RunTime,
    origin: Instant,
    /// The time off before this run, which does not count for it, in microseconds.
    before: u64,
    off: TimeOff,
    /// Since when it stands still, and the time off until then in microseconds.
    stopped: Option<(Instant, u64)>,
}

impl Clock {
    /// A clock that shows `base` until it is [started](Self::start), and then goes on from there.
    pub(crate) fn starting_at(base: RunTime, off: TimeOff) -> Self {
        Self { base, origin: Instant::now(), before: off.sum(), off, stopped: None }
    }

    /// Runs from now on: what passed since it was made, while nobody drove the run, is no run time.
    pub(crate) fn start(&mut self) {
        (self.origin, self.before) = (Instant::now(), self.off.sum());
    }

    pub(crate) fn now(&self) -> RunTime {
        let (now, off) = self.stopped.unwrap_or_else(|| (Instant::now(), self.off()));
        // In whole microseconds: this is computed several times a step.
        let counted = RunTime::from(now - self.origin).as_micros().saturating_sub(off);
        self.base.plus(RunTime::from_micros(counted))
    }

    /// Microseconds.
    fn off(&self) -> u64 {
        self.off.sum().saturating_sub(self.before)
    }

    /// Stands still from now on: a person is being asked.
    pub(crate) fn stop(&mut self) {
        self.stopped = Some((Instant::now(), self.off()));
    }

    /// Runs again. Time off that was given meanwhile is part of the time in which it stood still.
    pub(crate) fn go_on(&mut self) {
        if let Some((since, off_then)) = self.stopped.take() {
            let given = Duration::from_micros(self.off().saturating_sub(off_then));
            self.origin += since.elapsed().saturating_sub(given);
        }
    }

    /// Resolves when the clock shows `at`; never for `None`. It does not take part in tokio's cooperative budget: work
    /// that is polled before it in the same task could use all of that up each time, and no limit would ever bind.
    pub(crate) async fn reach(&self, at: Option<RunTime>) {
        let Some(at) = at else { return std::future::pending().await };
        loop {
            match self
                .origin
                .checked_add(at.since(self.base).saturating_add(Duration::from_micros(self.off())))
            {
                Some(instant) => unconstrained(sleep_until(instant)).await,
                None => std::future::pending().await,
            }
            // Time off may have been given meanwhile; then it is not yet so late.
            if self.now() >= at {
                return;
            }
        }
    }
}
