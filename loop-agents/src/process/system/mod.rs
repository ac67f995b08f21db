//! Starts a command and waits for its end, in a way that depends on the system. All unsafe code of this crate is in
//! this folder.

use std::{
    ffi::{CStr, CString},
    os::fd::OwnedFd,
};

use super::program::Image;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod namespace;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub(super) use namespace::{keep_descriptors, raise_loopback, unshare_mounts, unshare_network};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{Watch, spawn};
#[cfg(target_os = "linux")]
pub(super) use spawn::spawn;
#[cfg(target_os = "linux")]
pub(super) use watch::Watch;

/// A command to start.
pub(super) struct Spawn<'a> {
    pub(super) image: &'a Image,
    pub(super) dir: Option<&'a CStr>,
    /// `NAME=value` strings.
    pub(super) env: &'a [CString],
    /// The descriptors for the child's 0, 1 and 2. All of them have to be 3 or more, because we put them in place one
    /// by one, and they would overwrite each other.
    pub(super) stdio: [&'a OwnedFd; 3],
    /// The descriptors that the child inherits under the same numbers, all of them 3 or more.
    pub(super) inherited: &'a [OwnedFd],
}
