//! Ending processes that have had their time.

use std::{
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal},
};

use super::proc::{Found, reap};

/// How long the system has to carry out a KILL before we go on without it: a process that
/// hangs inside the kernel (a dead network disk) does not die, and must not hold us too.
pub(in crate::process) const KILL_TIME: Duration = Duration::from_secs(2);

/// How long to wait for the death of a process of which no event can be had.
pub(super) const BLIND_WAIT: Duration = Duration::from_millis(5);

/// Kills what `find` finds, and looks again, until it finds nothing: whoever was killed may just have
/// started another, or left one behind. Blocks for about [`KILL_TIME`] at most. Gives those that would not
/// go, or that we may not kill.
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

/// Blocks until a process is dead, for this time at most, or until a signal interrupts the wait. If no event can be
/// had of it, it blocks for a moment only.
pub(super) fn await_death(found: &Found, time: Duration) {
    match (&found.fd, Timespec::try_from(time)) {
        (Some(fd), Ok(time)) => drop(poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&time))),
        _ => thread::sleep(BLIND_WAIT),
    }
}

/// Some rounds of looking and killing.
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

    /// Kills what was found, and gives whose death is to be awaited; none if the hunt is over.
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
