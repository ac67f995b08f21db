//! What the system tells of its processes, under `/proc`.

use std::{fs, str::FromStr};

use rustix::{
    fd::OwnedFd,
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid},
};

use super::system;

/// A process that was found. Held by a descriptor it cannot be mistaken for another: its number may be given
/// away, its descriptor not.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) pid: Pid,
    /// None if no more descriptors can be had. Only a child of ours can be handled without: its number is
    /// ours to give away.
    pub(super) fd: Option<OwnedFd>,
}

impl Found {
    /// Takes hold of a process; none if it is gone, or nothing of it can be held. Whoever finds it by what it
    /// is has to look only afterwards.
    pub(super) fn held(pid: Pid) -> Option<Self> {
        system::hold(pid).ok().map(|fd| Self { pid, fd: Some(fd) })
    }

    /// Takes hold of a child of ours.
    pub(super) fn child(pid: Pid) -> Self {
        Self { pid, fd: system::hold(pid).ok() }
    }

    /// Sends a signal, unless it is gone; false if we may not.
    pub(super) fn signal(&self, signal: Signal) -> bool {
        let sent = match &self.fd {
            Some(fd) => system::signal(fd, signal),
            None => kill_process(self.pid, signal),
        };
        sent != Err(Errno::PERM)
    }
}

/// Takes a child off the system's list if it has ended.
pub(super) fn reap(pid: Pid) {
    // What is not our child is somebody else's to reap.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
}

/// The children of this process, those that it inherited included.
pub(super) fn children() -> Vec<Pid> {
    children_of(getpid())
}

/// The children of a process.
pub(super) fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    match lists.collect::<Result<Vec<_>, _>>() {
        Ok(lists) => lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(pid).collect(),
        // A thread that ended meanwhile, or a system that keeps no such list.
        Err(_) => children_by_parent(parent),
    }
}

/// The children of a process, found among all.
fn children_by_parent(parent: Pid) -> Vec<Pid> {
    let is_child = |pid: &Pid| Stat::of(*pid).is_some_and(|stat| stat.parent == Some(parent));
    all().into_iter().filter(is_child).collect()
}

/// The living descendants of `roots`, held, without the roots themselves.
pub(super) fn descendants(roots: &[Pid]) -> Vec<Found> {
    let mut descendants = Vec::new();
    let mut parents = roots.to_vec();
    while let Some(parent) = parents.pop() {
        let children = children_of(parent).into_iter().filter_map(Found::held);
        // Who is still its child now has been it all the time, and so has its number.
        for child in
            children.filter(|child| Stat::of(child.pid).is_some_and(|stat| stat.parent == Some(parent)))
        {
            parents.push(child.pid);
            descendants.push(child);
        }
    }
    descendants
}

/// All processes that can be seen from here.
pub(super) fn all() -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| pid(entry.file_name().to_str()?)).collect()
}

/// What a process is called in the system's lists; empty if it is gone.
pub(super) fn name(pid: Pid) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// A number of a process, if it is one: the system says -1 for the group and the session of a process that is vanishing.
fn pid(text: &str) -> Option<Pid> {
    i32::from_str(text).ok().filter(|number| *number > 0).and_then(Pid::from_raw)
}

/// What `/proc/PID/stat` says; see `proc_pid_stat(5)`. Who is outside of what can be seen from here has the
/// number 0, and is none: in a container the session is often led from outside, ours too. The calls that ask
/// for one of these take it that there is always a number.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// It has ended, and waits for its parent to hear of it.
    pub(super) ended: bool,
    /// Who will hear of its end.
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

/// The fields that follow the name, the state first.
fn fields(line: &[u8]) -> Option<impl Iterator<Item = &str>> {
    // The name in parentheses is the process's own choice, parentheses and spaces included.
    let name_end = line.iter().rposition(|byte| *byte == b')')?;
    Some(std::str::from_utf8(&line[name_end + 1..]).ok()?.split_ascii_whitespace())
}

/// How a process was stopped that is stopped now.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stop {
    /// The signal that did it; none if the system does not say, as Linux before 5.17.
    signal: Option<i32>,
    /// Whether it has a terminal, which belongs to another group now.
    in_background: bool,
}

impl Stop {
    /// None if the process is not stopped.
    pub(super) fn of(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let fields: Vec<_> = fields(line)?.collect();
        let number = |at: usize| fields.get(at).and_then(|field| i32::from_str(field).ok());
        // Fields 5, 7, 8 and 52 of proc_pid_stat(5), which counts from 1 and begins before the name.
        let (group, terminal, foreground, signal) = (number(2), number(4)?, number(5), number(49));
        let in_background = terminal != 0 && foreground != group;
        let stop = Self { signal: signal.filter(|signal| *signal > 0), in_background };
        (fields.first() == Some(&"T")).then_some(stop)
    }

    /// Whether the terminal's driver can have stopped it, because it read or wrote in the background.
    pub(super) fn is_for_terminal(&self) -> bool {
        let by = |signal| [Signal::TTIN, Signal::TTOU].iter().any(|stop| stop.as_raw() == signal);
        self.in_background && self.signal.is_none_or(by)
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
        // The line comes when the child is there; the end of the input ends them both.
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
    fn a_stop_is_the_terminals_only_in_its_background_and_by_its_signals() {
        let line = |state: &str, terminal: &str, foreground: &str, signal: i32| {
            let unused = "0 ".repeat(43);
            format!("7 (a b) {state} 5 7 8 {terminal} {foreground} {unused}{signal}").into_bytes()
        };
        let is_for_terminal = |line: &[u8]| Stop::parse(line).map(|stop| stop.is_for_terminal());
        let (stop, ttin, ttou) = (Signal::STOP.as_raw(), Signal::TTIN.as_raw(), Signal::TTOU.as_raw());
        for (signal, background) in [(stop, false), (ttin, true), (ttou, true), (0, true)] {
            assert_eq!(is_for_terminal(&line("S", "34816", "9", signal)), None);
            assert_eq!(is_for_terminal(&line("T", "34816", "9", signal)), Some(background));
            assert_eq!(is_for_terminal(&line("T", "34816", "7", signal)), Some(false));
            assert_eq!(is_for_terminal(&line("T", "0", "-1", signal)), Some(false));
        }
    }
}
