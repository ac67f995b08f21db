//! Reads everything that a store has, as `git fsck` does.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use super::{FORMAT, Objects, Store};
use crate::{
    digest::Digest,
    disk::{self, Disk},
    error::{AtPath as _, Error},
    tree::EntryKind,
};

impl Store {
    /// Returns the folders of all stores below the state directory `state`, sorted. [`check`](Self::check) reads one.
    ///
    /// # Errors
    /// Fails with [`Error::File`] if the directory cannot be read. One that does not exist has no stores.
    pub fn all(state: &Path) -> Result<Vec<PathBuf>, Error> {
        let entries = match fs::read_dir(state) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.at(state)?,
        };
        let mut stores =
            entries.map(|entry| Ok(entry.at(state)?.path())).collect::<Result<Vec<_>, Error>>()?;
        stores.sort();
        Ok(stores)
    }

    /// Reads every snapshot of the store in the folder `store`, with all contents, and returns the number of snapshots.
    /// Changes nothing. Captures wait meanwhile.
    ///
    /// # Errors
    /// Fails with [`Error::Damaged`] if something is missing or is not what was written, and with [`Error::File`] if a
    /// file cannot be read.
    pub fn check(store: &Path) -> Result<u64, Error> {
        let format = store.join("format");
        let name = disk::read(&format).at(&format)?;
        let name = name.strip_prefix(FORMAT).and_then(|name| name.get(..16));
        if name.is_none() || name != store.file_name().map(OsStr::as_encoded_bytes) {
            return Err(Error::damaged(&format, "it has another format, or belongs to another folder"));
        }
        let disk = Disk::default();
        let objects = Objects::new(&disk, store.join("packs"));
        // Nothing here looks at the folder itself.
        let mut store = Self { path: store.to_owned(), folder: PathBuf::new(), disk, objects };
        let _lock = store.lock()?;
        let (mut read, mut snapshots) = (HashSet::new(), 0);
        for run in store.runs()? {
            for snapshot in run.snapshots {
                store.read_all(snapshot.root, &mut read)?;
                snapshots += 1;
            }
        }
        Ok(snapshots)
    }

    /// Reads all contents below a folder that were not read yet. Reading checks them.
    fn read_all(&self, root: Digest, read: &mut HashSet<Digest>) -> Result<(), Error> {
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            if !read.insert(folder) {
                continue;
            }
            for entry in self.objects.entries(folder)? {
                match entry.kind {
                    EntryKind::Folder { digest } => folders.push(digest),
                    EntryKind::File { digest, .. } if read.insert(digest) => {
                        self.objects.read(digest, |_| Ok(()))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
