//! Runs that are met from outside: ending what is left of dead ones, and waking those that were left stopped.

use std::{cell::RefCell, collections::BTreeMap, fs, time::Instant};

use rustix::process::{Pid, Signal};

use super::{
    cgroup::{Cgroup, Hierarchy},
    guardian::NAME,
    kill::{KILL_TIME, await_death, end_all},
    mark::{Mark, carriers_of},
    number,
    proc::{self, Found, Stop},
};

/// A process of a run that is over, found by its mark or its control group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Swept {
    /// Its number.
    pub pid: u32,
    /// What the system called it.
    pub name: String,
    /// Whether it could be ended.
    pub ended: bool,
}

/// Ends whatever still carries the mark of one of these runs, or is in a control group of theirs. Their processes have
/// to be dead, and nobody may go on with them meanwhile: what a living run is doing would be ended too.
///
/// A guardian that has just noticed the death of its run does the same work. The sweep waits for it first, and reports
/// only what the guardian did not end.
///
/// Blocks until they are gone: for about two seconds at most, and two more if a guardian does not end.
///
/// ```
/// use loop_agents::process::sweep;
///
/// assert_eq!(sweep(&["a-run-that-never-was"]), []);
/// ```
pub fn sweep(runs: &[&str]) -> Vec<Swept> {
    if runs.is_empty() {
        return Vec::new();
    }
    await_guardians(runs);
    let marks: Vec<_> = runs.iter().map(|run| Mark::new((*run).to_owned())).collect();
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
    swept.map(|(pid, name)| Swept { pid, name, ended: !survivors.contains(&pid) }).collect()
}

/// Continues the process of a living run if somebody has stopped it and has ended its guardian, or stopped that too:
/// then nobody else would, and the run's commands work on without limits. Gives whether there was anything to do.
///
/// ```
/// use loop_agents::process::wake;
///
/// assert!(!wake("a-run-that-never-was"));
/// ```
pub fn wake(run: &str) -> bool {
    let mark = Mark::new(run.to_owned());
    if proc::all().into_iter().any(|pid| is_awake_guardian(pid, &[run])) {
        return false;
    }
    let stopped = mark.owners().into_iter().filter(|found| Stop::of(found.pid).is_some());
    stopped.filter(|found| found.signal(Signal::CONT)).count() > 0
}

/// Blocks until the guardians of these runs have done their work, for about [`KILL_TIME`] at most.
fn await_guardians(runs: &[&str]) {
    let held = proc::all().into_iter().filter(|pid| is_awake_guardian(*pid, runs)).filter_map(Found::held);
    let deadline = Instant::now() + KILL_TIME;
    for guardian in held {
        // A signal interrupts the wait.
        while is_awake_guardian(guardian.pid, runs) && Instant::now() < deadline {
            await_death(&guardian, deadline.saturating_duration_since(Instant::now()));
        }
    }
}

/// Whether this is the guardian of one of these runs, and neither ended nor stopped.
fn is_awake_guardian(pid: Pid, runs: &[&str]) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0);
    let is_guardian = words.next() == Some(NAME.as_bytes());
    // Its arguments end with the run: one empty word follows the last zero.
    let run = words.next().filter(|_| is_guardian && words.eq([b""]));
    run.is_some_and(|run| runs.iter().any(|known| known.as_bytes() == run)) && Stop::of(pid).is_none()
}
