//! Lists and creates folders, and reads the status of paths.

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, mkdirat, openat, statat},
    io::Errno,
};

use super::{
    Workspace, WorkspaceError,
    path_walk::{FinalLink, MissingNames},
};
use crate::policy::{LocalPath, Verb};

/// The type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, whatever its target.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl FileKind {
    /// Converts the type in `st_mode`.
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderEntry {
    /// The name. Bytes that are not UTF-8 appear as U+FFFD.
    pub name: String,
    /// The type.
    pub kind: FileKind,
    /// Whether the policy allows reading it.
    pub readable: bool,
}

/// The status of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathStatus {
    /// The path, without links.
    pub path: LocalPath,
    /// The type. Links are followed, so this is never a link.
    pub kind: FileKind,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Workspace {
    /// Returns the entries of a folder, sorted by name. Names alone are not secret, so the list includes unreadable
    /// entries and marks them.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the path leads out, is not allowed, or is not a folder.
    pub fn list(&self, path: &str) -> Result<Vec<FolderEntry>, WorkspaceError> {
        let place = self.find(path, FinalLink::Follow, MissingNames::Refuse, Verb::Read)?;
        let error = |errno: Errno| match errno {
            Errno::NOTDIR | Errno::LOOP => {
                WorkspaceError::Kind { path: place.path.clone(), needed: "folder" }
            }
            errno => WorkspaceError::io("list", &place.path, errno),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(place.folder(), &place.name, flags, Mode::empty()).map_err(error)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            let name = entry.file_name();
            if [c".", c".."].contains(&name) {
                continue;
            }
            // It was removed after the listing, so leave it out.
            let Ok(stat) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let name = name.to_string_lossy().into_owned();
            let readable = self.policy().on_path(&place.path.join(&name)?, Verb::Read).allowed;
            entries.push(FolderEntry {
                name,
                kind: FileKind::of(FileType::from_raw_mode(stat.st_mode)),
                readable,
            });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Returns the status of a path.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the path leads out, is not allowed, or does not exist.
    pub fn status(&self, path: &str) -> Result<PathStatus, WorkspaceError> {
        let place = self.find(path, FinalLink::Follow, MissingNames::Refuse, Verb::Read)?;
        let stat = statat(place.folder(), &place.name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| WorkspaceError::io("look at", &place.path, errno))?;
        let kind = FileKind::of(FileType::from_raw_mode(stat.st_mode));
        Ok(PathStatus { path: place.path, kind, bytes: u64::try_from(stat.st_size).unwrap_or_default() })
    }

    /// Creates a folder and those above it. An existing folder stays unchanged.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the path leads out, is not allowed, or is not a folder.
    pub fn create_dir(&self, path: &str) -> Result<LocalPath, WorkspaceError> {
        let place = self.find(path, FinalLink::Follow, MissingNames::Create, Verb::Write)?;
        match place.kind {
            Some(FileType::Directory) => Ok(place.path),
            Some(_) => Err(WorkspaceError::Kind { path: place.path, needed: "folder" }),
            None => match mkdirat(place.folder(), &place.name, Mode::from_raw_mode(0o777)) {
                Ok(()) => Ok(place.path),
                Err(errno) => Err(WorkspaceError::io("make the folder", &place.path, errno)),
            },
        }
    }
}
