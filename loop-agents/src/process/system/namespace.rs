//! A mount namespace, and a table of descriptors, for one thread.
#![expect(
    unsafe_code,
    reason = "`unshare` and `close_range` are unsafe for the sake of descriptors that are closed"
)]

use std::io;

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Moves the calling thread into a mount namespace of its own.
///
/// # Errors
/// This process lacks `CAP_SYS_ADMIN`, or a filter forbids it.
pub(in crate::process) fn unshare_mounts() -> io::Result<()> {
    // SAFETY: only `UnshareFlags::FILES` endangers memory safety, because it gives a thread descriptors of its own.
    Ok(unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?)
}

/// Gives the calling thread a table of descriptors of its own, from which a program that it starts inherits only those that
/// are put in place for it. Descriptors that this process inherited would otherwise go along.
///
/// # Errors
/// The kernel is older than Linux 5.11, or a filter forbids it.
pub(in crate::process) fn keep_descriptors() -> io::Result<()> {
    let flags = libc::CLOSE_RANGE_UNSHARE | libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: the flag closes nothing in this process. It marks the descriptors of the thread's own table, so that they are
    // closed when a program is executed.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
