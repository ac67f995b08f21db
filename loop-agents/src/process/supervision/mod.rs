//! Ends the processes that a command leaves behind.
//!
//! Signalling a command's group reaches most of its processes. But a process can leave its group and its session, start
//! another process, and end. Then the system keeps no record of which command started the new one. Agents do this all
//! the time: a test server, a build daemon, `git gc`. If these processes live on, they hold ports and files and cost
//! money, and the next iteration's agent runs into them.

#[cfg(not(target_os = "linux"))]
#[path = "unsupported.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;

mod cgroup;
mod freezer;
mod kill;
mod proc;
mod process_mark;
pub(super) mod process_tree;
mod resource_limits;
mod suspend;
mod sweep;
mod wake;
mod watch;
mod watchdog;
mod watchdog_message;
mod watchdog_process;
mod watched_groups;

use std::{
    io, mem,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use rustix::process::Pid;

pub use cgroup::has_control_groups;
#[cfg(feature = "servers")]
pub(crate) use proc::lives_in_group;
#[cfg(feature = "servers")]
pub(super) use process_mark::release_from_run;
pub use process_mark::{RUN_VARIABLE, is_below_a_run};
pub use resource_limits::{LimitError, ResourceLimits, try_limits};
pub use suspend::suspend;
pub use sweep::{SweptProcess, check_process_list, sweep};
pub use wake::wake;
pub use watchdog_process::serve_as_watchdog;

use self::{
    cgroup::{Cgroup, Hierarchy},
    kill::end_all,
    process_mark::{ProcessMark, end_carriers},
    process_tree::SubreaperGuard,
    resource_limits::LimitedGroup,
    watchdog::{Watchdog, WatchedState},
};
use super::blocking::off_executor;
pub(super) use kill::KILL_TIME;

/// Takes responsibility for the processes of a run until the last of them is gone. Clones refer to the same supervisor.
///
/// Every command that starts under a supervisor has [`RUN_VARIABLE`] in its environment, and passes it on. There are
/// four ways to find what a command left behind. The first is always available, and the weakest:
///
/// - **By the mark**, at the end of the run: [`end`](Self::end), or dropping the last clone, looks at all processes of
///   the system and ends those that carry the mark. A process that drops its environment escapes.
/// - **By a control group** ([`in_control_group`](Self::in_control_group)), at the end of the run: a process leaves it
///   only by writing to its files.
/// - **By adoption** ([`subreaper`](Self::subreaper)): this process adopts every orphan, and ends the orphans of a
///   command as soon as the command has ended. Adoption changes the whole process, so you have to ask for it.
/// - **By a watchdog** ([`with_watchdog`](Self::with_watchdog)): when this process crashes or receives a SIGKILL, a
///   second process ends the processes that carry the mark, and the members of the control group. If this process
///   adopts orphans, its commands carry a second mark, which survives a change of the environment but not every login.
///
/// If you drop the last clone inside of a tokio runtime, a blocking thread of the runtime runs the [end](Self::end).
/// Dropping the runtime waits for that thread. Without a runtime, the drop blocks until everything is gone. A
/// [watchdog](Self::with_watchdog) stays until everything is gone, and cleans up if this process exits before that.
///
/// ```
/// use std::future::pending;
/// use loop_agents::process::{Supervisor, Process};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let supervisor = Supervisor::new("run-7");
/// let agent = Process::shell("setsid /bin/sleep 1000 & echo done").supervisor(supervisor.clone());
/// agent.run(pending(), |_, _| {}).await?;
/// supervisor.end_async().await; // `sleep` is gone
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Supervisor(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    mark: ProcessMark,
    used: AtomicBool,
    subreaper: Option<SubreaperGuard>,
    watchdog: OnceLock<Watchdog>,
    group: Mutex<Option<Cgroup>>,
    limited: Mutex<Option<LimitedGroup>>,
}

impl Supervisor {
    fn with(mark: ProcessMark, subreaper: Option<SubreaperGuard>) -> Self {
        let (used, watchdog) = (AtomicBool::new(false), OnceLock::new());
        let (group, limited) = (Mutex::new(None), Mutex::new(None));
        Self(Arc::new(Inner { mark, used, subreaper, watchdog, group, limited }))
    }

    /// Creates a supervisor that finds leftover processes by their mark, at the end of the run. `run` is the run's
    /// name, which no other run may have.
    pub fn new(run: impl Into<String>) -> Self {
        Self::with(ProcessMark::new(run.into()), None)
    }

    /// Creates a supervisor for a run whose name nobody needs to know.
    pub(crate) fn unnamed() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self::new(format!("{process}-{now}-{count}"))
    }

    /// Makes this process adopt all orphans of its descendants (a *child subreaper*), and ends the orphans of a command
    /// as soon as the command has ended.
    ///
    /// From then on, the supervisor kills every child of this process that is in another session, unless the child
    /// existed before or is a [`Process`](super::Process). So use it in programs that start all their daemons as such a
    /// `Process`. Commands may run side by side. In that case, a process that left its session ends with the last of
    /// them.
    ///
    /// # Errors
    /// Fails if there is another such supervisor in this process, or if the system is not Linux. [End](Self::end_async)
    /// a supervisor before you drop it to create another one at once.
    pub fn subreaper(run: impl Into<String>) -> io::Result<Self> {
        let mark = ProcessMark::new(run.into());
        let subreaper = SubreaperGuard::begin(mark.clone())?;
        mark.put_on_self();
        Ok(Self::with(mark, Some(subreaper)))
    }

    /// Starts `program` as the watchdog of this supervisor: when this process is killed, the watchdog ends the
    /// processes that carry the mark. The program is usually this program itself (`/proc/self/exe`), whose `main` calls
    /// [`serve_as_watchdog`]. It starts with the first command. If somebody kills the watchdog, the supervisor replaces
    /// it while a command runs, or before the next one.
    ///
    /// The watchdog also keeps this process running, because a stopped process could not enforce limits. It looks at
    /// this process four times a second:
    ///
    /// - If somebody has stopped it, the watchdog continues it, even after a person's `kill -STOP`.
    /// - If somebody keeps stopping it for about two seconds, the watchdog ends the run's processes.
    /// - If the time that [`ends_within`](Self::ends_within) set is over, the watchdog ends them as well.
    /// - While it is stopped [on purpose](super::suspend), by SIGTSTP, or by its terminal for reading or writing in the
    ///   background, the watchdog stops the run's processes too.
    ///
    /// # Errors
    /// Fails if there is a watchdog already. If the program cannot be started, no command can.
    pub fn with_watchdog(self, program: impl Into<PathBuf>) -> io::Result<Self> {
        let watchdog = Watchdog::new(program.into(), self.0.mark.run().to_owned());
        if self.0.watchdog.set(watchdog).is_err() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a watchdog is already running"));
        }
        let owns_children = self.0.subreaper.as_ref().is_some_and(SubreaperGuard::owns_children);
        self.0.announce(|state| state.owns_children = owns_children);
        suspend::register(&self.0);
        Ok(self)
    }

    /// Moves this process into its own control group, where everything that it starts is born, and moves it back at the
    /// [end](Self::end). So the watchdog or a [`sweep`] also finds a process that drops both marks.
    ///
    /// Does nothing if the system does not allow such a group: without version 2 of control groups, or without a
    /// subtree of them that this process may write to.
    #[must_use]
    pub fn in_control_group(self) -> Self {
        *self.0.group() = self.entered();
        self
    }

    fn entered(&self) -> Option<Cgroup> {
        Cgroup::enter(&Hierarchy::of_system()?, self.run()).ok()
    }

    /// Makes the watchdog end the run's processes after this time, whatever the state of this process by then. `None`
    /// removes the deadline, and so does the [end](Self::end). Set the time by which this process itself would end
    /// them, grace time included. Does nothing without a watchdog.
    pub fn ends_within(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.0.announce(|state| state.deadline = deadline);
    }

    /// Returns the run's name, which is the value of [`RUN_VARIABLE`].
    pub fn run(&self) -> &str {
        self.0.mark.run()
    }

    /// Ends all processes that commands under this supervisor left behind, and dismisses the watchdog. Dropping the
    /// last clone does the same. You can start commands under the supervisor afterwards.
    ///
    /// Blocks the thread until the processes are gone, usually for some milliseconds, and for a few seconds at most. In
    /// asynchronous code use [`end_async`](Self::end_async). Returns the PIDs of the processes that it could not end:
    /// they belong to another user, or hang in the kernel.
    pub fn end(&self) -> Vec<u32> {
        self.0.end()
    }

    /// Does the same as [`end`](Self::end) without blocking the executor.
    ///
    /// # Cancel safety
    /// Once polled, the end takes place even if you drop the future.
    pub async fn end_async(&self) -> Vec<u32> {
        let inner = Arc::clone(&self.0);
        off_executor(move || inner.end()).await
    }

    /// Prepares this supervisor for a command that is about to start.
    pub(super) async fn prepare(&self) -> io::Result<()> {
        self.0.used.store(true, Ordering::Relaxed);
        self.ensure_watchdog().await
    }

    /// Returns true if this supervisor can find what a command left behind as soon as the command has ended.
    pub(super) fn is_subreaper(&self) -> bool {
        self.0.subreaper.is_some()
    }

    /// Ends the processes that the command led by `leader` left behind, if this supervisor can find them already.
    /// Returns the PIDs of those that it could not end. Blocks until they are gone.
    pub(super) fn settle(&self, leader: Pid) -> Vec<u32> {
        let Some(subreaper) = &self.0.subreaper else { return Vec::new() };
        self.0.give_up(&end_all(|| subreaper.orphans_of(leader)))
    }

    /// Replaces a watchdog that was ended or stopped.
    async fn ensure_watchdog(&self) -> io::Result<()> {
        match self.0.watchdog.get() {
            Some(watchdog) if !watchdog.is_awake()? => {
                let inner = Arc::clone(&self.0);
                off_executor(move || inner.ensure_watchdog()).await
            }
            _ => Ok(()),
        }
    }
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

