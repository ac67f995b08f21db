//! Paths that stay the same from one start of a command to the next, although commands rename folders.

use std::{
    fs, io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat, openat2},
    io::Errno,
};

/// Opens `path`, which is absolute and had no link in it when the sandbox was prepared. Returns `None` if nothing is
/// there any more.
///
/// # Errors
/// A part of the path is a link now: a command replaced it, and the link leads to a place that nobody allowed.
pub(super) fn open_without_links(path: &Path) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let opened = match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // A container may refuse the call, and an old kernel does not have it.
        Err(Errno::NOSYS | Errno::PERM) => open_each_part(path),
        opened => opened,
    };
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(Errno::LOOP) => Err(io::Error::other(format!(
            "{} is or contains a link now, and had none when the sandbox was prepared. Put the folder back, or start a \
             new run",
            path.display()
        ))),
        // Nothing is allowed where nothing can be opened.
        Err(_) => Ok(None),
    }
}

fn open_each_part(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut opened = open("/", flags, Mode::empty())?;
    for part in path.components().filter(|part| *part != Component::RootDir) {
        opened = openat(&opened, part.as_os_str(), flags, Mode::empty())?;
        if fstat(&opened)?.st_mode & libc::S_IFMT == libc::S_IFLNK {
            return Err(Errno::LOOP);
        }
    }
    Ok(opened)
}

/// The numbers that tell a file from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FileId(u64, u64);

impl FileId {
    pub(super) const fn of(found: &Stat) -> Self {
        Self(found.st_dev, found.st_ino)
    }
}

/// A hidden file or folder. It is found again after a folder above it was renamed.
#[derive(Debug)]
pub(super) struct HeldPath {
    path: PathBuf,
    file: OwnedFd,
}

impl HeldPath {
    /// # Errors
    /// Fails if the path, which has no links in it, cannot be opened.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = open(&path, flags, Mode::empty())?;
        Ok(Self { path, file })
    }

    /// Returns the places to hide now, without links: the first one if something is there, and the one to which the file
    /// was moved.
    ///
    /// # Errors
    /// The file was moved to a place that cannot be found.
    pub(super) fn places(&self) -> io::Result<Vec<PathBuf>> {
        let mut places: Vec<_> = self.path.canonicalize().into_iter().collect();
        let held = fstat(&self.file)?;
        if held.st_nlink == 0 {
            return Ok(places);
        }
        let link = fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd()))?;
        let is_same = |found: fs::Metadata| (found.dev(), found.ino()) == (held.st_dev, held.st_ino);
        if fs::symlink_metadata(&link).is_ok_and(is_same) {
            if !places.contains(&link) {
                places.push(link);
            }
            return Ok(places);
        }
        // One name of several was deleted, and the others are hard links, which nobody looks for.
        if link.as_os_str().as_bytes().ends_with(b" (deleted)") {
            return Ok(places);
        }
        Err(self.moved())
    }

    /// Returns the numbers of the file, or `None` if it has no name any more.
    ///
    /// # Errors
    /// The system does not tell.
    pub(super) fn id(&self) -> io::Result<Option<FileId>> {
        let held = fstat(&self.file)?;
        Ok((held.st_nlink > 0).then(|| FileId::of(&held)))
    }

    pub(super) fn moved(&self) -> io::Error {
        io::Error::other(format!("{} was moved, and cannot be hidden any more", self.path.display()))
    }
}
