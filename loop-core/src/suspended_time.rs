//! Time that does not count as run time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
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

    /// Returns the total.
    pub fn total(&self) -> Duration {
        Duration::from_micros(self.micros())
    }

    /// Returns the total, in microseconds.
    pub(crate) fn micros(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns whether this is a clone of the other.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
