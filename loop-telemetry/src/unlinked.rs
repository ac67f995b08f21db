//! Opening a file behind a path that leads through no link.
//!
//! The agent of a run may put a link where a file of the run is written at its end: what is appended then goes into any
//! file of the user's. It may as well put a pipe there, which nobody reads, and whose opening never returns. So each part
//! of the path is opened by itself, below the one before it, and no part may be a link.

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

/// How to open a folder on the way, which need not be readable where the system can do without.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ON_THE_WAY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Never waits for another end, and makes no terminal ours.
const AT_ONCE: OFlags = OFlags::APPEND.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens a file for reading and appending, behind an absolute path without links. Makes the file (0600), and the folders
/// (0700), if they are not there.
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
        // Somebody else was faster.
        Ok(()) | Err(Errno::EXIST) => Ok(openat(folder, name, flags, Mode::empty())?),
        Err(error) => Err(error.into()),
    }
}

/// Opens what a person named for records, and what is no file: a device, a pipe that somebody reads. It fails at once if
/// nobody reads the pipe.
pub(crate) fn stream(path: &Path) -> io::Result<File> {
    Ok(open(path, OFlags::WRONLY | AT_ONCE, Mode::empty())?.into())
}

/// Whether this is what [`stream`] opens.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| {
        let kind = found.file_type();
        kind.is_fifo() || kind.is_char_device()
    })
}

/// Whether a file has more than one name.
pub(crate) fn has_names(file: &Metadata) -> bool {
    file.nlink() > 1
}
