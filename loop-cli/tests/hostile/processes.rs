//! The living processes, as the system reports them.

use std::{
    fmt::Display,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{child_processes::children, run_case::SLACK, support::wait_until};

/// Returns all processes with this mark in their command lines. Zombies have no command line.
pub(crate) fn marked(mark: &str) -> Vec<Pid> {
    let own = std::process::id().to_string();
    let entries = fs::read_dir("/proc").expect("processes can be listed");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names
        .filter(|name| *name != own)
        .filter(|name| String::from_utf8_lossy(&command_line(name)).contains(mark))
        .filter_map(|name| Pid::from_raw(name.parse().ok()?))
        .collect()
}

/// Waits until all processes with this mark have ended. They have [`SLACK`] for this.
pub(crate) fn all_die(mark: &str) {
    let begun = Instant::now();
    wait_until("everybody is dead", || marked(mark).is_empty());
    assert!(begun.elapsed() < SLACK, "they lived for {:?}", begun.elapsed());
}

/// Returns the watchdog of this loop, if it has one: a child with that name.
pub(crate) fn watchdog(of: u32) -> Option<Pid> {
    let named = |child: &str| {
        let name = fs::read(format!("/proc/{child}/comm")).unwrap_or_default();
        String::from_utf8_lossy(&[name, command_line(child)].concat()).contains("guardian")
    };
    Pid::from_raw(children(of).into_iter().find(|child| named(child) && is_alive(child))?.parse().ok()?)
}

/// Waits until this process is gone.
pub(crate) fn dies(pid: Pid) {
    wait_until("it is gone", || !is_alive(&pid.to_string()));
}

/// Sends a process a signal, even if it is not our child.
pub(crate) fn signal(pid: Pid, signal: Signal) {
    // Failing means that it is gone already.
    let _ = kill_process(pid, signal);
}

/// Kills a process, even if it is not our child.
pub(crate) fn kill(pid: Pid) {
    signal(pid, Signal::KILL);
}

/// Returns the peak memory of a process, in bytes.
pub(crate) fn peak_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process is there");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kibibytes * 1024
}

/// Returns whether this process is stopped.
pub(crate) fn is_stopped(pid: impl Display) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") T "))
}

/// Returns whether this process runs: a zombie no longer has a command line.
pub(crate) fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists() && !command_line(pid).is_empty()
}

fn command_line(pid: &str) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()
}

/// Returns whether a process can create a control group below its own, and move into it. A process that does nothing
/// else tries it.
pub(crate) fn control_groups_can_be_used() -> bool {
    let line = r#"
        mount=$(sed -n 's/^[0-9]* [0-9]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
        own=$mount$(sed -n 's/^0:://p' /proc/self/cgroup)
        mkdir "$own/trial-$$" && echo 0 > "$own/trial-$$/cgroup.procs" && echo 0 > "$own/cgroup.procs" &&
            rmdir "$own/trial-$$"
    "#;
    Command::new("sh").args(["-c", line]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
