//! Continues a run that was left stopped.

use std::{fs, iter, os::unix::fs::MetadataExt};

use rustix::process::{Pid, Signal, getpid};

use super::{
    cgroup::{Cgroup, Hierarchy},
    freezer::Freezer,
    proc::{self, ProcessHandle, Stat, StopState, is_running},
    process_mark::ProcessMark,
    sweep::is_named_watchdog,
};

/// Continues the process of a living run if somebody has stopped it, or has frozen its control group, and its watchdog
/// does not continue it. Otherwise the run's commands would work on without limits. Returns whether there was anything
/// to do.
///
/// `process` is the number of the run's process, if you know it. An agent can take the second mark from that process, so
/// that the search for marks does not find it.
///
/// A run that was [stopped on purpose](super::suspend) stays stopped: it has a watchdog, and all of its processes stand
/// still. Its watchdog has to be the same program as the run's own process.
///
/// ```
/// use loop_agents::process::wake;
///
/// assert!(!wake("a-run-that-never-was", None));
/// ```
pub fn wake(run: &str, process: Option<u32>) -> bool {
    let mark = ProcessMark::new(run.to_owned());
    let known = process.and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
    // A daemon of the run can look like the run's own process, but it is a descendant of that process.
    let mut owners = mark.owners();
    owners.retain(|owner| Some(owner.pid) != known);
    owners.extend(known.and_then(ProcessHandle::held));
    let is_below = |pid: Pid| {
        let mut above = iter::successors(parent(pid), |pid| parent(*pid));
        above.any(|pid| owners.iter().any(|owner| owner.pid == pid))
    };
    let tops = owners.iter().filter(|owner| !is_below(owner.pid));
    tops.filter(|owner| is_woken(owner, &mark)).count() > 0
}

fn is_woken(owner: &ProcessHandle, mark: &ProcessMark) -> bool {
    let is_thawed = Freezer::of_system().thaw(owner.pid);
    let is_left = StopState::of(owner.pid).is_some() && !is_suspended(owner.pid, mark);
    is_left && owner.signal(Signal::CONT) || is_thawed
}

/// Returns true if a watchdog knows that this process is stopped, and if nothing of the run works meanwhile. A process
/// that only imitates a watchdog is not the same program, or works.
fn is_suspended(owner: Pid, mark: &ProcessMark) -> bool {
    let watchdogs: Vec<_> =
        proc::children_of(owner).into_iter().filter(|child| is_watchdog(*child, owner, mark.run())).collect();
    let session = Stat::of(owner).and_then(|stat| stat.session);
    // No command is ever in the session of the run's own process.
    let mut others = proc::descendants(&[owner]);
    others.retain(|found| Stat::of(found.pid).is_some_and(|stat| stat.session != session));
    others.extend(mark.carriers());
    let groups = Hierarchy::of_system().map_or_else(Vec::new, |system| system.groups_of(&[mark.run()]));
    others.extend(groups.iter().flat_map(Cgroup::members));
    let known = |pid: Pid| [owner, getpid()].contains(&pid) || watchdogs.contains(&pid);
    !watchdogs.is_empty() && !others.iter().any(|found| !known(found.pid) && is_running(found.pid))
}

/// Returns true if this process is the awake watchdog of that one.
fn is_watchdog(pid: Pid, owner: Pid, run: &str) -> bool {
    let program =
        |pid: Pid| fs::metadata(format!("/proc/{pid}/exe")).map(|file| (file.dev(), file.ino())).ok();
    // With variables, somebody could load code into the program.
    let has_no_variables =
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| environment.is_empty());
    is_named_watchdog(pid, run)
        && has_no_variables
        && program(pid).is_some_and(|watchdog| Some(watchdog) == program(owner))
        && parent(pid) == Some(owner)
        && is_running(pid)
}

fn parent(pid: Pid) -> Option<Pid> {
    Stat::of(pid)?.parent
}
