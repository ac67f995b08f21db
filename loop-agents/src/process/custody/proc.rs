//! What the system tells of its processes, under `/proc`.

use std::{fs, str::FromStr};

use rustix::{
    fd::OwnedFd,
    process::{Pid, WaitId, WaitIdOptions, waitid},
};

use super::system;

/// A process that cannot be mistaken for another: its number may be given away, its descriptor not.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) pid: Pid,
    pub(super) fd: OwnedFd,
}

impl Found {
    /// Takes hold of a process. Whoever finds it by what it is has to look only afterwards.
    pub(super) fn hold(pid: Pid) -> Option<Self> {
        system::hold(pid).map(|fd| Self { pid, fd })
    }

    /// Kills it, unless it is gone; false if we may not.
    pub(super) fn kill(&self) -> bool {
        system::kill(&self.fd)
    }

    /// Takes it off the system's list if it is a child of ours and has ended.
    pub(super) fn reap(&self) {
        reap(self.pid);
    }
}

/// Takes a child off the system's list if it has ended.
pub(super) fn reap(pid: Pid) {
    // What is not our child is somebody else's to reap.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
}

/// The children of this process, those that it inherited included.
pub(super) fn children() -> Vec<Pid> {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    match lists.collect::<Result<Vec<_>, _>>() {
        Ok(lists) => lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(pid).collect(),
        // A thread that ended meanwhile, or a system that keeps no such list.
        Err(_) => {
            let own = rustix::process::getpid();
            all()
                .into_iter()
                .filter(|pid| Stat::of(*pid).is_some_and(|stat| stat.parent == Some(own)))
                .collect()
        }
    }
}

/// All processes that can be seen from here.
pub(super) fn all() -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| pid(entry.file_name().to_str()?)).collect()
}

fn pid(text: &str) -> Option<Pid> {
    i32::from_str(text).ok().and_then(Pid::from_raw)
}

/// What `/proc/PID/stat` says; see `proc_pid_stat(5)`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// It has ended, and waits for its parent to hear of it.
    pub(super) ended: bool,
    /// Who will hear of its end; none if that is outside of what can be seen from here.
    pub(super) parent: Option<Pid>,
}

impl Stat {
    pub(super) fn of(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        // The name in parentheses is the process's own choice, parentheses and spaces included.
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(&line[name_end + 1..]).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let (state, parent) = (fields.next()?, fields.next()?);
        Some(Self { ended: matches!(state, "Z" | "X"), parent: pid(parent) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_say_what_it_likes() {
        let stat = Stat::parse(b"7 (a) Z 9 \xFF) S 5 7 7 0 -1").unwrap();
        assert_eq!(stat, Stat { ended: false, parent: Pid::from_raw(5) });
        assert_eq!(Stat::parse(b"7 (x) Z 0 7").unwrap(), Stat { ended: true, parent: None });
        assert_eq!(Stat::parse(b"7"), None);
    }
}
