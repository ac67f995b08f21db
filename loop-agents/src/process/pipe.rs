//! Pipes that no other child inherits.

use std::{io, os::fd::OwnedFd};

/// A pipe: the end to read from, and the end to write to.
#[cfg(not(target_vendor = "apple"))]
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// The same where the system has no call that does both at once: a child that another thread starts
/// in between inherits the ends.
#[cfg(target_vendor = "apple")]
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::io::{FdFlags, fcntl_setfd};

    let (read, write) = rustix::pipe::pipe()?;
    fcntl_setfd(&read, FdFlags::CLOEXEC)?;
    fcntl_setfd(&write, FdFlags::CLOEXEC)?;
    Ok((read, write))
}
