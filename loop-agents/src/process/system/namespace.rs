//! A mount namespace for one thread.
#![expect(unsafe_code, reason = "`unshare` is unsafe for the sake of a flag about descriptors")]

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
