//! A second process that cleans up when this one is killed.
//!
//! No process can react to its own SIGKILL, and the system ends a dead process's children only if each of them asks for
//! it. So the watchdog, another process, waits for the end of a stream that only we hold open. When we are gone, it
//! ends all processes that carry our run's mark. We wait for the end of the same stream, and start another watchdog if
//! this one is gone.
//!
//! No process can react to its own SIGSTOP either. So the watchdog continues us, unless we stop on purpose: see
//! [`suspend`](super::suspend()). The stream goes one way, and carries only [`StateMessage`].

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
    process_tree::SubreaperGuard,
    watchdog_message::{StateMessage, StopPolicy},
};

/// The name of the watchdog process: its first argument, and its name in the system's list of processes. A
/// [`sweep`](super::sweep) finds the watchdogs of other versions by this name.
pub(super) const PROCESS_NAME: &str = "guardian";

/// Our view of the watchdog.
#[derive(Debug)]
pub(super) struct Watchdog {
    program: PathBuf,
    run: String,
    state: Mutex<WatchedState>,
    /// Locked while we start or end a watchdog, which takes a while. Only other starts and ends wait for it.
    changing: Mutex<()>,
    /// `None` before the first watchdog, and while we replace it.
    connection: Mutex<Option<Connection>>,
}

/// The state that we send to every watchdog.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WatchedState {
    pub(super) stops: StopPolicy,
    /// Whether every child of ours in another session belongs to the run.
    pub(super) owns_children: bool,
    /// When no process of the run may be running any more.
    pub(super) deadline: Option<Instant>,
}

impl WatchedState {
    /// Returns the message for the current state.
    fn message(self) -> StateMessage {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        StateMessage { stops: self.stops, owns_children: self.owns_children, left: self.deadline.map(left) }
    }
}

/// A running watchdog process, and our end of its stream.
#[derive(Debug)]
struct Connection {
    process: Child,
    /// The watchdog writes nothing to it.
    stream: UnixStream,
}

impl Watchdog {
    /// Records the program to start, but starts nothing yet.
    pub(super) fn new(program: PathBuf, run: String) -> Self {
        Self { program, run, state: Mutex::default(), changing: Mutex::new(()), connection: Mutex::new(None) }
    }

    /// Starts a watchdog unless one is awake. Blocks while it ends the old watchdog and starts the new one.
    pub(super) fn ensure_running(&self, subreaper: Option<&SubreaperGuard>) -> io::Result<()> {
        let _changing = lock(&self.changing);
        if self.is_awake()? {
            return Ok(());
        }
        self.end(subreaper);
        let (ours, mut command) = self.command()?;
        let process = match subreaper {
            Some(subreaper) => subreaper.start_watchdog(|| command.spawn())?,
            None => command.spawn()?,
        };
        let mut connection = self.connection();
        let started = connection.insert(Connection { process, stream: ours });
        started.send(lock(&self.state).message());
        Ok(())
    }

    /// Returns true if there is a watchdog that is neither ended nor stopped. A stopped watchdog would not notice our
    /// end.
    pub(super) fn is_awake(&self) -> io::Result<bool> {
        const LOOK: WaitIdOptions = WaitIdOptions::EXITED
            .union(WaitIdOptions::STOPPED)
            .union(WaitIdOptions::NOHANG)
            .union(WaitIdOptions::NOWAIT);
        match &*self.connection() {
            Some(Connection { process, .. }) => {
                Ok(waitid(WaitId::Pid(Pid::from_child(process)), LOOK)?.is_none())
            }
            None => Ok(false),
        }
    }

    /// Returns true if a watchdog was started and not dismissed since.
    pub(super) fn is_started(&self) -> bool {
        self.connection().is_some()
    }

    /// Changes the state, and sends it to the watchdog.
    pub(super) fn announce(&self, change: impl FnOnce(&mut WatchedState)) {
        let connection = self.connection();
        let mut state = lock(&self.state);
        change(&mut state);
        if let Some(connection) = &*connection {
            connection.send(state.message());
        }
    }

    /// Resolves when the watchdog is gone. Cancel safe.
    pub(super) async fn gone(&self) -> io::Result<()> {
        let stream = match &*self.connection() {
            Some(connection) => connection.stream.try_clone()?,
            None => return Ok(()),
        };
        // The watchdog never writes, so the stream becomes readable only at its end.
        tokio::net::UnixStream::from_std(stream)?.readable().await
    }

    /// Ends the watchdog when nothing is left for it to clean up. Blocks until it is gone.
    pub(super) fn dismiss(&self, subreaper: Option<&SubreaperGuard>) {
        let _changing = lock(&self.changing);
        self.end(subreaper);
        lock(&self.state).deadline = None;
    }

    /// Ends the watchdog until [`ensure_running`](Self::ensure_running) starts another. Blocks until it is gone.
    pub(super) fn rest(&self, subreaper: &SubreaperGuard) {
        let _changing = lock(&self.changing);
        self.end(Some(subreaper));
    }

    fn end(&self, subreaper: Option<&SubreaperGuard>) {
        // Do not match on this directly: that would hold the lock while we wait.
        let connection = self.connection().take();
        if let Some(Connection { mut process, .. }) = connection {
            // An error means that the watchdog is gone already.
            let _ = process.kill();
            let _ = process.wait();
            subreaper.map(SubreaperGuard::forget_watchdog);
        }
    }

    /// Returns the command that starts the watchdog, and our end of the stream that the watchdog reads.
    fn command(&self) -> io::Result<(UnixStream, Command)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&self.program);
        // The watchdog's environment is empty. Otherwise it would carry the mark of a surrounding run, whose watchdog
        // would end it together with us.
        command.arg0(PROCESS_NAME).arg(&self.run).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok((ours, command))
    }

    fn connection(&self) -> MutexGuard<'_, Option<Connection>> {
        lock(&self.connection)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// Sends a message. If the watchdog does not read it, then it is gone or stopped, and the next one gets the
    /// complete state.
    fn send(&self, message: StateMessage) {
        let _ = (&self.stream).write_all(&message.to_frame());
    }
}
