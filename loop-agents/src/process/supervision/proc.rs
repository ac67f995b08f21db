//! Reads information about processes from `/proc`.

use std::{fs, str::FromStr};

use rustix::{
    fd::OwnedFd,
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid},
};

use super::system;

/// A process that was found. Its descriptor always refers to the same process, while its PID can be reused.
#[derive(Debug)]
pub(super) struct ProcessHandle {
    pub(super) pid: Pid,
    /// `None` if no more descriptors are available. That is safe only for a child of ours, because its PID cannot be
    /// reused until we reap it.
    pub(super) fd: Option<OwnedFd>,
}

impl ProcessHandle {
    /// Takes hold of a process. Returns `None` if it is gone, or if we cannot hold it. Check the process's properties
    /// after this call, not before, because its PID may have been reused.
    pub(super) fn held(pid: Pid) -> Option<Self> {
        system::hold(pid).ok().map(|fd| Self { pid, fd: Some(fd) })
    }

    /// Takes hold of a child of ours.
    pub(super) fn child(pid: Pid) -> Self {
        Self { pid, fd: system::hold(pid).ok() }
    }

    /// Sends a signal, unless the process is gone. Returns false if we lack permission.
    pub(super) fn signal(&self, signal: Signal) -> bool {
        let sent = match &self.fd {
            Some(fd) => system::signal(fd, signal),
            None => kill_process(self.pid, signal),
        };
        sent != Err(Errno::PERM)
    }
}

/// Reaps a child if it has ended.
pub(super) fn reap(pid: Pid) {
    // An error means that it is not our child, so another process has to reap it.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
}

/// Returns the children of this process, including those that it adopted.
pub(super) fn children() -> Vec<Pid> {
    children_of(getpid())
}

/// Returns the children of a process.
pub(super) fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    match lists.collect::<Result<Vec<_>, _>>() {
        Ok(lists) => lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(pid).collect(),
        // A thread ended in the meantime, or the kernel keeps no such list.
        Err(_) => children_by_parent(parent),
    }
}

/// Finds the children of a process among all processes.
fn children_by_parent(parent: Pid) -> Vec<Pid> {
    let is_child = |pid: &Pid| Stat::of(*pid).is_some_and(|stat| stat.parent == Some(parent));
    all().into_iter().filter(is_child).collect()
}

/// Takes hold of the living descendants of `roots`, without the roots themselves.
pub(super) fn descendants(roots: &[Pid]) -> Vec<ProcessHandle> {
    let mut descendants = Vec::new();
    let mut parents = roots.to_vec();
    while let Some(parent) = parents.pop() {
        let children = children_of(parent).into_iter().filter_map(ProcessHandle::held);
        // A process that is still our child cannot have had its PID reused.
        for child in
            children.filter(|child| Stat::of(child.pid).is_some_and(|stat| stat.parent == Some(parent)))
        {
            parents.push(child.pid);
            descendants.push(child);
        }
    }
    descendants
}

/// Returns all processes that we can see.
pub(super) fn all() -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| pid(entry.file_name().to_str()?)).collect()
}

/// Returns whether a process of this group has not ended.
#[cfg(feature = "servers")]
pub(crate) fn lives_in_group(leader: Pid) -> bool {
    let is_member = |stat: Stat| !stat.ended && stat.group == Some(leader);
    all().into_iter().filter_map(Stat::of).any(is_member)
}

/// Returns a process's name in the system's lists, or an empty string if it is gone.
pub(super) fn name(pid: Pid) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// Returns a process's command line, or its name if it has none.
pub(super) fn command_line(pid: Pid) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&words).replace('\0', " ");
    if line.trim().is_empty() { name(pid) } else { line.trim().to_owned() }
}

/// Parses a PID, if the text is one. The kernel shows -1 as the group and the session of a process that is vanishing.
fn pid(text: &str) -> Option<Pid> {
    i32::from_str(text).ok().filter(|number| *number > 0).and_then(Pid::from_raw)
}

/// The contents of `/proc/PID/stat`; see `proc_pid_stat(5)`. The number 0 means a process outside of our PID namespace,
/// and becomes `None`. In a container, the leader of the session is often outside, ours too. The library calls for
/// these numbers assume that there always is one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// The process has ended, and waits for its parent to reap it.
    pub(super) ended: bool,
    /// The process that has to reap it.
    pub(super) parent: Option<Pid>,
    pub(super) group: Option<Pid>,
    pub(super) session: Option<Pid>,
}

impl Stat {
    pub(super) fn of(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = fields(line)?;
        let ended = matches!(fields.next()?, "Z" | "X");
        let mut next = || fields.next().map(pid);
        Some(Self { ended, parent: next()?, group: next()?, session: next()? })
    }
}

