//! Run time, from tokio's clock.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::RunTime;

/// A clock that can stand still. Tokio's instants are monotonic and leave out the time in which the
/// machine slept, on Linux and macOS.
#[derive(Debug)]
pub(crate) struct Clock {
    base: RunTime,
    origin: Instant,
    stopped: Option<Instant>,
}

impl Clock {
    /// A clock that shows `base` now.
    pub(crate) fn starting_at(base: RunTime) -> Self {
        Self { base, origin: Instant::now(), stopped: None }
    }

    pub(crate) fn now(&self) -> RunTime {
        let now = self.stopped.unwrap_or_else(Instant::now);
        self.base.after(Duration::from_micros(RunTime::from(now - self.origin).as_micros()))
    }

    /// Stands still from now on: a person is being asked.
    pub(crate) fn stop(&mut self) {
        self.stopped = Some(Instant::now());
    }

    /// Runs again.
    pub(crate) fn go_on(&mut self) {
        if let Some(stopped) = self.stopped.take() {
            self.origin += stopped.elapsed();
        }
    }

    /// Resolves when the clock shows `at`; never for `None`.
    pub(crate) async fn reach(&self, at: Option<RunTime>) {
        match at.and_then(|at| self.origin.checked_add(at.since(self.base))) {
            Some(instant) => sleep_until(instant).await,
            None => std::future::pending().await,
        }
    }
}
