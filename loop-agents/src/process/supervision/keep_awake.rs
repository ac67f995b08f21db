//! Keeps this process from staying stopped.

use std::time::{Duration, Instant};

use super::{Supervisor, watchdog::WatchedState, watchdog_message::StopPolicy};

/// Keeps this process running until the value is dropped: see [`Supervisor::keep_awake`]. A supervisor has one at a
/// time.
///
/// If an agent stops this process with SIGSTOP, no limit applies, while the agent works on. So the watchdog looks at
/// this process four times a second:
///
/// - If somebody has stopped it, the watchdog continues it, even after a person's `kill -STOP`.
/// - If somebody keeps stopping it for about two seconds, the watchdog ends the run's processes.
/// - If the time that [`ends_within`](Self::ends_within) set is over, the watchdog ends them as well.
/// - While it is stopped [on purpose](Self::suspend), or by its terminal for reading or writing in the background, the
///   watchdog stops the run's processes too.
#[derive(Debug)]
#[must_use = "the process may be stopped once this is dropped"]
pub struct KeepAwake(Supervisor);

impl KeepAwake {
    pub(super) fn begin(supervisor: Supervisor) -> Self {
        let awake = Self(supervisor);
        awake.announce(|state| state.stops = StopPolicy::Continue);
        awake
    }

    /// Makes the watchdog end the run's processes after this time, whatever the state of this process by then. `None`
    /// removes the deadline. Set the time by which this process itself would end them, grace time included.
    pub fn ends_within(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.announce(|state| state.deadline = deadline);
    }

    /// Calls `stop`, which stops this process on purpose and returns when it continues. The deadline pauses in between.
    pub fn suspend<T>(&self, stop: impl FnOnce() -> T) -> T {
        // A missing watchdog would not hear of this stop. Without a new one, nobody would continue us.
        let _ = self.0.0.ensure_watchdog();
        self.announce(|state| state.stops = StopPolicy::Freeze);
        let begun = Instant::now();
        let done = stop();
        self.announce(|state| {
            state.stops = StopPolicy::Continue;
            state.deadline = state.deadline.and_then(|end| end.checked_add(begun.elapsed()));
        });
        done
    }

    fn announce(&self, change: impl FnOnce(&mut WatchedState)) {
        if let Some(watchdog) = self.0.0.watchdog.get() {
            watchdog.announce(change);
        }
    }
}

impl Drop for KeepAwake {
    fn drop(&mut self) {
        self.announce(|state| *state = WatchedState::default());
    }
}
