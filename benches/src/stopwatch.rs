//! A stopwatch that stops while other threads have the processor.
#![expect(unsafe_code, reason = "safe wrappers of this clock call the vDSO, which valgrind cannot run")]

use std::{mem::MaybeUninit, time::Duration};

/// Measures the time in which this thread works, without the time in which it waits. For a few milliseconds of pure
/// work, the difference between a quiet machine and a busy one would exceed the measured effect.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Duration);

impl Stopwatch {
    /// Starts a stopwatch.
    pub fn start() -> Self {
        Self(worked())
    }

    /// Returns the processor time of the thread since the start.
    pub fn elapsed(self) -> Duration {
        worked().saturating_sub(self.0)
    }
}

fn worked() -> Duration {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is large enough, and all zeros are a valid value of its type, so it is valid whether or not it is
    // written to.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr());
        time.assume_init()
    };
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}
