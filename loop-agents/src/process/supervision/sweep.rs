//! Cleans up dead runs from outside: ends their leftover processes.

use std::{cell::RefCell, collections::BTreeMap, fs, io, time::Instant};

use rustix::process::Pid;

use super::{
    cgroup::{Cgroup, Hierarchy},
    kill::{KILL_TIME, await_death, end_all},
    number,
    proc::{self, ProcessHandle, StopState},
    process_mark::{ProcessMark, carriers_of},
    system,
    watchdog::PROCESS_NAME,
};

/// A process of a run that is over, found by its mark or its control group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweptProcess {
    /// Its PID.
    pub pid: u32,
    /// Its name in the system's list.
    pub name: String,
    /// Whether the sweep ended it.
    pub ended: bool,
}

/// Ends all processes that carry the mark of one of these runs, or are in one of their control groups. The runs' own
/// processes have to be dead, and nobody may resume these runs in the meantime, because the sweep would end the work of
/// a living run too.
///
/// A watchdog that has just noticed the death of its run does the same work. The sweep waits for it first, and reports
/// only the processes that the watchdog did not end.
///
/// Blocks until the processes are gone: for about two seconds at most, and two more if a watchdog does not end.
///
/// ```
/// use loop_agents::process::sweep;
///
/// assert_eq!(sweep(&["a-run-that-never-was"]), []);
/// ```
pub fn sweep(runs: &[&str]) -> Vec<SweptProcess> {
    if runs.is_empty() {
        return Vec::new();
    }
    await_watchdogs(runs);
    let marks: Vec<_> = runs.iter().map(|run| ProcessMark::new((*run).to_owned())).collect();
    let groups = Hierarchy::of_system().map_or_else(Vec::new, |hierarchy| hierarchy.groups_of(runs));
    let names = RefCell::new(BTreeMap::new());
    let survivors = end_all(|| {
        let mut found = carriers_of(&marks);
        found.extend(groups.iter().flat_map(Cgroup::members));
        let mut names = names.borrow_mut();
        for found in &found {
            names.entry(number(found.pid)).or_insert_with(|| proc::name(found.pid));
        }
        found
    });
    groups.iter().for_each(Cgroup::remove);
    let survivors: Vec<_> = survivors.into_iter().map(number).collect();
    let swept = names.into_inner().into_iter();
    swept.map(|(pid, name)| SweptProcess { pid, name, ended: !survivors.contains(&pid) }).collect()
}

/// Checks that this process can read the system's list of processes. If it cannot, a [`sweep`] and the
/// [end](super::Supervisor::end) of a supervisor find nothing.
///
/// ```
/// # #[cfg(target_os = "linux")]
/// assert!(loop_agents::process::check_process_list().is_ok());
/// ```
///
/// # Errors
/// The list cannot be read, for example because a process of the run has lowered the hard limit on open files of this
/// process.
pub fn check_process_list() -> io::Result<()> {
    system::check_process_list()
}

/// Blocks until the watchdogs of these runs have finished, for about [`KILL_TIME`] at most.
fn await_watchdogs(runs: &[&str]) {
    let held = proc::all()
        .into_iter()
        .filter(|pid| seems_awake_watchdog(*pid, runs))
        .filter_map(ProcessHandle::held);
    let deadline = Instant::now() + KILL_TIME;
    for watchdog in held {
        // A signal can interrupt the wait.
        while seems_awake_watchdog(watchdog.pid, runs) && Instant::now() < deadline {
            await_death(&watchdog, deadline.saturating_duration_since(Instant::now()));
        }
    }
}

/// Returns true if this seems to be the watchdog of one of these runs, and neither ended nor stopped. Any process can
/// choose such a command line, so trust it only for a wait that is short.
fn seems_awake_watchdog(pid: Pid, runs: &[&str]) -> bool {
    runs.iter().any(|run| is_named_watchdog(pid, run)) && StopState::of(pid).is_none()
}

/// Returns true if the command line is that of this run's watchdog.
pub(super) fn is_named_watchdog(pid: Pid, run: &str) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    // The run is the last argument. One empty word follows the last NUL.
    line.split(|byte| *byte == 0).eq([PROCESS_NAME.as_bytes(), run.as_bytes(), b""])
}
