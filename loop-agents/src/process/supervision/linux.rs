//! Linux system calls for the rest of this folder.

use std::{ffi::CStr, fs, io, os::fd::OwnedFd};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, getpid, getrlimit, pidfd_open, pidfd_send_signal,
        set_child_subreaper, setrlimit,
    },
};

/// Turns the adoption of orphans on or off for this process.
pub(super) fn ask_for_orphans(ask: bool) -> io::Result<()> {
    Ok(set_child_subreaper(ask.then(getpid))?)
}

/// Takes hold of a process.
pub(super) fn hold(pid: Pid) -> Result<OwnedFd, Errno> {
    pidfd_open(pid, PidfdFlags::empty())
}

/// Sends a signal through a process descriptor.
pub(super) fn signal(held: &OwnedFd, signal: Signal) -> Result<(), Errno> {
    pidfd_send_signal(held, signal)
}

/// Sets the limit on file locks that every child inherits.
pub(super) fn limit_locks(limit: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Locks);
    Ok(setrlimit(Resource::Locks, Rlimit { current: Some(limit), maximum })?)
}

/// Removes the limit on file locks that a child inherited from this process.
#[cfg(feature = "servers")]
pub(super) fn unlimit_locks(child: Pid) -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Locks);
    Ok(rustix::process::prlimit(Some(child), Resource::Locks, Rlimit { current: maximum, maximum })
        .map(drop)?)
}

/// Returns the soft limit on open files of this process.
pub(super) fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Raises the soft limit on open files of this process to this number, or to the hard limit if that is lower. Any
/// process of the user can lower the limit, and with too few files, we could not read the list of processes.
pub(super) fn raise_open_files(least: u64) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (soft, hard) = (current.unwrap_or(u64::MAX), maximum.unwrap_or(u64::MAX));
    if soft < least.min(hard) {
        // If this fails, the limit was lowered again meanwhile. Then the search finds less, and the caller repeats it.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(least.min(hard)), maximum });
    }
}

/// Checks that the list of processes can be read. A search has as many files open at a time as this.
pub(super) fn check_process_list() -> io::Result<()> {
    let _list = fs::read_dir("/proc")?;
    let _held = hold(getpid())?;
    fs::read("/proc/self/stat").map(drop)
}

/// Names this process in the system's lists.
pub(super) fn rename(name: &CStr) {
    // An error does no harm, because the name only helps people who look.
    let _ = rustix::thread::set_name(name);
}
