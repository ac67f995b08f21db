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
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::{
    family::Adoption,
    standing::{Standing, Stops},
};

/// What a guardian is called in the first of its arguments, and by the system's list of processes.
pub(super) const NAME: &str = "guardian";

/// The guardian, as we know it.
#[derive(Debug)]
pub(super) struct Guardian {
    program: PathBuf,
    run: String,
    announced: Mutex<Announced>,
    /// Held while a guardian is started or ended, which takes its time. Nobody waits for it but who does the same.
    changing: Mutex<()>,
    /// None before the first one, and while it is changed.
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
        Self { program, run, announced: Mutex::default(), changing: Mutex::new(()), watch: Mutex::new(None) }
    }

    /// Starts a guardian unless one is awake. Blocks while it ends the old guardian and starts the new one.
    pub(super) fn keep(&self, adoption: Option<&Adoption>) -> io::Result<()> {
        let _changing = lock(&self.changing);
        if self.is_awake()? {
            return Ok(());
        }
        self.end(adoption);
        let (ours, mut command) = self.command()?;
        let process = match adoption {
            Some(adoption) => adoption.start_guardian(|| command.spawn())?,
            None => command.spawn()?,
        };
        let mut watch = self.watch();
        let started = watch.insert(Watch { process, stream: ours });
        started.tell(lock(&self.announced).standing());
        Ok(())
    }

    /// Whether there is one that neither ended nor was stopped; one that is stopped would not hear of our end.
    pub(super) fn is_awake(&self) -> io::Result<bool> {
        const LOOK: WaitIdOptions = WaitIdOptions::EXITED
            .union(WaitIdOptions::STOPPED)
            .union(WaitIdOptions::NOHANG)
            .union(WaitIdOptions::NOWAIT);
        match &*self.watch() {
            Some(Watch { process, .. }) => Ok(waitid(WaitId::Pid(Pid::from_child(process)), LOOK)?.is_none()),
            None => Ok(false),
        }
    }

    /// Whether one was started, and was not dismissed since.
    pub(super) fn is_there(&self) -> bool {
        self.watch().is_some()
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

    /// Ends it: all that it was to end is gone. Blocks until it is gone as well.
    pub(super) fn dismiss(&self, adoption: Option<&Adoption>) {
        let _changing = lock(&self.changing);
        self.end(adoption);
    }

    fn end(&self, adoption: Option<&Adoption>) {
        // Not matched on directly: the lock would be held while we wait.
        let watch = self.watch().take();
        if let Some(Watch { mut process, .. }) = watch {
            // An error means that it is gone already.
            let _ = process.kill();
            let _ = process.wait();
            adoption.map(Adoption::forget_guardian);
        }
    }

    /// Returns the command that starts the guardian, and our end of the stream that the guardian reads.
    fn command(&self) -> io::Result<(UnixStream, Command)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&self.program);
        // Its own environment is empty, so that it does not carry the mark of a run around ours, whose
        // guardian would end it together with us.
        command.arg0(NAME).arg(&self.run).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok((ours, command))
    }

    fn watch(&self) -> MutexGuard<'_, Option<Watch>> {
        lock(&self.watch)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Sends a message. A guardian that does not take it is gone or stopped; the next one is told all of it.
    fn tell(&self, standing: Standing) {
        let _ = (&self.stream).write_all(&standing.to_frame());
    }
}
