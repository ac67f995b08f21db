//! Kills processes and waits for their death.

use std::{
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal},
};

use super::proc::{ProcessHandle, reap};

/// How long the kernel has to carry out a KILL before we go on without it. A process that hangs inside the kernel, for
/// example on a dead network disk, does not die and must not block us.
pub(in crate::process) const KILL_TIME: Duration = Duration::from_secs(2);

/// How long to wait for the death of a process if we cannot get an event for it.
pub(super) const BLIND_WAIT: Duration = Duration::from_millis(5);

/// Kills the processes that `find` returns, and repeats until it returns none: a killed process may just have started
/// another one. Blocks for about [`KILL_TIME`] at most. Returns the processes that did not die, or that we may not
/// kill.
pub(super) fn end_all(find: impl Fn() -> Vec<ProcessHandle>) -> Vec<Pid> {
    let mut rounds = KillRounds::begin();
    while let Some(killed) = rounds.round(find()) {
        for found in &killed {
            // A signal may interrupt this wait. The next round then finds the process again.
            await_death(found, rounds.time_left());
            reap(found.pid);
        }
    }
    rounds.survivors
}

/// Blocks until a process is dead, for this time at most, or until a signal interrupts the wait. Without an event for
/// the process, it blocks for a moment only.
pub(super) fn await_death(found: &ProcessHandle, time: Duration) {
    match (&found.fd, Timespec::try_from(time)) {
        (Some(fd), Ok(time)) => drop(poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&time))),
        _ => thread::sleep(BLIND_WAIT),
    }
}

/// Repeated rounds of finding and killing.
struct KillRounds {
    deadline: Instant,
    survivors: Vec<Pid>,
}

impl KillRounds {
    fn begin() -> Self {
        Self { deadline: Instant::now() + KILL_TIME, survivors: Vec::new() }
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Kills the processes that were found, and returns those whose death to await. Returns `None` when there is
    /// nothing more to kill, or no time left.
    fn round(&mut self, mut found: Vec<ProcessHandle>) -> Option<Vec<ProcessHandle>> {
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
