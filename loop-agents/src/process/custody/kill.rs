//! Ending processes that have had their time.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::Pid,
};

use super::proc::Found;

/// How long the system has to carry out a KILL before we go on without it: a process that
/// hangs inside the kernel (a dead network disk) does not die, and must not hold us too.
pub(in crate::process) const KILL_TIME: Duration = Duration::from_secs(2);

/// Kills what `find` finds, and looks again, until it finds nothing: whoever was killed may just have
/// started another, or left one behind. Blocks for [`KILL_TIME`] at most. Gives those that would not
/// go, or that we may not kill.
pub(super) fn end_all(find: impl Fn() -> Vec<Found>) -> Vec<Pid> {
    let deadline = Instant::now() + KILL_TIME;
    let mut spared = Vec::new();
    loop {
        let mut found = find();
        found.retain(|found| !spared.contains(&found.pid));
        if found.is_empty() {
            return spared;
        }
        if Instant::now() >= deadline {
            spared.extend(found.iter().map(|found| found.pid));
            return spared;
        }
        let (killed, forbidden): (Vec<_>, Vec<_>) = found.into_iter().partition(Found::kill);
        spared.extend(forbidden.iter().map(|found| found.pid));
        wait_for(&killed, deadline);
        killed.iter().for_each(Found::reap);
    }
}

/// Blocks until all have ended, or the time is over.
fn wait_for(found: &[Found], deadline: Instant) {
    for found in found {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else { return };
        // An interrupted wait is taken up again in the next round.
        let _ = poll(&mut [PollFd::new(&found.fd, PollFlags::IN)], Some(&left));
    }
}
