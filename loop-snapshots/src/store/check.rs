//! Reads everything that a store has, as `git fsck` does.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{FOREIGN, FORMAT, Store};
use crate::{
    digest::Digest,
    disk::{self, Disk},
    error::{AtPath as _, Error},
    tree::EntryKind,
};

impl Store {
    /// Reads every snapshot of the store in the folder `store`, with all contents, and returns the number of snapshots.
    /// Changes no snapshot. Captures wait meanwhile.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if something is missing or is not what was written, and with [`Error::File`] if a
    /// file cannot be read.
    pub fn check(store: &Path) -> Result<u64, Error> {
        let format = store.join("format");
        let name = disk::read(&format).at(&format)?;
        let name = name.strip_prefix(FORMAT).and_then(|name| name.get(..16));
        if name.is_none() || name != store.file_name().map(OsStr::as_encoded_bytes) {
            return Err(Error::damaged(&format, FOREIGN));
        }
        // Nothing here looks at the folder itself.
        let mut store = Self::at(store.to_owned(), PathBuf::new(), Disk::default());
        let _lock = store.lock()?;
        let (mut read, mut snapshots) = (HashSet::new(), 0);
        for run in store.runs()? {
            for snapshot in run.snapshots {
                store.walk(snapshot.root, &mut read, |file| store.objects.read(file, |_| Ok(())))?;
                snapshots += 1;
            }
        }
        Ok(snapshots)
    }

    /// Adds the contents of a stored folder, and of all folders in it, to `seen`. Passes each file that was not there to
    /// `file`, and does not look again into a folder that was.
    pub(super) fn walk(
        &self,
        root: Digest,
        seen: &mut HashSet<Digest>,
        mut file: impl FnMut(Digest) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            if !seen.insert(folder) {
                continue;
            }
            for entry in self.objects.entries(folder)? {
                match entry.kind {
                    EntryKind::Folder { digest } => folders.push(digest),
                    EntryKind::File { digest, .. } if seen.insert(digest) => file(digest)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
