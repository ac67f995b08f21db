//! The children of this process: its commands, the orphans that it adopted, and others.
//!
//! The kernel gives an orphaned process to the nearest ancestor that asked for orphans, or else to the system's first
//! process. Once this process has asked, a process that a command starts may leave its group, its session and its
//! parents. It still turns up among our own children.
//!
//! Children belong to a process as a whole, so this state is global.

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
    proc::{self, ProcessHandle, Stat},
    process_mark::ProcessMark,
    system,
};
use crate::process::blocking::off_executor;

/// The number of processes to end at a time. Each of them takes a file descriptor.
const AT_ONCE: usize = 128;

static PROCESS_TREE: Mutex<ProcessTree> = Mutex::new(ProcessTree { commands: Vec::new(), subreaper: None });
static COMMAND_REAPED: Condvar = Condvar::new();

#[derive(Debug)]
struct ProcessTree {
    /// The leaders of the running commands.
    commands: Vec<Pid>,
    subreaper: Option<Subreaper>,
}

/// The state that we keep once we have asked for orphans.
#[derive(Debug)]
struct Subreaper {
    /// Our own session, or `None` if its leader is outside of our PID namespace. No command is ever in it, and the
    /// host's own children usually are.
    session: Option<Pid>,
    /// The mark of every process that we start.
    mark: ProcessMark,
    /// Whether orphans can belong to somebody else: the host had children already, and inherits their descendants too,
    /// or it is the first process, which inherits from all. Then only marked processes are ours.
    shared: bool,
    /// The children that existed before.
    others: Vec<Pid>,
    /// The soft limit on open files at the beginning.
    open_files: u64,
    /// Our watchdog process.
    watchdog: Option<Pid>,
    /// The processes that we could not end.
    survivors: Vec<Pid>,
}

/// Starts a command. The lock keeps others from mistaking it for an orphan.
pub(in crate::process) fn start(spawn: impl FnOnce() -> io::Result<Pid>) -> io::Result<Pid> {
    let mut tree = process_tree();
    let leader = spawn()?;
    tree.commands.push(leader);
    Ok(leader)
}

/// Reaps the leader of a command if it has ended. Until then, no other code may reap it. After that, its PID can be
/// reused. Returns `None` if it has not ended, or if another process traces it, because the kernel informs the tracer
/// first.
pub(in crate::process) fn reap(leader: Pid) -> io::Result<Option<WaitIdStatus>> {
    let mut tree = process_tree();
    let reaped = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    // After an error there is no process to wait for.
    if !matches!(reaped, Ok(None)) {
        tree.commands.retain(|command| *command != leader);
        COMMAND_REAPED.notify_all();
    }
    Ok(reaped?)
}

/// Sends a signal to every process that the command led by `leader` has started and that we can find: its group, its
/// descendants wherever they went, and its orphans if they are ours. A command that was reaped in the meantime gets no
/// signal.
///
/// Blocks while it reads the list of processes.
pub(in crate::process) fn signal(leader: Pid, signal: Signal) {
    let mut roots = process_tree().orphans_of(leader);
    let orphans = hold(&roots);
    roots.push(leader);
    // Find all of them before signalling the first: once a parent ends, we can no longer find its children through it.
    let mut found = proc::descendants(&roots);
    found.extend(orphans);
    found.retain(|found| Stat::of(found.pid).is_none_or(|stat| stat.group != Some(leader)));
    // While we hold the lock, nobody reaps the leader. Otherwise its PID, and what we found through it, could belong to
    // another process.
    let tree = process_tree();
    if !tree.commands.contains(&leader) {
        return;
    }
    // An error means that nobody is left, or that we lack permission. We can do nothing in either case.
    let _ = kill_process_group(leader, signal);
    for found in found {
        found.signal(signal);
    }
}

