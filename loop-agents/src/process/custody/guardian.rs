//! A second process, that cleans up when this one is killed.
//!
//! Nobody can do anything about a SIGKILL of their own, and the system ends a dead process's children
//! only if it is asked to for each of them by themselves. So another process waits for the end of a
//! stream that only we hold open. When we are gone it ends whatever carries our run's mark. We wait for
//! the end of the same stream, and if it is the guardian that is gone, we start another one.
//!
//! Nor can anybody do anything about a SIGSTOP of their own. So the guardian continues a process that asked for
//! it: see [`KeepAwake`](super::KeepAwake). The stream goes one way, and carries only [`Standing`].

use std::{
    io::{self, Write},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::standing::{Standing, Stops};

/// What a guardian is called in the first of its arguments, and by the system's list of processes.
pub(super) const NAME: &str = "guardian";

/// The guardian, as we know it.
#[derive(Debug)]
pub(super) struct Guardian {
    program: PathBuf,
    run: String,
    announced: Mutex<Announced>,
    watch: Mutex<Option<Watch>>,
}

/// What every guardian is told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Announced {
    pub(super) stops: Stops,
    /// When nothing of the run may be at work any more.
    pub(super) deadline: Option<Instant>,
}

impl Announced {
    /// The message that says so now.
    fn standing(self) -> Standing {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Standing { stops: self.stops, left: self.deadline.map(left) }
    }
}

/// A guardian that was started.
#[derive(Debug)]
struct Watch {
    process: Child,
    /// The guardian writes nothing to it.
    stream: UnixStream,
}

impl Guardian {
    /// What is to be started; nothing is yet.
    pub(super) fn new(program: PathBuf, run: String) -> Self {
        Self { program, run, announced: Mutex::default(), watch: Mutex::new(None) }
    }

    /// Starts it if there is none that is awake; gives its number.
    pub(super) fn keep(&self) -> io::Result<Pid> {
        let mut watch = self.watch();
        if let Some(Watch { process, .. }) = &*watch
            && is_awake(Pid::from_child(process))?
        {
            return Ok(Pid::from_child(process));
        }
        end(watch.take());
        let announced = lock(&self.announced);
        let started = watch.insert(Watch::start(&self.program, &self.run)?);
        started.tell(announced.standing());
        Ok(Pid::from_child(&started.process))
    }

    /// Changes what the guardian is told, and tells it.
    pub(super) fn announce(&self, change: impl FnOnce(&mut Announced)) {
        let watch = self.watch();
        let mut announced = lock(&self.announced);
        change(&mut announced);
        if let Some(watch) = &*watch {
            watch.tell(announced.standing());
        }
    }

    /// Resolves when the guardian is gone. Cancel safe.
    pub(super) async fn gone(&self) -> io::Result<()> {
        let stream = match &*self.watch() {
            Some(watch) => watch.stream.try_clone()?,
            None => return Ok(()),
        };
        // It never writes, so there is only one thing to be read.
        tokio::net::UnixStream::from_std(stream)?.readable().await
    }

    /// Ends it: all that it was to end is gone.
    pub(super) fn dismiss(&self) {
        end(self.watch().take());
    }

    fn watch(&self) -> MutexGuard<'_, Option<Watch>> {
        lock(&self.watch)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a guardian neither ended nor was stopped; one that is stopped would not hear of our end.
fn is_awake(guardian: Pid) -> io::Result<bool> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(guardian), look)?.is_none())
}

fn end(watch: Option<Watch>) {
    if let Some(mut watch) = watch {
        // An error means that it is gone already.
        let _ = watch.process.kill();
        let _ = watch.process.wait();
    }
}

impl Watch {
    fn start(program: &Path, run: &str) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(program);
        // Its own environment is empty, so that it does not carry the mark of a run around ours, whose
        // guardian would end it together with us.
        command.arg0(NAME).arg(run).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { process: command.spawn()?, stream: ours })
    }

    /// Sends a message. A guardian that does not take it is gone or stopped; the next one is told all of it.
    fn tell(&self, standing: Standing) {
        let _ = (&self.stream).write_all(&standing.to_frame());
    }
}
