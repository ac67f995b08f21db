//! A process that nobody stops but itself.

use std::time::{Duration, Instant};

use super::{Custody, guardian::Announced, standing::Stops};

/// Keeps this process going until it is dropped: see [`Custody::keep_awake`]. There is one at a time in a custody.
///
/// A process that an agent has stopped with SIGSTOP holds no limit, while the agent works on. So the guardian looks
/// at this process four times a second:
///
/// - If somebody has stopped it, the guardian continues it, also if that was a person's `kill -STOP`.
/// - If somebody keeps stopping it, for about two seconds, the guardian ends the run's processes.
/// - If the time is over that [`ends_within`](Self::ends_within) gave, the guardian ends them as well.
/// - While it is stopped [on purpose](Self::suspend), or by its terminal for reading or writing in the background,
///   the guardian stops the run's processes too.
#[derive(Debug)]
#[must_use = "nobody is kept awake once it is dropped"]
pub struct KeepAwake(Custody);

impl KeepAwake {
    pub(super) fn begin(custody: Custody) -> Self {
        let awake = Self(custody);
        awake.announce(|announced| announced.stops = Stops::Refused);
        awake
    }

    /// Has the guardian end the run's processes after this time, whatever has become of this process by then; never
    /// for `None`. It is for the time by which this process ends them itself, grace time included.
    pub fn ends_within(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.announce(|announced| announced.deadline = deadline);
    }

    /// Calls `stop`, which stops this process on purpose and returns when it goes on. The time until then does not
    /// count as time that is left.
    pub fn suspend<T>(&self, stop: impl FnOnce() -> T) -> T {
        // A guardian that is gone would hear of nothing. Without a new one there is nobody to continue us.
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
