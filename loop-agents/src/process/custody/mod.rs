//! What becomes of the processes that a command leaves behind.
//!
//! A command's group is signalled as one, and that is most of it. But any process can leave its group and
//! its session, start another, and end, and then nothing that the system keeps says whose work it does.
//! Agents do this all the time: a server for the tests, a build daemon, `git gc`. Left alone they keep
//! ports, files and money, and the next iteration's agent meets them.

#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;

mod awake;
mod cgroup;
pub(super) mod family;
mod guardian;
mod kill;
mod mark;
mod proc;
mod standing;
mod sweep;
mod vigil;

use std::{
    convert::Infallible,
    future, io, mem,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::process::Pid;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::sleep,
};

pub use awake::KeepAwake;
pub use mark::RUN_VARIABLE;
pub use sweep::{Swept, sweep, wake};
pub use vigil::serve_as_guardian;

use self::{
    cgroup::{Cgroup, Hierarchy},
    family::Adoption,
    guardian::Guardian,
    kill::end_all,
    mark::{Mark, end_carriers},
};
use super::blocking::off_executor;
pub(super) use kill::KILL_TIME;

/// The least time between two guardians, and between two tries to start one.
const GUARDIAN_PAUSE: Duration = Duration::from_millis(20);

/// Who answers for the processes of a run, until the last of them is gone. Clones are the same one.
///
/// Every command that is started in custody has [`RUN_VARIABLE`] in its environment, and hands it on.
/// There are three ways to find what a command left behind, and the one that is always there is the
/// weakest:
///
/// - **By the mark**, at the end of the run: [`end`](Self::end), or dropping the last clone, looks at all
///   processes of the system and ends those that carry it. A process that drops its environment escapes.
/// - **As their heir** ([`adopting`](Self::adopting)): this process takes over every orphan, and ends them
///   as soon as their command has ended. It changes the whole process, so it is never done unasked.
/// - **By a guardian** ([`guarded_by`](Self::guarded_by)): a second process ends what carries the mark when
///   this one is killed with SIGKILL, or crashes. What has dropped its environment is found by a second mark,
///   if this process is an heir. What has dropped both, by a login for example, is found by its
///   [control group](Self::in_control_group), if there is one.
///
/// Dropping the last clone inside of a tokio runtime hands the [end](Self::end) over to a thread of the runtime's for
/// blocking work, which dropping the runtime waits for. Without a runtime it blocks until everything is gone. A
/// [guardian](Self::guarded_by) stays until everything is gone, and catches what a process that exits meanwhile leaves.
///
/// ```
/// use std::future::pending;
/// use loop_agents::process::{Custody, Process};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let custody = Custody::new("run-7");
/// let agent = Process::shell("setsid /bin/sleep 1000 & echo done").custody(custody.clone());
/// agent.run(pending(), |_, _| {}).await?;
/// custody.end_async().await; // `sleep` is gone
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Custody(Arc<Estate>);

#[derive(Debug)]
struct Estate {
    mark: Mark,
    used: AtomicBool,
    adoption: Option<Adoption>,
    guardian: OnceLock<Guardian>,
    group: Mutex<Option<Cgroup>>,
}

impl Custody {
    fn with(mark: Mark, adoption: Option<Adoption>) -> Self {
        let (used, guardian, group) = (AtomicBool::new(false), OnceLock::new(), Mutex::new(None));
        Self(Arc::new(Estate { mark, used, adoption, guardian, group }))
    }

    /// Finds what commands leave behind by their mark, at the end of the run. `run` is its name, and has
    /// to be no other run's.
    pub fn new(run: impl Into<String>) -> Self {
        Self::with(Mark::new(run.into()), None)
    }

