//! Opens a file by a path that contains no links.
//!
//! The agent of a run could put a link in the place of a file that the run writes at its end. Our data would then go
//! into any file of the user. It could also put a pipe without a reader there, and opening it would never return. So we
//! open each part of the path separately, relative to the part before it, and refuse links.

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io,
    os::{
        fd::OwnedFd,
        unix::fs::{FileTypeExt, MetadataExt},
    },
    path::{Component, Path},
};

use rustix::{
    fs::{Mode, OFlags, mkdirat, open, openat},
    io::Errno,
};

/// How to open a folder on the way. The folder need not be readable, if the system supports that.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ON_THE_WAY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Does not wait for the other end of a pipe, and does not take a controlling terminal.
const AT_ONCE: OFlags = OFlags::APPEND.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens a file for reading and appending by an absolute path without links. Creates the file (0600) and its folders
/// (0700) if they are missing.
pub(crate) fn append_behind(path: &Path) -> io::Result<File> {
    let nowhere = || io::Error::from(io::ErrorKind::InvalidInput);
    let (above, name) = (path.parent().ok_or_else(nowhere)?, path.file_name().ok_or_else(nowhere)?);
    let mut folder = open("/", ON_THE_WAY, Mode::empty())?;
    for part in above.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => folder = below(&folder, name)?,
            _ => return Err(nowhere()),
        }
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | AT_ONCE;
    Ok(openat(&folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

fn below(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = ON_THE_WAY | OFlags::NOFOLLOW;
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => {}
        opened => return Ok(opened?),
    }
    match mkdirat(folder, name, Mode::RWXU) {
        // It exists because another process was faster.
        Ok(()) | Err(Errno::EXIST) => Ok(openat(folder, name, flags, Mode::empty())?),
        Err(error) => Err(error.into()),
    }
}

/// Opens a device or a pipe that a person named for records. Fails at once if the pipe has no reader.
pub(crate) fn stream(path: &Path) -> io::Result<File> {
    Ok(open(path, OFlags::WRONLY | AT_ONCE, Mode::empty())?.into())
}

/// Returns whether [`stream`] can open this path.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| {
        let kind = found.file_type();
        kind.is_fifo() || kind.is_char_device()
    })
}

/// Returns whether a file has more than one name.
pub(crate) fn has_names(file: &Metadata) -> bool {
    file.nlink() > 1
}