/// Returns the living processes that the command led by `leader` has started, and their command lines, as far as we can
/// find them. Blocks while it reads the list of processes.
pub(in crate::process) fn left_by(leader: Pid) -> Vec<(Pid, String)> {
    let (mut found, adopts) = {
        let mut tree = process_tree();
        (tree.orphans_of(leader), tree.subreaper.is_some())
    };
    let stat = |pid: &Pid| Stat::of(*pid).filter(|stat| !stat.ended);
    let is_member = |pid: &Pid| stat(pid).is_some_and(|stat| stat.group == Some(leader));
    // The processes that we adopted are our children. To read the list of all processes takes longer.
    let candidates = if adopts { proc::children() } else { proc::all() };
    found.extend(candidates.into_iter().filter(is_member));
    found.extend(proc::descendants(&found).iter().map(|descendant| descendant.pid));
    found.sort_unstable_by_key(|pid| pid.as_raw_nonzero());
    found.dedup();
    found.retain(|pid| *pid != leader && stat(pid).is_some());
    found.into_iter().map(|pid| (pid, proc::command_line(pid))).collect()
}

/// Stops waiting for a command that we cannot end.
pub(in crate::process) fn give_up(leader: Pid) {
    let mut tree = process_tree();
    tree.commands.retain(|command| *command != leader);
    if let Some(subreaper) = &mut tree.subreaper {
        subreaper.survivors.push(leader);
    }
    COMMAND_REAPED.notify_all();
}

/// Reaps adopted children that have ended. Nobody else waits for them, and the process table is limited, especially in
/// a container.
///
/// It takes no [`SubreaperGuard`], so that a scan in progress does not extend one. Many commands notice each death.
/// While one scan is about to begin, no other is needed.
pub(super) async fn reap_orphans() {
    static IS_DUE: AtomicBool = AtomicBool::new(false);
    if !IS_DUE.swap(true, Ordering::AcqRel) {
        off_executor(|| {
            IS_DUE.store(false, Ordering::Release);
            process_tree().inherited();
        })
        .await;
    }
}

/// Blocks until the leader of a killed command is dead, for about [`KILL_TIME`] at most.
pub(in crate::process) fn await_leader(leader: Pid) {
    await_death(&ProcessHandle::child(leader), KILL_TIME);
}

/// Makes this process adopt orphans. At most one exists at a time.
#[derive(Debug)]
pub(super) struct SubreaperGuard(());

