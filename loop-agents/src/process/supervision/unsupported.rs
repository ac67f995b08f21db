//! Systems other than Linux, where we cannot find orphans. It has not been verified there.

use std::{ffi::CStr, io, os::fd::OwnedFd};

use rustix::{
    io::Errno,
    process::{Pid, Signal},
};

pub(super) fn ask_for_orphans(ask: bool) -> io::Result<()> {
    match ask {
        true => Err(io::Error::new(io::ErrorKind::Unsupported, "orphans can be adopted on Linux only")),
        false => Ok(()),
    }
}

pub(super) fn hold(_: Pid) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

pub(super) fn signal(_: &OwnedFd, _: Signal) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

pub(super) fn limit_locks(_: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(feature = "servers")]
pub(super) fn unlimit_locks(_: Pid) -> io::Result<()> {
    Ok(())
}

pub(super) fn open_files() -> u64 {
    0
}

pub(super) fn raise_open_files(_: u64) {}

pub(super) fn check_process_list() -> io::Result<()> {
    Ok(())
}

pub(super) fn rename(_: &CStr) {}
