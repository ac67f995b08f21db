//! Access to a folder's entries that never follows a link.

use std::{io, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, Dir, Mode, OFlags, Stat, openat, statat},
    io::Errno,
};

/// Opens a folder below another, unless it is a link.
pub(crate) fn open_folder(parent: &OwnedFd, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

/// Opens a file for reading, unless it is a link. Does not wait for the writer of a FIFO that took its place.
pub(crate) fn open_file(parent: &OwnedFd, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    openat(parent, name, flags, Mode::empty())
}

pub(crate) fn stat(parent: &OwnedFd, name: &[u8]) -> Result<Stat, Errno> {
    statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// Returns the names in a folder, sorted by their bytes.
pub(crate) fn names(folder: &OwnedFd) -> io::Result<Vec<Box<[u8]>>> {
    let mut names: Vec<Box<[u8]>> = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.into());
        }
    }
    names.sort_unstable();
    Ok(names)
}