    /// A custody for a run whose name nobody needs to know.
    pub(crate) fn unnamed() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self::new(format!("{process}-{now}-{count}"))
    }

    /// Makes this process the heir of everything that its descendants leave behind (a *child subreaper*),
    /// and ends what a command left as soon as the command has ended.
    ///
    /// From then on every child of this process that is in another session, and was neither there before
    /// nor is a [`Process`](super::Process), counts as left behind, and is killed. So it is for programs that
    /// start all their daemons as such. Commands may run side by side; a process that left its session is
    /// then ended with the last of them.
    ///
    /// # Errors
    /// There is another such custody in this process, or the system is not Linux. [End](Self::end_async) a custody
    /// before you drop it to make another one at once.
    pub fn adopting(run: impl Into<String>) -> io::Result<Self> {
        let mark = Mark::new(run.into());
        let adoption = Adoption::begin(mark.clone())?;
        mark.put_on_self();
        Ok(Self::with(mark, Some(adoption)))
    }

    /// Starts `program` as the guardian of this custody: when this process is killed, it ends what carries
    /// the mark. It is mostly this program itself (`/proc/self/exe`), whose `main` calls
    /// [`serve_as_guardian`]. A guardian that is killed is replaced while a command runs, or before the next.
    ///
    /// Blocks until the program has started.
    ///
    /// # Errors
    /// The program cannot be started, or there is a guardian already.
    pub fn guarded_by(self, program: impl Into<PathBuf>) -> io::Result<Self> {
        let guardian = Guardian::new(program.into(), self.0.mark.run().to_owned());
        if self.0.guardian.set(guardian).is_err() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a guardian already"));
        }
        self.0.keep_guarded()?;
        Ok(self)
    }

    /// Moves this process into a control group of its own, in which everything is born that it starts, and takes it
    /// back at the [end](Self::end). So what drops both marks is found too, by the guardian or a [`sweep`].
    ///
    /// It does nothing where the system allows no such group: without version 2 of control groups, or a
    /// subtree of them that this process may write to.
    #[must_use]
    pub fn in_control_group(self) -> Self {
        let entered = Hierarchy::of_system().map(|hierarchy| Cgroup::enter(&hierarchy, self.run()));
        *self.0.group() = entered.and_then(Result::ok);
        self
    }

    /// Has the guardian continue this process, from now on and until the value is dropped, whenever somebody stops
    /// it: stopped, it would hold no limit. It does nothing in a custody without a guardian.
    pub fn keep_awake(&self) -> KeepAwake {
        KeepAwake::begin(self.clone())
    }

    /// The run's name: the value of [`RUN_VARIABLE`].
    pub fn run(&self) -> &str {
        self.0.mark.run()
    }

    /// Ends everything that commands in this custody left behind, and sends the guardian away. Dropping the
    /// last clone does the same. Commands can be started in it afterwards.
    ///
    /// Blocks the thread until they are gone, mostly for some milliseconds, and for a few seconds at most. In
    /// asynchronous code use [`end_async`](Self::end_async). Returns the numbers of those that could not be ended: they
    /// belong to somebody else, or hang in the system.
    pub fn end(&self) -> Vec<u32> {
        self.0.end()
    }

    /// Does the same as [`end`](Self::end) without blocking the executor.
    ///
    /// # Cancel safety
    /// Once it was polled, the end takes place whether or not its result is awaited.
    pub async fn end_async(&self) -> Vec<u32> {
        let estate = Arc::clone(&self.0);
        off_executor(move || estate.end()).await
    }

    /// A command is about to be started in this custody.
    pub(super) async fn take_charge(&self) -> io::Result<()> {
        self.0.used.store(true, Ordering::Relaxed);
        self.keep_guarded().await
    }

    /// Does what is to be done beside a command: replaces a guardian that was killed, and reaps orphans,
    /// from the call on. Cancel safe.
    pub(super) fn watch(&self) -> impl Future<Output = Infallible> + Send {
        // Whoever ends before somebody listens would not be heard.
        let ended = self.0.adoption.is_some().then(|| signal(SignalKind::child()));
        async move { tokio::join!(self.watch_guardian(), self.watch_orphans(ended)).0 }
    }

    /// Whether it can know what a command left behind as soon as the command has ended.
    pub(super) fn adopts(&self) -> bool {
        self.0.adoption.is_some()
    }

    /// Ends what the command that `leader` led left behind, if that can be known already. Returns the
    /// numbers of those that could not be ended. Blocks until they are gone.
    pub(super) fn settle(&self, leader: Pid) -> Vec<u32> {
        let Some(adoption) = &self.0.adoption else { return Vec::new() };
        self.0.give_up(&end_all(|| adoption.orphans_of(leader)))
    }

    /// Replaces a guardian that was ended or stopped.
    async fn keep_guarded(&self) -> io::Result<()> {
        match self.0.guardian.get() {
            Some(guardian) if !guardian.is_awake()? => {
                let estate = Arc::clone(&self.0);
                off_executor(move || estate.keep_guarded()).await
            }
            _ => Ok(()),
        }
    }

    async fn watch_guardian(&self) -> Infallible {
        if let Some(guardian) = self.0.guardian.get() {
            while guardian.gone().await.is_ok() {
                // Whether it is gone is asked again: another one may stand in its place already, and one that
                // is just about to end is found gone after the pause. Whoever kills it each time must not keep
                // us busy with it, and neither must a machine that has no more processes to give.
                while self.keep_guarded().await.is_err() {
                    sleep(GUARDIAN_PAUSE).await;
                }
                sleep(GUARDIAN_PAUSE).await;
            }
        }
        future::pending().await
    }

    async fn watch_orphans(&self, ended: Option<io::Result<Signal>>) -> Infallible {
        if let Some(Ok(mut ended)) = ended {
            while ended.recv().await.is_some() {
                family::reap_orphans().await;
                // It may have been stopped. What goes wrong here is said before the next command.
                let _ = self.keep_guarded().await;
            }
        }
        future::pending().await
    }
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

