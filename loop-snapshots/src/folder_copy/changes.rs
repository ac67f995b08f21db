//! The changes of a copy, and those that were made both there and in its folder.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{ChangeTime, CopiedEntry, Entries, FolderCopy};
use crate::error::{AtPath as _, Error};

impl FolderCopy {
    /// Returns whether the copy changed this entry. A file may have its old size and time and other bytes.
    pub(super) fn is_changed(
        &self,
        path: &Path,
        entry: &CopiedEntry,
        origin: &Entries,
    ) -> Result<bool, Error> {
        let was = self.before.get(path);
        if was != Some(entry) {
            return Ok(true);
        }
        let copied = self.copy.join(path);
        if !matches!(entry, CopiedEntry::File { .. }) || time(&copied)? <= self.made {
            return Ok(false);
        }
        Ok(origin.get(path) != was || !has_equal_bytes(&self.origin.join(path), &copied)?)
    }

    /// Returns the entries of the origin that stand in the way of these changes of the copy.
    pub(super) fn conflicts<'a>(
        &self,
        changes: impl Iterator<Item = &'a PathBuf>,
        origin: &Entries,
        copy: &Entries,
    ) -> Result<Vec<PathBuf>, Error> {
        let mut conflicts = BTreeSet::new();
        for path in changes {
            let (was, is, will) = (self.before.get(path), origin.get(path), copy.get(path));
            let is_refreshed = || path == Path::new(INDEX) && !self.has_new_objects(origin, copy);
            if is != was && !self.is_equal(path, is, will)? && !is_refreshed() {
                conflicts.insert(path.clone());
            }
            if will.is_some() {
                let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
                // A link in the place of a folder would lead out.
                conflicts
                    .extend(above.filter(|above| !self.is_folder_for(above, origin)).map(Path::to_owned));
            }
            if is_folder(was) && will.is_some() && !is_folder(will) {
                let gained = origin.range(path.clone()..).map(|(path, _)| path);
                let gained = gained.take_while(|inner| inner.starts_with(path));
                conflicts.extend(gained.filter(|inner| !self.before.contains_key(*inner)).cloned());
            }
        }
        Ok(conflicts.into_iter().collect())
    }

    /// Returns whether somebody staged or committed something in the origin: more of its repository has changed than the
    /// index, in which `git status` notes the times of files.
    fn has_new_objects(&self, origin: &Entries, copy: &Entries) -> bool {
        let git = origin.range(PathBuf::from(".git")..).take_while(|(path, _)| path.starts_with(".git"));
        let is_new = |path: &PathBuf, entry: &CopiedEntry| {
            let is_known = self.before.get(path) == Some(entry) || copy.get(path) == Some(entry);
            !is_known && !is_folder(Some(entry)) && path != Path::new(INDEX)
        };
        git.into_iter().any(|(path, entry)| is_new(path, entry))
    }

    /// Returns whether this is a folder of the origin, or becomes one in the place of what has not changed.
    fn is_folder_for(&self, above: &Path, origin: &Entries) -> bool {
        let (was, is) = (self.before.get(above), origin.get(above));
        is_folder(is) || (is == was && !is_folder(was))
    }

    /// Returns whether the origin and the copy have the same at this path. Files may have different times.
    fn is_equal(
        &self,
        path: &Path,
        origin: Option<&CopiedEntry>,
        copy: Option<&CopiedEntry>,
    ) -> Result<bool, Error> {
        let (
            Some(CopiedEntry::File { mode, size, .. }),
            Some(CopiedEntry::File { mode: other, size: copied, .. }),
        ) = (origin, copy)
        else {
            // The modes of folders are set at the end.
            return Ok(origin == copy || (is_folder(origin) && is_folder(copy)));
        };
        Ok((mode, size) == (other, copied)
            && has_equal_bytes(&self.origin.join(path), &self.copy.join(path))?)
    }
}

/// The index of a repository of git.
const INDEX: &str = ".git/index";

/// Returns when the kernel saw the last change of a file.
pub(super) fn time(path: &Path) -> Result<ChangeTime, Error> {
    let metadata = path.symlink_metadata().at(path)?;
    Ok((metadata.ctime(), metadata.ctime_nsec()))
}

fn is_folder(entry: Option<&CopiedEntry>) -> bool {
    matches!(entry, Some(CopiedEntry::Folder { .. }))
}

/// Compares two files of one size.
fn has_equal_bytes(one: &Path, other: &Path) -> Result<bool, Error> {
    let (mut first, mut second) = (File::open(one).at(one)?, File::open(other).at(other)?);
    let (mut left, mut right) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let read = first.read(&mut left).at(one)?;
        match second.read_exact(&mut right[..read]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            compared => compared.at(other)?,
        }
        if read == 0 || left[..read] != right[..read] {
            return Ok(read == 0);
        }
    }
}
