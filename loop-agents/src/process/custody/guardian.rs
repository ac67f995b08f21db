//! A second process that cleans up when this one is killed.
//!
//! No process can react to its own SIGKILL, and the system ends a dead process's children only if each of them asks for
//! it. So the guardian, another process, waits for the end of a stream that only we hold open. When we are gone, it
//! ends all processes that carry our run's mark. We wait for the end of the same stream, and start another guardian if
//! this one is gone.
//!
//! No process can react to its own SIGSTOP either. So the guardian continues a process that asked for it: see
//! [`KeepAwake`](super::KeepAwake). The stream goes one way, and carries only [`Standing`].

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

/// The guardian's name: its first argument, and its name in the system's list of processes.
pub(super) const NAME: &str = "guardian";

/// Our view of the guardian.
#[derive(Debug)]
pub(super) struct Guardian {
    program: PathBuf,
    run: String,
    announced: Mutex<Announced>,
    /// Locked while we start or end a guardian, which takes a while. Only other starts and ends wait for it.
    changing: Mutex<()>,
    /// `None` before the first guardian, and while we replace it.
    watch: Mutex<Option<Watch>>,
}

/// The state that we send to every guardian.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Announced {
    pub(super) stops: Stops,
    /// When no process of the run may be running any more.
    pub(super) deadline: Option<Instant>,
}

impl Announced {
    /// Returns the message for the current state.
    fn standing(self) -> Standing {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Standing { stops: self.stops, left: self.deadline.map(left) }
    }
}

/// A running guardian process, and our end of its stream.
#[derive(Debug)]
struct Watch {
    process: Child,
    /// The guardian writes nothing to it.
    stream: UnixStream,
}

impl Guardian {
    /// Records the program to start, but starts nothing yet.
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

    /// Returns true if there is a guardian that is neither ended nor stopped. A stopped guardian would not notice our
    /// end.
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

    /// Returns true if a guardian was started and not dismissed since.
    pub(super) fn is_there(&self) -> bool {
        self.watch().is_some()
    }

    /// Changes the state, and sends it to the guardian.
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
        // The guardian never writes, so the stream becomes readable only at its end.
        tokio::net::UnixStream::from_std(stream)?.readable().await
    }

    /// Ends the guardian when nothing is left for it to clean up. Blocks until it is gone.
    pub(super) fn dismiss(&self, adoption: Option<&Adoption>) {
        let _changing = lock(&self.changing);
        self.end(adoption);
    }

    fn end(&self, adoption: Option<&Adoption>) {
        // Do not match on this directly: that would hold the lock while we wait.
        let watch = self.watch().take();
        if let Some(Watch { mut process, .. }) = watch {
            // An error means that the guardian is gone already.
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
        // The guardian's environment is empty. Otherwise it would carry the mark of a surrounding run, whose guardian
        // would end it together with us.
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
    /// Sends a message. If the guardian does not read it, then it is gone or stopped, and the next one gets the
    /// complete state.
    fn tell(&self, standing: Standing) {
        let _ = (&self.stream).write_all(&standing.to_frame());
    }
}
