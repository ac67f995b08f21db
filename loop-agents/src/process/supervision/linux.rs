//! Linux system calls for the rest of this folder.

use std::{ffi::CStr, io, os::fd::OwnedFd};

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

/// Names this process in the system's lists.
pub(super) fn rename(name: &CStr) {
    // An error does no harm, because the name only helps people who look.
    let _ = rustix::thread::set_name(name);
}
