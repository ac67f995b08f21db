//! Files: reading, replacing, moving and removing them.

use std::{
    ffi::OsString,
    fs::File,
    io::Write,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, fchmod, fstat, openat, renameat, statat, unlinkat},
    io::Errno,
};

use super::{
    Workspace, WorkspaceError, executable_content, followed_links,
    path_walk::{FinalLink, MissingNames, WalkTarget},
};
use crate::policy::{LocalPath, Verb, executed::ExecutedFile};

/// A regular file, open for reading.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedFile {
    /// The file.
    pub file: File,
    /// Its path, without links.
    pub path: LocalPath,
    /// Its length in bytes when it was opened.
    pub bytes: u64,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenFile {
    /// Its path, without links.
    pub path: LocalPath,
    /// Whether the file is new.
    pub created: bool,
}

impl Workspace {
    /// Opens a regular file for reading. This refuses pipes and devices, because reading them may block forever.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the path leads out, is not allowed, or is not a file.
    pub fn read(&self, path: &str) -> Result<OpenedFile, WorkspaceError> {
        let place = self.find(path, FinalLink::Follow, MissingNames::Refuse, Verb::Read)?;
        let not_a_file = || WorkspaceError::Kind { path: place.path.clone(), needed: "file" };
        if place.kind != Some(FileType::RegularFile) {
            return Err(not_a_file());
        }
        // The file may have been replaced by now. Do not follow a link, and do not wait for a pipe.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(place.folder(), &place.name, flags, Mode::empty());
        let file = file.map_err(|errno| changed_or("read", &place, path, errno))?;
        let stat = fstat(&file).map_err(|errno| WorkspaceError::io("read", &place.path, errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(not_a_file());
        }
        let bytes = u64::try_from(stat.st_size).unwrap_or_default();
        Ok(OpenedFile { file: file.into(), path: place.path, bytes })
    }

    /// Writes a whole file atomically, and creates the folders above it. A concurrent reader sees either the old file
    /// or the new one. An existing file keeps its mode. A link keeps leading to the file.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the path leads out, is not allowed, or is not a file, or if the disk refuses. The file is
    /// then unchanged.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<WrittenFile, WorkspaceError> {
        Ok(self.put(path, bytes, FinalLink::Follow)?.0)
    }

