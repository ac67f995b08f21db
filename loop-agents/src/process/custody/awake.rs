//! Keeps this process from staying stopped.

use std::time::{Duration, Instant};

use super::{Custody, guardian::Announced, standing::Stops};

/// Keeps this process running until the value is dropped: see [`Custody::keep_awake`]. A custody has one at a time.
///
/// If an agent stops this process with SIGSTOP, no limit applies, while the agent works on. So the guardian looks at
/// this process four times a second:
///
/// - If somebody has stopped it, the guardian continues it, even after a person's `kill -STOP`.
/// - If somebody keeps stopping it for about two seconds, the guardian ends the run's processes.
/// - If the time that [`ends_within`](Self::ends_within) set is over, the guardian ends them as well.
/// - While it is stopped [on purpose](Self::suspend), or by its terminal for reading or writing in the background, the
///   guardian stops the run's processes too.
#[derive(Debug)]
#[must_use = "nobody is kept awake once it is dropped"]
pub struct KeepAwake(Custody);

impl KeepAwake {
    pub(super) fn begin(custody: Custody) -> Self {
        let awake = Self(custody);
        awake.announce(|announced| announced.stops = Stops::Refused);
        awake
    }

    /// Makes the guardian end the run's processes after this time, whatever the state of this process by then. `None`
    /// removes the deadline. Set the time by which this process itself would end them, grace time included.
    pub fn ends_within(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.announce(|announced| announced.deadline = deadline);
    }

    /// Calls `stop`, which stops this process on purpose and returns when it continues. The deadline pauses in between.
    pub fn suspend<T>(&self, stop: impl FnOnce() -> T) -> T {
        // A missing guardian would not hear of this stop. Without a new one, nobody would continue us.
        let _ = self.0.0.keep_guarded();
        self.announce(|announced| announced.stops = Stops::Announced);
        let begun = Instant::now();
        let done = stop();
        self.announce(|announced| {
            announced.stops = Stops::Refused;
            announced.deadline = announced.deadline.and_then(|end| end.checked_add(begun.elapsed()));
        });
        done
    }

    fn announce(&self, change: impl FnOnce(&mut Announced)) {
        if let Some(guardian) = self.0.0.guardian.get() {
            guardian.announce(change);
        }
    }
}

impl Drop for KeepAwake {
    fn drop(&mut self) {
        self.announce(|announced| *announced = Announced::default());
    }
}
