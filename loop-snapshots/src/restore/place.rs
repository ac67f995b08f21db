//! A folder in which entries are replaced.

use std::{ffi::OsStr, fs::File, io::Write as _, os::fd::OwnedFd, os::unix::ffi::OsStrExt as _, path::Path};

use rustix::{
    fs::{AtFlags, Mode, OFlags, fchmod, fstat, mkdirat, openat, readlinkat, renameat, symlinkat, unlinkat},
    io::Errno,
};

use crate::{
    capture::{mode, names},
    error::{AtPath as _, Error},
    store::{Objects, hash_file},
    tree::{Entry, EntryKind},
};

/// A file or link that replaces another, and the open file.
type Draft = (String, Option<File>);

/// An open folder, and the absolute path of an entry in it for error messages.
pub(super) struct Place<'a> {
    pub(super) folder: &'a OwnedFd,
    pub(super) name: &'a [u8],
    pub(super) path: &'a Path,
}

impl Place<'_> {
    /// Returns whether the entry is still what was captured.
    pub(super) fn holds(&self, expected: Option<&Entry>) -> Result<bool, Error> {
        let Some(expected) = expected else {
            return Ok(matches!(names::stat(self.folder, self.name), Err(Errno::NOENT)));
        };
        match &expected.kind {
            EntryKind::File { digest, size } => {
                let Ok(file) = names::open_file(self.folder, self.name).map(File::from) else {
                    return Ok(false);
                };
                let metadata = file.metadata().at(self.path)?;
                Ok(metadata.is_file() && metadata.len() == *size && hash_file(&file, self.path)? == *digest)
            }
            EntryKind::Link { target } => Ok(readlinkat(self.folder, self.name, Vec::new())
                .is_ok_and(|found| found.to_bytes() == target.as_os_str().as_bytes())),
            EntryKind::Folder { .. } => Ok(names::open_folder(self.folder, self.name).is_ok()),
            EntryKind::LeftOut { .. } => Ok(false),
        }
    }

    /// Puts a file or link there, in the place of the file or link that is there.
    pub(super) fn put(&self, entry: &Entry, objects: &Objects) -> Result<(), Error> {
        let Some(draft) = self.create_draft(entry)? else { return Ok(()) };
        let result = self.fill_draft(entry, &draft, objects);
        if result.is_err() {
            // The first error is the one to report.
            let _ = unlinkat(self.folder, &draft.0, AtFlags::empty());
        }
        result
    }

    /// Creates a file or link under a name that nothing has yet. Returns `None` for other entries.
    fn create_draft(&self, entry: &Entry) -> Result<Option<Draft>, Error> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut number = 0_u64;
        loop {
            let name = format!(".loop-restore-{number}.draft");
            let created = match &entry.kind {
                EntryKind::File { .. } => openat(self.folder, &name, flags, Mode::RUSR | Mode::WUSR)
                    .map(|file| Some(File::from(file))),
                EntryKind::Link { target } => {
                    symlinkat(target.as_os_str(), self.folder, &name).map(|()| None)
                }
                EntryKind::Folder { .. } | EntryKind::LeftOut { .. } => return Ok(None),
            };
            match created {
                Err(Errno::EXIST) => number += 1,
                created => return created.map(|file| Some((name, file))).at(self.path),
            }
        }
    }

    fn fill_draft(&self, entry: &Entry, (name, file): &Draft, objects: &Objects) -> Result<(), Error> {
        if let (EntryKind::File { digest, .. }, Some(mut file)) = (&entry.kind, file.as_ref()) {
            objects.read(*digest, |piece| file.write_all(piece).at(self.path))?;
            fchmod(file, Mode::from_raw_mode(raw(entry.mode))).at(self.path)?;
        }
        renameat(self.folder, name, self.folder, self.name).at(self.path)
    }

    pub(super) fn create_folder(&self) -> Result<(), Error> {
        mkdirat(self.folder, self.name, Mode::RWXU).at(self.path)
    }

    /// Removes a file, a link or an empty folder. Returns false for a folder that is not empty.
    pub(super) fn remove(&self, entry: &Entry) -> Result<bool, Error> {
        let flags = if entry.folder().is_some() { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        match unlinkat(self.folder, self.name, flags) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            result => result.map(|()| true).at(self.path),
        }
    }
}

/// Gives an open folder these permission bits.
pub(super) fn set_mode(folder: &OwnedFd, bits: u32, path: &Path) -> Result<(), Error> {
    fchmod(folder, Mode::from_raw_mode(raw(bits))).at(path)
}

pub(super) fn mode_of(folder: &OwnedFd, path: &Path) -> Result<u32, Error> {
    fstat(folder).map(|stat| mode(&stat)).at(path)
}

fn raw(bits: u32) -> rustix::fs::RawMode {
    (bits & 0o7777) as rustix::fs::RawMode
}

/// Opens a path below a folder step by step, so that no step follows a link.
pub(super) fn open_below(root: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
    let mut folder = names::open_folder(root, b".")?;
    for step in path {
        folder = names::open_folder(&folder, OsStr::as_bytes(step))?;
    }
    Ok(folder)
}