/// Returns the fields that follow the name, beginning with the state.
fn fields(line: &[u8]) -> Option<impl Iterator<Item = &str>> {
    // A process chooses its own name, which may contain parentheses and spaces.
    let name_end = line.iter().rposition(|byte| *byte == b')')?;
    Some(std::str::from_utf8(&line[name_end + 1..]).ok()?.split_ascii_whitespace())
}

/// Returns true if a process has neither ended nor stopped.
pub(super) fn is_running(pid: Pid) -> bool {
    Stat::of(pid).is_some_and(|stat| !stat.ended) && StopState::of(pid).is_none()
}

/// The reason why a process is stopped now.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StopState {
    /// The signal that stopped it. `None` if the kernel does not report it, as Linux before 5.17.
    signal: Option<i32>,
    /// Whether it has a terminal whose foreground group is now another one.
    in_background: bool,
}

impl StopState {
    /// Returns `None` if the process is not stopped.
    pub(super) fn of(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let fields: Vec<_> = fields(line)?.collect();
        let number = |at: usize| fields.get(at).and_then(|field| i32::from_str(field).ok());
        // These are fields 5, 7, 8 and 52 of proc_pid_stat(5), which counts from 1 and starts before the name.
        let (group, terminal, foreground, signal) = (number(2), number(4)?, number(5), number(49));
        let in_background = terminal != 0 && foreground != group;
        let stop = Self { signal: signal.filter(|signal| *signal > 0), in_background };
        (fields.first() == Some(&"T")).then_some(stop)
    }

    /// Returns true if a person may want this stop: by Ctrl+Z or `kill -TSTP`, or by the terminal's driver, because the
    /// process read or wrote in the background.
    pub(super) fn is_by_person(&self) -> bool {
        let is_stop = |signal: i32| signal == Signal::TSTP.as_raw();
        let is_for_terminal =
            |signal| [Signal::TTIN, Signal::TTOU].iter().any(|stop| stop.as_raw() == signal);
        let in_background = self.in_background && self.signal.is_none_or(is_for_terminal);
        in_background || self.signal.is_some_and(is_stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn both_ways_to_find_children_find_those_of_the_parent_that_is_meant() {
        use std::{io::Read, process};

        let mut shell = process::Command::new("/bin/sh");
        // The shell prints the line once the child exists. The end of the input ends both.
        shell.args(["-c", "exec 3<&0; cat <&3 >/dev/null & echo; wait"]);
        let mut shell = shell.stdin(process::Stdio::piped()).stdout(process::Stdio::piped()).spawn().unwrap();
        shell.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let parent = Pid::from_child(&shell);
        let children = children_of(parent);
        assert_eq!(children.len(), 1);
        assert_eq!(children_by_parent(parent), children);
        assert_eq!(descendants(&[parent]).iter().map(|found| found.pid).collect::<Vec<_>>(), children);
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }

    #[test]
    fn a_name_can_say_what_it_likes() {
        let stat = Stat::parse(b"7 (a) Z 9 \xFF) S 5 7 8 0 -1").unwrap();
        let (parent, group, session) = (Pid::from_raw(5), Pid::from_raw(7), Pid::from_raw(8));
        assert_eq!(stat, Stat { ended: false, parent, group, session });
        let outside = Stat { ended: true, parent: None, group: None, session: None };
        assert_eq!(Stat::parse(b"7 (x) Z 0 0 0 0 -1").unwrap(), outside);
        assert_eq!(Stat::parse(b"7 (x) Z 0 -1 -1 0 -1").unwrap(), outside);
        assert_eq!(Stat::parse(b"7"), None);
    }

    #[test]
    fn a_stop_is_a_persons_by_tstp_or_in_the_background_by_the_terminals_signals() {
        let line = |state: &str, terminal: &str, foreground: &str, signal: i32| {
            let unused = "0 ".repeat(43);
            format!("7 (a b) {state} 5 7 8 {terminal} {foreground} {unused}{signal}").into_bytes()
        };
        let is_by_person = |line: &[u8]| StopState::parse(line).map(|stop| stop.is_by_person());
        let tstp = Signal::TSTP.as_raw();
        assert_eq!(is_by_person(&line("T", "34816", "7", tstp)), Some(true));
        assert_eq!(is_by_person(&line("T", "0", "-1", tstp)), Some(true));
        let (stop, ttin, ttou) = (Signal::STOP.as_raw(), Signal::TTIN.as_raw(), Signal::TTOU.as_raw());
        for (signal, background) in [(stop, false), (ttin, true), (ttou, true), (0, true)] {
            assert_eq!(is_by_person(&line("S", "34816", "9", signal)), None);
            assert_eq!(is_by_person(&line("T", "34816", "9", signal)), Some(background));
            assert_eq!(is_by_person(&line("T", "34816", "7", signal)), Some(false));
            assert_eq!(is_by_person(&line("T", "0", "-1", signal)), Some(false));
        }
    }
}