impl Inner {
    fn ensure_watchdog(&self) -> io::Result<()> {
        self.watchdog.get().map_or(Ok(()), |watchdog| watchdog.ensure_running(self.subreaper.as_ref()))
    }

    /// Changes the state that the watchdog knows.
    fn announce(&self, change: impl FnOnce(&mut WatchedState)) {
        if let Some(watchdog) = self.watchdog.get() {
            watchdog.announce(change);
        }
    }

    /// Remembers the processes that could not be ended, and returns their PIDs.
    fn give_up(&self, survivors: &[Pid]) -> Vec<u32> {
        if let Some(subreaper) = &self.subreaper {
            subreaper.give_up(survivors);
        }
        survivors.iter().copied().map(number).collect()
    }

    fn group(&self) -> MutexGuard<'_, Option<Cgroup>> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limited(&self) -> MutexGuard<'_, Option<LimitedGroup>> {
        self.limited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all members of the control groups, and removes them.
    fn end_groups(&self) -> Vec<Pid> {
        let end = |group: &Cgroup| {
            group.kill();
            let survivors = end_all(|| group.members());
            group.remove();
            survivors
        };
        let limited = self.limited().take().map(|limited| end(limited.group()));
        let entered = self.group().take().map(|group| {
            // If we cannot leave the group, `kill` does not kill it as a whole, because we are in it.
            let _ = group.leave();
            end(&group)
        });
        [limited, entered].into_iter().flatten().flatten().collect()
    }

    fn end(&self) -> Vec<u32> {
        let is_used = self.used.swap(false, Ordering::Relaxed);
        let mut survivors = match &self.subreaper {
            Some(subreaper) => {
                subreaper.wait_for_commands();
                end_all(|| subreaper.all_orphans())
            }
            None if is_used => end_carriers(&self.mark),
            None => Vec::new(),
        };
        if is_used && self.subreaper.is_some() {
            // A process that a system service started for us is not our orphan, so search for the mark as well.
            survivors.extend(end_all(|| self.mark.carriers_of_variable()));
        }
        survivors.extend(self.end_groups());
        survivors.sort_unstable_by_key(|pid| pid.as_raw_nonzero());
        survivors.dedup();
        // Dismiss the watchdog last. Until here it cleans up if this process exits.
        if let Some(watchdog) = self.watchdog.get() {
            watchdog.dismiss(self.subreaper.as_ref());
        }
        self.give_up(&survivors)
    }

    /// Returns true if there is nothing to end, because `end` has run or no command was started.
    fn is_over(&self) -> bool {
        let is_guarded = self.watchdog.get().is_some_and(Watchdog::is_started);
        let is_grouped = self.group().is_some() || self.limited().is_some();
        !self.used.load(Ordering::Relaxed) && !is_guarded && !is_grouped
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.is_over() {
            return;
        }
        let over = Self {
            mark: self.mark.clone(),
            used: mem::take(&mut self.used),
            subreaper: self.subreaper.take(),
            watchdog: mem::take(&mut self.watchdog),
            group: mem::take(&mut self.group),
            limited: mem::take(&mut self.limited),
        };
        // Nobody is left to receive the survivors.
        drop(off_executor(move || over.end()));
    }
}
