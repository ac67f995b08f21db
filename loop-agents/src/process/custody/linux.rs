//! What only Linux has, and what the rest of this folder stands on.

use std::{ffi::CStr, io, os::fd::OwnedFd};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, getpid, getrlimit, pidfd_open, pidfd_send_signal,
        set_child_subreaper, setrlimit,
    },
};

/// Asks for orphans, or no more.
pub(super) fn ask_for_orphans(ask: bool) -> io::Result<()> {
    Ok(set_child_subreaper(ask.then(getpid))?)
}

/// Takes hold of a process.
pub(super) fn hold(pid: Pid) -> Result<OwnedFd, Errno> {
    pidfd_open(pid, PidfdFlags::empty())
}

/// Sends a signal to a process that is held.
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
    // It only helps people who look.
    let _ = rustix::thread::set_name(name);
}
