//! The children of this process: its commands, its heritage, and the rest.
//!
//! A process whose parent ends is given to the nearest ancestor that asked for such orphans, and to the
//! system's first process if none did. Once this process has asked, whatever a command starts can leave
//! its group, its session and its parents, and is still found: among our own children.
//!
//! Children belong to a process as a whole, so this is known to it as a whole: the one global state of
//! this crate.

use std::{
    io,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, getsid};

use super::{
    kill::KILL_TIME,
    proc::{self, Found},
    system,
};

/// How many are ended at a time: each of them takes a file descriptor.
const AT_ONCE: usize = 128;

static FAMILY: Mutex<Family> = Mutex::new(Family { commands: Vec::new(), heir: None });
static COMMAND_REAPED: Condvar = Condvar::new();

#[derive(Debug)]
struct Family {
    /// The leaders of the commands that run.
    commands: Vec<Pid>,
    heir: Option<Heir>,
}

/// What is known once orphans have been asked for.
#[derive(Debug)]
struct Heir {
    /// Where we are ourselves. No command is ever here, and the host's own children mostly are.
    session: Pid,
    /// Children that are no business of ours: they were there before, guard us, or cannot be ended.
    others: Vec<Pid>,
}

/// Starts a command, which nobody takes for an orphan meanwhile.
pub(in crate::process) fn start(spawn: impl FnOnce() -> io::Result<Pid>) -> io::Result<Pid> {
    let mut family = family();
    let leader = spawn()?;
    family.commands.push(leader);
    Ok(leader)
}

/// Reaps the leader of a command, which has ended. Until then nobody else may, and from then on its
/// number can be another's.
pub(in crate::process) fn reap<T>(leader: Pid, reap: impl FnOnce() -> T) -> T {
    let mut family = family();
    let reaped = reap();
    family.commands.retain(|command| *command != leader);
    COMMAND_REAPED.notify_all();
    reaped
}

/// This process as an heir; there is one at most.
#[derive(Debug)]
pub(super) struct Adoption(());

impl Adoption {
    pub(super) fn begin() -> io::Result<Self> {
        let session = getsid(None)?;
        let mut family = family();
        if family.heir.is_some() {
            let why = "this process looks after its orphans already: share the one custody that does";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let others = proc::children();
        system::ask_for_orphans(true)?;
        family.heir = Some(Heir { session, others });
        Ok(Self(()))
    }

    /// Starts something that is to be let be.
    pub(super) fn spare(&self, start: impl FnOnce() -> io::Result<Pid>) -> io::Result<()> {
        let mut family = family();
        let spared = start()?;
        self.let_be_in(&mut family, &[spared]);
        Ok(())
    }

    /// Has nothing more to do with these.
    pub(super) fn let_be(&self, pids: &[Pid]) {
        self.let_be_in(&mut family(), pids);
    }

    fn let_be_in(&self, family: &mut Family, pids: &[Pid]) {
        family.heir.iter_mut().for_each(|heir| heir.others.extend(pids));
    }

    /// Takes children that have ended off the system's list. Nobody else waits for them, and a system, or
    /// a container more so, has only so many places.
    pub(super) fn reap_orphans(&self) {
        family().orphans().into_iter().for_each(proc::reap);
    }

    /// Whether the command that `leader` led left anything behind.
    pub(super) fn has_orphans_of(&self, leader: Pid) -> bool {
        !family().orphans_of(leader).is_empty()
    }

    /// Takes hold of what the command that `leader` led left behind. While other commands run, an orphan
    /// that has left its session may be theirs, and is for the last of them to take along.
    pub(super) fn orphans_of(&self, leader: Pid) -> Vec<Found> {
        hold(&family().orphans_of(leader))
    }

    /// Takes hold of everything that commands left behind.
    pub(super) fn all_orphans(&self) -> Vec<Found> {
        hold(&family().orphans())
    }

    /// Waits until all commands have been reaped, for [`KILL_TIME`] at most.
    pub(super) fn wait_for_commands(&self) {
        let waiting = |family: &mut Family| !family.commands.is_empty();
        drop(COMMAND_REAPED.wait_timeout_while(family(), KILL_TIME, waiting));
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        // It cannot fail: it is a flag of our own.
        let _ = system::ask_for_orphans(false);
        family().heir = None;
    }
}

impl Family {
    /// Our children that are neither commands nor the host's own.
    fn orphans(&mut self) -> Vec<Pid> {
        let Some(heir) = &mut self.heir else { return Vec::new() };
        let mut children = proc::children();
        // Once such a child is gone, its number can be another's.
        heir.others.retain(|pid| children.contains(pid));
        children.retain(|pid| {
            !self.commands.contains(pid)
                && !heir.others.contains(pid)
                && getsid(Some(*pid)).is_ok_and(|theirs| theirs != heir.session)
        });
        children
    }

    fn orphans_of(&mut self, leader: Pid) -> Vec<Pid> {
        let mut orphans = self.orphans();
        let alone = self.commands.iter().all(|command| *command == leader);
        orphans.retain(|orphan| alone || getsid(Some(*orphan)) == Ok(leader));
        orphans
    }
}

fn hold(pids: &[Pid]) -> Vec<Found> {
    pids.iter().take(AT_ONCE).copied().filter_map(Found::hold).collect()
}

fn family() -> MutexGuard<'static, Family> {
    // Nothing under this lock leaves it half changed.
    FAMILY.lock().unwrap_or_else(PoisonError::into_inner)
}
