//! Kills processes and waits for their death.

use std::{
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal},
};

use super::proc::{Found, reap};

/// How long the kernel has to carry out a KILL before we go on without it. A process that hangs inside the kernel, for
/// example on a dead network disk, does not die and must not block us.
pub(in crate::process) const KILL_TIME: Duration = Duration::from_secs(2);

/// How long to wait for the death of a process if we cannot get an event for it.
pub(super) const BLIND_WAIT: Duration = Duration::from_millis(5);

/// Kills the processes that `find` returns, and repeats until it returns none: a killed process may just have started
/// another one. Blocks for about [`KILL_TIME`] at most. Returns the processes that did not die, or that we may not
/// kill.
pub(super) fn end_all(find: impl Fn() -> Vec<Found>) -> Vec<Pid> {
    let mut hunt = Hunt::begin();
    while let Some(killed) = hunt.round(find()) {
        for found in &killed {
            // A signal may interrupt this wait. The next round then finds the process again.
            await_death(found, hunt.time_left());
            reap(found.pid);
        }
    }
    hunt.survivors
}

/// Blocks until a process is dead, for this time at most, or until a signal interrupts the wait. Without an event for
/// the process, it blocks for a moment only.
pub(super) fn await_death(found: &Found, time: Duration) {
    match (&found.fd, Timespec::try_from(time)) {
        (Some(fd), Ok(time)) => drop(poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&time))),
        _ => thread::sleep(BLIND_WAIT),
    }
}

/// Repeated rounds of finding and killing.
struct Hunt {
    deadline: Instant,
    survivors: Vec<Pid>,
}

impl Hunt {
    fn begin() -> Self {
        Self { deadline: Instant::now() + KILL_TIME, survivors: Vec::new() }
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Kills the processes that were found, and returns those whose death to await. Returns `None` if the hunt is over.
    fn round(&mut self, mut found: Vec<Found>) -> Option<Vec<Found>> {
        found.retain(|found| !self.survivors.contains(&found.pid));
        if found.is_empty() {
            return None;
        }
        let in_time = !self.time_left().is_zero();
        let (killed, survivors): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|found| in_time && found.signal(Signal::KILL));
        self.survivors.extend(survivors.iter().map(|found| found.pid));
        in_time.then_some(killed)
    }
}