impl SubreaperGuard {
    pub(super) fn begin(mark: ProcessMark) -> io::Result<Self> {
        let session = Stat::of(getpid()).and_then(|stat| stat.session);
        let mut tree = process_tree();
        if tree.subreaper.is_some() {
            let why = "this process already has a supervisor for its orphans: share that one";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let mut others = proc::children();
        others.retain(|pid| !tree.commands.contains(pid));
        system::ask_for_orphans(true)?;
        let shared = !others.is_empty() || getpid() == Pid::INIT;
        let (open_files, survivors) = (system::open_files(), Vec::new());
        let subreaper = Subreaper { session, mark, shared, others, open_files, watchdog: None, survivors };
        tree.subreaper = Some(subreaper);
        Ok(Self(()))
    }

    /// Starts a watchdog. The lock keeps others from mistaking it for an orphan.
    pub(super) fn start_watchdog(&self, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
        let mut tree = process_tree();
        let watchdog = start()?;
        if let Some(subreaper) = &mut tree.subreaper {
            subreaper.watchdog = Some(Pid::from_child(&watchdog));
        }
        Ok(watchdog)
    }

    /// Returns true if every child of this process in another session comes from a command.
    pub(super) fn owns_children(&self) -> bool {
        process_tree().subreaper.as_ref().is_some_and(|subreaper| !subreaper.shared)
    }

    /// Returns true if no command runs, and none has left anything behind.
    pub(super) fn is_idle(&self) -> bool {
        let mut tree = process_tree();
        let is_alone = tree.commands.is_empty() && tree.orphans().is_empty();
        is_alone && tree.subreaper.as_ref().is_some_and(|it| !it.shared && it.survivors.is_empty())
    }

    /// Forgets the watchdog after it was reaped.
    pub(super) fn forget_watchdog(&self) {
        if let Some(subreaper) = &mut process_tree().subreaper {
            subreaper.watchdog = None;
        }
    }

    /// Ignores these processes, which we could not end, except for reaping them later.
    pub(super) fn give_up(&self, survivors: &[Pid]) {
        if let Some(subreaper) = &mut process_tree().subreaper {
            subreaper.survivors.extend(survivors);
        }
    }

    /// Takes hold of the processes that the command led by `leader` left behind. While other commands run, an orphan
    /// that has left its session may be theirs, so it waits until the last of them ends.
    pub(super) fn orphans_of(&self, leader: Pid) -> Vec<ProcessHandle> {
        hold(&process_tree().orphans_of(leader))
    }

    /// Takes hold of all processes that commands left behind.
    pub(super) fn all_orphans(&self) -> Vec<ProcessHandle> {
        hold(&process_tree().orphans())
    }

    /// Waits until all commands have been reaped, for about [`KILL_TIME`] at most.
    pub(super) fn wait_for_commands(&self) {
        let waiting = |tree: &mut ProcessTree| !tree.commands.is_empty();
        drop(COMMAND_REAPED.wait_timeout_while(process_tree(), KILL_TIME, waiting));
    }
}

impl Drop for SubreaperGuard {
    fn drop(&mut self) {
        // This cannot fail, because it only sets a flag of this process.
        let _ = system::ask_for_orphans(false);
        process_tree().subreaper = None;
    }
}

impl ProcessTree {
    /// Returns the children that we adopted, from commands or not. Reaps those that have ended.
    fn inherited(&mut self) -> Vec<Pid> {
        let Some(subreaper) = &mut self.subreaper else { return Vec::new() };
        // A command may have lowered it.
        system::raise_open_files(subreaper.open_files);
        let mut children = proc::children();
        // Once such a child is gone, its PID can be reused.
        subreaper.others.retain(|pid| children.contains(pid));
        subreaper.survivors.retain(|pid| children.contains(pid));
        children.retain(|pid| !self.commands.contains(pid) && subreaper.inherited(*pid));
        children.iter().chain(&subreaper.survivors).copied().for_each(proc::reap);
        children
    }

    /// Returns the living orphans of commands.
    fn orphans(&mut self) -> Vec<Pid> {
        let mut orphans = self.inherited();
        // A dead process that could not be reaped is being traced, and the kernel informs its tracer first.
        let lives = |pid| Stat::of(pid).is_some_and(|stat| !stat.ended);
        orphans.retain(|pid| {
            self.subreaper.as_ref().is_some_and(|subreaper| subreaper.is_ours(*pid)) && lives(*pid)
        });
        orphans
    }

    fn orphans_of(&mut self, leader: Pid) -> Vec<Pid> {
        let mut orphans = self.orphans();
        let alone = self.commands.iter().all(|command| *command == leader);
        orphans.retain(|orphan| alone || Stat::of(*orphan).is_some_and(|stat| stat.session == Some(leader)));
        orphans
    }
}

impl Subreaper {
    /// Returns true if we adopted this child, which is not a command.
    fn inherited(&self, child: Pid) -> bool {
        let known = self.others.contains(&child) || self.survivors.contains(&child);
        !known
            && self.watchdog != Some(child)
            && Stat::of(child).is_some_and(|stat| stat.session != self.session)
    }

    /// Returns true if an orphan comes from a command.
    fn is_ours(&self, orphan: Pid) -> bool {
        !self.shared || self.mark.is_on(orphan)
    }
}

fn hold(pids: &[Pid]) -> Vec<ProcessHandle> {
    pids.iter().take(AT_ONCE).copied().map(ProcessHandle::child).collect()
}

fn process_tree() -> MutexGuard<'static, ProcessTree> {
    // A panic under this lock cannot leave the state half changed.
    PROCESS_TREE.lock().unwrap_or_else(PoisonError::into_inner)
}
