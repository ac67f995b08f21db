//! The bound of a store, and the removal of contents that no snapshot needs.

use std::{collections::HashSet, fs, io, path::Path};

use super::Store;
use crate::{
    error::{AtPath as _, Error},
    record::SnapshotId,
};

/// The snapshots that were dropped to make room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collected {
    /// The ended runs of which no snapshot is left, from the oldest.
    pub runs: Vec<String>,
    /// The single snapshots of runs that have not ended.
    pub snapshots: Vec<SnapshotId>,
    /// The size of the store before, in bytes.
    pub before: u64,
    /// The size of the store now, in bytes.
    pub after: u64,
}

impl Store {
    /// Returns the size of all files of the store, in bytes.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn size(&mut self) -> Result<u64, Error> {
        let _lock = self.lock()?;
        self.size_now()
    }

    fn size_now(&self) -> Result<u64, Error> {
        Ok(self.objects.size() + folder_size(&self.path)? - folder_size(&self.path.join("packs"))?)
    }

    /// Removes contents that no snapshot needs, then drops snapshots until the store has at most `bound` bytes: the
    /// oldest ended runs first, then single snapshots of other runs from the oldest, but never the first and the last
    /// of a run.
    ///
    /// Call it after a capture: a store below its bound costs no more than the look at its size.
    ///
    /// # Errors
    /// Fails with [`Error::Full`] if the rest still exceeds the bound, and with [`Error::File`] or [`Error::Damaged`]
    /// if the store cannot be used.
    pub fn keep_below(&mut self, bound: u64) -> Result<Collected, Error> {
        let _lock = self.lock()?;
        let size = self.size_now()?;
        let mut collected = Collected { before: size, after: size, ..Collected::default() };
        if size <= bound {
            return Ok(collected);
        }
        self.collect(&mut collected)?;
        for run in self.runs()?.into_iter().filter(|run| run.ended) {
            if collected.after <= bound {
                return Ok(collected);
            }
            self.remove_run(&run.name)?;
            collected.runs.push(run.name);
            self.collect(&mut collected)?;
        }
        let mut middle = Vec::new();
        for run in self.runs()? {
            let last = run.snapshots.len().saturating_sub(1);
            middle.extend(run.snapshots.into_iter().take(last).skip(1));
        }
        middle.sort_by_key(|snapshot| snapshot.time);
        // An eighth at a time, since each look at what is left reads all folders.
        for snapshots in middle.chunks((middle.len() / 8).max(1)) {
            if collected.after <= bound {
                return Ok(collected);
            }
            for snapshot in snapshots {
                self.disk.remove(&self.record_path(&snapshot.id))?;
                collected.snapshots.push(snapshot.id.clone());
            }
            self.collect(&mut collected)?;
        }
        let size = collected.after;
        if size <= bound { Ok(collected) } else { Err(Error::Full { size, bound }) }
    }

    /// Removes contents that no snapshot needs.
    ///
    /// # Errors
    /// Fails if the store cannot be used, or is damaged: then nothing is removed.
    pub fn gc(&mut self) -> Result<Collected, Error> {
        let _lock = self.lock()?;
        let mut collected = Collected { before: self.size_now()?, ..Collected::default() };
        self.collect(&mut collected)?;
        Ok(collected)
    }

    /// Removes all snapshots of a run, and nothing if there are none.
    ///
    /// # Errors
    /// Fails if a file cannot be removed.
    pub fn drop_run(&mut self, run: &str) -> Result<(), Error> {
        let id = SnapshotId::new(run, 0)?;
        let _lock = self.lock()?;
        self.remove_run(&id.run)
    }

    fn remove_run(&self, run: &str) -> Result<(), Error> {
        let folder = self.path.join("runs").join(run);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.at(&folder)?,
        };
        for entry in entries {
            let path = entry.at(&folder)?.path();
            // The mark goes last: without it, a killed removal would leave a run that never ends.
            if !path.ends_with("ended") {
                self.disk.remove(&path)?;
            }
        }
        if folder.join("ended").exists() {
            self.disk.remove(&folder.join("ended"))?;
        }
        self.disk.check(&folder)?;
        fs::remove_dir(&folder).at(&folder)
    }

    fn collect(&mut self, collected: &mut Collected) -> Result<(), Error> {
        let mut live = HashSet::new();
        for run in self.runs()? {
            for snapshot in run.snapshots {
                self.walk(snapshot.root, &mut live, |_| Ok(()))?;
            }
        }
        // The next capture takes the contents that the cache names for stored.
        if let Some(cached) = self.cache() {
            self.walk(cached.digest, &mut live, |_| Ok(()))?;
        }
        self.objects.retain(&live)?;
        collected.after = self.size_now()?;
        Ok(())
    }
}

fn folder_size(folder: &Path) -> Result<u64, Error> {
    let mut size = 0;
    for entry in fs::read_dir(folder).at(folder)? {
        let entry = entry.at(folder)?;
        let metadata = entry.metadata().at(&entry.path())?;
        size += if metadata.is_dir() { folder_size(&entry.path())? } else { metadata.len() };
    }
    Ok(size)
}
