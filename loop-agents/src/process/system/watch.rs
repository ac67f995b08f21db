//! Reports the end of a process as an event, through a pidfd.
#![expect(unsafe_code, reason = "tokio asks for a promise about the file descriptor that it is to watch")]

use std::{io, os::fd::OwnedFd, sync::Arc};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    process::{Pid, PidfdFlags, pidfd_open},
};
use tokio::io::{Interest, unix::AsyncFd};

/// Reports when a process has ended.
#[derive(Debug)]
pub(in crate::process) struct Watch(Arc<AsyncFd<OwnedFd>>);

impl Watch {
    /// Creates a watch. `pid` must be a child that was not reaped, so that the number cannot mean another process.
    pub(in crate::process) fn new(pid: Pid) -> io::Result<Self> {
        // A flag for non-blocking pidfds came with Linux 5.10, pidfds themselves with 5.3.
        let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
        fcntl_setfl(&pidfd, OFlags::NONBLOCK)?;
        // SAFETY: the descriptor was just opened and is owned by the AsyncFd from here on; an
        // OwnedFd stays open, and gives the same number, until it is dropped with it.
        let watched = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) };
        Ok(Self(Arc::new(watched?)))
    }

    /// Returns another owner of the descriptor.
    pub(in crate::process) fn descriptor(&self) -> Arc<dyn Send + Sync> {
        Arc::clone(&self.0) as _
    }

    /// Resolves when the process has ended. It does not reap the process, and you may await it again.
    pub(in crate::process) async fn ended(&self) -> io::Result<()> {
        // We do not clear the readiness, because a process that has ended stays so.
        self.0.readable().await.map(drop)
    }
}
