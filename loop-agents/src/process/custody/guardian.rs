//! A second process, that cleans up when this one is killed.
//!
//! Nobody can do anything about a SIGKILL of their own, and the system ends a dead process's children
//! only if it is asked to for each of them by themselves. So another process waits for the end of a
//! stream that only we hold open. When we are gone it ends whatever carries our run's mark. We wait for
//! the end of the same stream, and if it is the guardian that is gone, we start another one.

use std::{
    ffi::OsString,
    io::{self, Read},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, WaitId, WaitIdOptions, setsid, waitid};

use super::{kill::end_all, mark::Mark, system};

/// What a guardian is called in the first of its arguments, and by the system's list of processes.
const NAME: &str = "guardian";

/// The guardian, as we know it.
#[derive(Debug)]
pub(super) struct Guardian {
    program: PathBuf,
    run: String,
    watch: Mutex<Option<Watch>>,
}

/// A guardian that was started.
#[derive(Debug)]
struct Watch {
    process: Child,
    /// Nothing is ever written to it.
    stream: UnixStream,
}

impl Guardian {
    /// What is to be started; nothing is yet.
    pub(super) fn new(program: PathBuf, run: String) -> Self {
        Self { program, run, watch: Mutex::new(None) }
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
        let started = watch.insert(Watch::start(&self.program, &self.run)?);
        Ok(Pid::from_child(&started.process))
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
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
}

/// Serves as a guardian if these arguments say so, and gives true when that is done.
///
/// A program that [is guarded](super::Custody::guarded_by) calls this first in its `main`, with its own
/// arguments ([`std::env::args_os`]), and returns at once if it gives true.
pub fn serve_as_guardian(args: impl IntoIterator<Item = OsString>) -> bool {
    let mut args = args.into_iter();
    if args.next().is_none_or(|name| name != NAME) {
        return false;
    }
    let Some(run) = args.next().and_then(|run| run.into_string().ok()) else { return true };
    // Out of reach of a terminal's Ctrl+C and hang-up, which are for the one that is guarded.
    let _ = setsid();
    system::rename(c"guardian");
    // Whatever is read, or goes wrong with that, it ends when nobody holds the other end.
    let _ = io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink());
    let mark = Mark::new(run);
    end_all(|| mark.carriers());
    true
}
