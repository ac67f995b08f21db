//! A stopwatch that stands still while others have the processor.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Measures what this thread works, and not what it waits: for a few milliseconds of pure work the difference between
/// a quiet machine and a busy one would be greater than what is to be found out.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Duration);

impl Stopwatch {
    /// Starts one.
    pub fn start() -> Self {
        Self(worked())
    }

    /// What the thread has worked since then.
    pub fn elapsed(self) -> Duration {
        worked().saturating_sub(self.0)
    }
}

fn worked() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    Duration::from_secs(tv_sec.unsigned_abs()) + Duration::from_nanos(tv_nsec.unsigned_abs())
}
