//! Starting a command and hearing of its end, which differ between systems. All unsafe code of this crate is
//! in this folder.

use std::{
    ffi::{CStr, CString},
    os::fd::OwnedFd,
};

use super::program::Image;

#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(not(target_os = "linux"))]
pub(super) use portable::{Watch, spawn};
#[cfg(target_os = "linux")]
pub(super) use spawn::spawn;
#[cfg(target_os = "linux")]
pub(super) use watch::Watch;

/// What is to be started.
pub(super) struct Spawn<'a> {
    pub(super) image: &'a Image,
    pub(super) dir: Option<&'a CStr>,
    /// `NAME=value` strings.
    pub(super) env: &'a [CString],
    /// What becomes the child's 0, 1 and 2. None of them may be below 3 here: they are put in
    /// place one after the other, and would overwrite each other.
    pub(super) stdio: [&'a OwnedFd; 3],
    /// What the child has under the same numbers, none of them below 3.
    pub(super) inherited: &'a [OwnedFd],
}