    /// Writes a whole file like [`write`](Self::write), but replaces a link itself, and not its target. Returns the new
    /// file, open for appending. It stays this file, whatever somebody puts in its place later.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn replace(&self, path: &str, bytes: &[u8]) -> Result<File, WorkspaceError> {
        Ok(self.put(path, bytes, FinalLink::Keep)?.1)
    }

    fn put(&self, path: &str, bytes: &[u8], last: FinalLink) -> Result<(WrittenFile, File), WorkspaceError> {
        let executed = ExecutedFile::of(bytes);
        if executed.is_some() {
            // Check this before creating folders for it.
            let asked = self.check(path, Verb::Write)?;
            executable_content::refuse_new(&self.0, &asked, executed)?;
        }
        let place = self.find(path, last, MissingNames::Create, Verb::Write)?;
        // Names may have changed in the meantime.
        executable_content::refuse_new(&self.0, &place.path, executed)?;
        // A final link is only left here if it is to be replaced.
        if place.kind.is_some_and(|kind| !matches!(kind, FileType::RegularFile | FileType::Symlink)) {
            return Err(WorkspaceError::Kind { path: place.path, needed: "file" });
        }
        let io = |errno: Errno| WorkspaceError::io("write", &place.path, errno);
        let draft = Draft::beside(&place).map_err(io)?;
        if place.kind == Some(FileType::RegularFile) {
            let stat = statat(place.folder(), &place.name, AtFlags::SYMLINK_NOFOLLOW).map_err(io)?;
            fchmod(&draft.file, Mode::from_raw_mode(stat.st_mode & 0o777)).map_err(io)?;
        }
        draft.fill(bytes).map_err(|error| WorkspaceError::io("write", &place.path, error))?;
        let file = draft.file.try_clone().map_err(|error| WorkspaceError::io("write", &place.path, error))?;
        draft.put_in_place().map_err(io)?;
        Ok((WrittenFile { created: place.kind.is_none(), path: place.path.clone() }, file))
    }

    /// Moves a file or a folder. At both ends this moves and replaces links themselves, not their targets.
    ///
    /// This needs permission to remove the source, to write the destination, and to remove the file that it replaces.
    ///
    /// # Errors
    /// [`WorkspaceError`] if a path leads out or is not allowed, if permissions are set for a path within the folder or
    /// a change to one of them needs approval, or if the disk refuses.
    pub fn rename(&self, from: &str, to: &str) -> Result<LocalPath, WorkspaceError> {
        let old = self.find(from, FinalLink::Keep, MissingNames::Refuse, Verb::Delete)?;
        let new = self.find(to, FinalLink::Keep, MissingNames::Create, Verb::Write)?;
        if new.kind.is_some() {
            self.0.judge(&new.path, Verb::Delete)?;
        }
        for place in [&old, &new] {
            refuse_folder_itself(place)?;
            if old.kind == Some(FileType::Directory) && self.policy().has_rules_about(&place.path) {
                return Err(WorkspaceError::RulesBelow { path: place.path.clone() });
            }
        }
        if followed_links::has_rules_below(&self.0, &old, &new)? {
            return Err(WorkspaceError::RulesBelow { path: old.path });
        }
        renameat(old.folder(), &old.name, new.folder(), &new.name)
            .map_err(|errno| WorkspaceError::io("move", &old.path, errno))?;
        Ok(new.path)
    }

    /// Removes a file, a link, or an empty folder.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the path leads out or is not allowed, or the disk refuses.
    pub fn remove(&self, path: &str) -> Result<LocalPath, WorkspaceError> {
        let place = self.find(path, FinalLink::Keep, MissingNames::Refuse, Verb::Delete)?;
        refuse_folder_itself(&place)?;
        let is_folder = place.kind == Some(FileType::Directory);
        let flags = if is_folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        unlinkat(place.folder(), &place.name, flags)
            .map_err(|errno| WorkspaceError::io("remove", &place.path, errno))?;
        Ok(place.path)
    }
}

/// A path that ends in `..` or `.` has no final path component.
fn refuse_folder_itself(place: &WalkTarget) -> Result<(), WorkspaceError> {
    if place.name == "." {
        return Err(WorkspaceError::Kind {
            path: place.path.clone(),
            needed: "name of something in a folder",
        });
    }
    Ok(())
}

fn changed_or(action: &'static str, place: &WalkTarget, asked: &str, errno: Errno) -> WorkspaceError {
    if errno == Errno::LOOP {
        return WorkspaceError::Restless { path: asked.to_owned() };
    }
    WorkspaceError::io(action, &place.path, errno)
}

/// A new file next to the file that it will replace. If it is dropped before that, its file is removed.
struct Draft<'a> {
    place: &'a WalkTarget,
    name: OsString,
    file: File,
    in_place: bool,
}

impl<'a> Draft<'a> {
    fn beside(place: &'a WalkTarget) -> Result<Self, Errno> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".loop-draft-{}-{number}", std::process::id()));
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
            let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match openat(place.folder(), &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok(Self { place, name, file: file.into(), in_place: false }),
                // Another process with the same PID left it behind.
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    fn fill(&self, bytes: &[u8]) -> std::io::Result<()> {
        (&self.file).write_all(bytes)?;
        // Otherwise a power cut could leave an empty file under the new name.
        self.file.sync_data()
    }

    fn put_in_place(mut self) -> Result<(), Errno> {
        renameat(self.place.folder(), &self.name, self.place.folder(), &self.place.name)?;
        self.in_place = true;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.in_place {
            // Report the error that led here, not this one.
            let _ = unlinkat(self.place.folder(), &self.name, AtFlags::empty());
        }
    }
}
