//! The entries on disk below a folder, with the stat data that tells whether it changed.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use crate::{
    cache::StatData,
    error::{AtPath as _, Error},
    folder_copy::{CopiedEntry, kind},
};

/// Entries by their paths, in the order of bytes: comparing the steps of paths would take most of the time. A folder comes
/// before what is in it.
pub(super) type ByPath<T> = BTreeMap<OsString, T>;

/// An entry on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundEntry {
    pub(super) kind: CopiedEntry,
    pub(super) stat: StatData,
}

impl FoundEntry {
    pub(super) fn is_file(&self) -> bool {
        matches!(self.kind, CopiedEntry::File { .. })
    }

    /// Returns whether nothing happened to the entry in between. The stat data of a folder changes with what is in it, so
    /// only its mode counts.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.kind == other.kind
            && (matches!(self.kind, CopiedEntry::Folder { .. }) || self.stat == other.stat)
    }
}

/// Lists everything below a folder, and makes folders readable for that. Sockets, pipes and devices are removed.
pub(super) fn found(root: &Path) -> Result<ByPath<FoundEntry>, Error> {
    let (mut entries, mut folders) = (ByPath::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        for entry in fs::read_dir(&path).at(&path)? {
            let name = entry.at(&path)?.file_name();
            let (absolute, below) = (path.join(&name), folder.join(&name));
            let metadata = fs::symlink_metadata(&absolute).at(&absolute)?;
            let Some(kind) = kind(&absolute, &metadata)? else {
                fs::remove_file(&absolute).at(&absolute)?;
                continue;
            };
            if let CopiedEntry::Folder { mode } = kind {
                if mode & OWNER != OWNER {
                    set_mode(&absolute, mode | OWNER)?;
                }
                folders.push(below.clone());
            }
            entries
                .insert(below.into_os_string(), FoundEntry { kind, stat: StatData::of_metadata(&metadata) });
        }
    }
    Ok(entries)
}

/// Refuses a folder that became a link: what is deleted there would be deleted elsewhere.
pub(super) fn stays_a_folder(root: &Path) -> Result<(), Error> {
    match fs::canonicalize(root) {
        Ok(found) if found == root => Ok(()),
        _ => Err(Error::SealBroken { path: root.to_owned() }),
    }
}

/// The bits that the owner needs in order to change a folder.
pub(super) const OWNER: u32 = 0o700;

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    fs::set_permissions(path, Permissions::from_mode(mode & 0o7777)).at(path)
}

/// Returns the stat data of a file.
pub(super) fn stat(path: &Path) -> Result<StatData, Error> {
    let metadata = fs::symlink_metadata(path).at(path)?;
    Ok(StatData::of_metadata(&metadata))
}

/// Returns the mode of a file or folder.
pub(super) fn mode(path: &Path) -> Result<u32, Error> {
    Ok(fs::symlink_metadata(path).at(path)?.mode() & 0o7777)
}
