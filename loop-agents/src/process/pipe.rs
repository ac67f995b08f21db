//! Pipes that no other child inherits.

use std::{io, os::fd::OwnedFd};

/// Creates a pipe: the end to read from, and the end to write to.
#[cfg(not(target_vendor = "apple"))]
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// Creates a pipe on systems without a call that also sets the flag. If another thread starts a child in between, that
/// child inherits both ends.
#[cfg(target_vendor = "apple")]
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::io::{FdFlags, fcntl_setfd};

    let (read, write) = rustix::pipe::pipe()?;
    fcntl_setfd(&read, FdFlags::CLOEXEC)?;
    fcntl_setfd(&write, FdFlags::CLOEXEC)?;
    Ok((read, write))
}