impl Estate {
    fn keep_guarded(&self) -> io::Result<()> {
        self.guardian.get().map_or(Ok(()), |guardian| guardian.keep(self.adoption.as_ref()))
    }

    /// Remembers those that could not be ended, and gives their numbers.
    fn give_up(&self, survivors: &[Pid]) -> Vec<u32> {
        if let Some(adoption) = &self.adoption {
            adoption.give_up(survivors);
        }
        survivors.iter().copied().map(number).collect()
    }

    fn group(&self) -> MutexGuard<'_, Option<Cgroup>> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what is in the control group, which is none any more then.
    fn end_group(&self) -> Vec<Pid> {
        let Some(group) = self.group().take() else { return Vec::new() };
        // If it cannot be left it holds us, and is not killed as a whole.
        let _ = group.leave();
        group.kill();
        let survivors = end_all(|| group.members());
        group.remove();
        survivors
    }

    fn end(&self) -> Vec<u32> {
        let is_used = self.used.swap(false, Ordering::Relaxed);
        let mut survivors = match &self.adoption {
            Some(adoption) => {
                adoption.wait_for_commands();
                end_all(|| adoption.all_orphans())
            }
            None if is_used => end_carriers(&self.mark),
            None => Vec::new(),
        };
        if is_used && self.adoption.is_some() {
            // What was handed to a service of the system is nobody's orphan.
            survivors.extend(end_all(|| self.mark.carriers_of_variable()));
        }
        survivors.extend(self.end_group());
        survivors.sort_unstable_by_key(|pid| pid.as_raw_nonzero());
        survivors.dedup();
        // Last: until here it would end what a process leaves that exits meanwhile.
        if let Some(guardian) = self.guardian.get() {
            guardian.dismiss(self.adoption.as_ref());
        }
        self.give_up(&survivors)
    }

    /// Whether there is nothing to end: it was ended, or nothing was begun.
    fn is_over(&self) -> bool {
        let is_guarded = self.guardian.get().is_some_and(Guardian::is_there);
        !self.used.load(Ordering::Relaxed) && !is_guarded && self.group().is_none()
    }
}

impl Drop for Estate {
    fn drop(&mut self) {
        if self.is_over() {
            return;
        }
        let over = Self {
            mark: self.mark.clone(),
            used: mem::take(&mut self.used),
            adoption: self.adoption.take(),
            guardian: mem::take(&mut self.guardian),
            group: mem::take(&mut self.group),
        };
        // Nobody is left to hear of survivors.
        drop(off_executor(move || over.end()));
    }
}
