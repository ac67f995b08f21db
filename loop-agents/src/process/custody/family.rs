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
    process::Child,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, kill_process_group, waitid};

use super::{
    kill::{KILL_TIME, await_death},
    mark::Mark,
    proc::{self, Found, Stat},
    system,
};
use crate::process::blocking::off_executor;

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
    /// Where we are ourselves; none if it is led from outside. No command is ever here, and the host's own
    /// children mostly are.
    session: Option<Pid>,
    /// The mark of everything that we start.
    mark: Mark,
    /// Whether orphans can be somebody else's: the host had children already, whose descendants it inherits
    /// too, or it is the first process, which inherits from all. Then only what is marked is ours.
    shared: bool,
    /// The children that were there before.
    others: Vec<Pid>,
    /// Who guards us.
    guardian: Option<Pid>,
    /// Those that could not be ended.
    survivors: Vec<Pid>,
}

/// Starts a command, which nobody takes for an orphan meanwhile.
pub(in crate::process) fn start(spawn: impl FnOnce() -> io::Result<Pid>) -> io::Result<Pid> {
    let mut family = family();
    let leader = spawn()?;
    family.commands.push(leader);
    Ok(leader)
}

/// Reaps the leader of a command if it has ended. Until then nobody else may, and from then on its number
/// can be another's. None if it has not, or if another process traces it, which is told first.
pub(in crate::process) fn reap(leader: Pid) -> io::Result<Option<WaitIdStatus>> {
    let mut family = family();
    let reaped = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    // After an error there is nobody to wait for.
    if !matches!(reaped, Ok(None)) {
        family.commands.retain(|command| *command != leader);
        COMMAND_REAPED.notify_all();
    }
    Ok(reaped?)
}

/// Sends a signal to all that the command led by `leader` has started and that can be found: its group, its
/// descendants wherever they went, and its orphans if they are ours. A command that was reaped meanwhile gets none.
///
/// Blocks while it reads the list of processes.
pub(in crate::process) fn signal(leader: Pid, signal: Signal) {
    let mut roots = family().orphans_of(leader);
    let orphans = hold(&roots);
    roots.push(leader);
    // All are found before the first one hears of it: a parent that ends takes along the way to its children.
    let mut found = proc::descendants(&roots);
    found.extend(orphans);
    found.retain(|found| Stat::of(found.pid).is_none_or(|stat| stat.group != Some(leader)));
    // Under the lock nobody reaps the leader, whose number would then be another's, as all that was found by it.
    let family = family();
    if !family.commands.contains(&leader) {
        return;
    }
    // Failing means that nobody is left, or that we may not: nothing to be done in either case.
    let _ = kill_process_group(leader, signal);
    for found in found {
        found.signal(signal);
    }
}

/// Stops to wait for a command that cannot be ended.
pub(in crate::process) fn give_up(leader: Pid) {
    let mut family = family();
    family.commands.retain(|command| *command != leader);
    if let Some(heir) = &mut family.heir {
        heir.survivors.push(leader);
    }
    COMMAND_REAPED.notify_all();
}

/// Takes children that have ended off the system's list. Nobody else waits for them, and a system, or a container more
/// so, has only so many places.
///
/// It takes no [`Adoption`], so that a look under way does not prolong one. Many commands hear of each death: while one
/// look is about to begin, no other is needed.
pub(super) async fn reap_orphans() {
    static IS_DUE: AtomicBool = AtomicBool::new(false);
    if !IS_DUE.swap(true, Ordering::AcqRel) {
        off_executor(|| {
            IS_DUE.store(false, Ordering::Release);
            family().inherited();
        })
        .await;
    }
}

/// Blocks until the leader of a command that was killed is dead, for about [`KILL_TIME`] at most.
pub(in crate::process) fn await_leader(leader: Pid) {
    await_death(&Found::child(leader), KILL_TIME);
}

/// This process as an heir; there is one at most.
#[derive(Debug)]
pub(super) struct Adoption(());

impl Adoption {
    pub(super) fn begin(mark: Mark) -> io::Result<Self> {
        let session = Stat::of(getpid()).and_then(|stat| stat.session);
        let mut family = family();
        if family.heir.is_some() {
            let why = "this process looks after its orphans already: share the one custody that does";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let mut others = proc::children();
        others.retain(|pid| !family.commands.contains(pid));
        system::ask_for_orphans(true)?;
        let shared = !others.is_empty() || getpid() == Pid::INIT;
        let heir = Heir { session, mark, shared, others, guardian: None, survivors: Vec::new() };
        family.heir = Some(heir);
        Ok(Self(()))
    }

    /// Starts a guardian, which nobody takes for an orphan meanwhile.
    pub(super) fn start_guardian(&self, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
        let mut family = family();
        let guardian = start()?;
        if let Some(heir) = &mut family.heir {
            heir.guardian = Some(Pid::from_child(&guardian));
        }
        Ok(guardian)
    }

    /// Has no guardian any more: it was reaped.
    pub(super) fn forget_guardian(&self) {
        if let Some(heir) = &mut family().heir {
            heir.guardian = None;
        }
    }

    /// Has nothing more to do with those that could not be ended, but to reap them some day.
    pub(super) fn give_up(&self, survivors: &[Pid]) {
        if let Some(heir) = &mut family().heir {
            heir.survivors.extend(survivors);
        }
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
    /// The children that were left to us, by commands or not. What has ended is reaped.
    fn inherited(&mut self) -> Vec<Pid> {
        let Some(heir) = &mut self.heir else { return Vec::new() };
        let mut children = proc::children();
        // Once such a child is gone, its number can be another's.
        heir.others.retain(|pid| children.contains(pid));
        heir.survivors.retain(|pid| children.contains(pid));
        children.retain(|pid| !self.commands.contains(pid) && heir.inherited(*pid));
        children.iter().chain(&heir.survivors).copied().for_each(proc::reap);
        children
    }

    /// What commands left to us, and lives.
    fn orphans(&mut self) -> Vec<Pid> {
        let mut orphans = self.inherited();
        // A dead one that could not be reaped is traced, and its tracer is told first.
        let lives = |pid| Stat::of(pid).is_some_and(|stat| !stat.ended);
        orphans.retain(|pid| self.heir.as_ref().is_some_and(|heir| heir.is_ours(*pid)) && lives(*pid));
        orphans
    }

    fn orphans_of(&mut self, leader: Pid) -> Vec<Pid> {
        let mut orphans = self.orphans();
        let alone = self.commands.iter().all(|command| *command == leader);
        orphans.retain(|orphan| alone || Stat::of(*orphan).is_some_and(|stat| stat.session == Some(leader)));
        orphans
    }
}

impl Heir {
    /// Whether a child that is no command was left to us.
    fn inherited(&self, child: Pid) -> bool {
        let known = self.others.contains(&child) || self.survivors.contains(&child);
        !known
            && self.guardian != Some(child)
            && Stat::of(child).is_some_and(|stat| stat.session != self.session)
    }

    /// Whether an orphan comes from a command.
    fn is_ours(&self, orphan: Pid) -> bool {
        !self.shared || self.mark.is_on(orphan)
    }
}

fn hold(pids: &[Pid]) -> Vec<Found> {
    pids.iter().take(AT_ONCE).copied().map(Found::child).collect()
}

fn family() -> MutexGuard<'static, Family> {
    // Nothing under this lock leaves it half changed.
    FAMILY.lock().unwrap_or_else(PoisonError::into_inner)
}
