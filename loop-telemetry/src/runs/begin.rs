//! How runs begin: one at a time in a folder, and in an order in which a crash loses nothing.
//!
//! First a run has its lock, then its `run.json`, and last a line in the index. So whoever is listed can be gone
//! on with, and what died before it was listed had done nothing: the next run that begins [tidies](super::tidy)
//! it away.

use std::io::Write as _;

use jiff::Timestamp;

use super::{
    InfoFile, Parallel, RunInfo, RunStore, StoreError, at, index::Change, living::UNKEPT, place::StoredFolder,
};
use crate::{
    FileJournal, RunLock, always_json, checksum, cut, folder,
    journal::lock,
    runs::{alive, index::FORMAT},
};

impl RunStore {
    /// Begins a run: makes its folder, and returns its journal, which holds the run's lock. `clock` tells the
    /// wall-clock time: `Timestamp::now`.
    ///
    /// # Errors
    /// [`StoreError::FolderBusy`] if another run works in the same folder and that is not
    /// [allowed](Parallel::Allowed); others if something cannot be written, or the id is taken.
    pub fn begin<O>(
        &self,
        info: &RunInfo,
        parallel: Parallel,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<FileJournal<O>, StoreError> {
        let folder = self.folder_of(&info.id)?;
        // Held until the run has its lock: of two that begin at once, one sees the other.
        let index = self.hold_index()?;
        self.tidy(&index)?;
        self.make_way(info, parallel)?;
        let journal = FileJournal::create(&folder, clock)?;
        at(&folder, folder::write_synced(&folder.join("run.json"), &json_of(info)))?;
        index.add(Change::Began {
            id: info.id.clone(),
            name: info.name.clone(),
            folder: info.folder.clone(),
            folder_id: info.folder_id.clone(),
            started_at: info.started_at,
            manifest: info.manifest.as_ref().map(|manifest| manifest.path.clone()),
        })?;
        Ok(journal)
    }

    /// Begins a run of which nothing is kept. It is not listed, but as long as the lock lives it is
    /// [found](Self::living_in) by others that would begin in its folder; then it leaves nothing behind.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_unkept(&self, info: &RunInfo, parallel: Parallel) -> Result<RunLock, StoreError> {
        let path = self.folder_of(&info.id)?.with_extension(UNKEPT);
        let index = self.hold_index()?;
        self.tidy(&index)?;
        self.make_way(info, parallel)?;
        // It has its name when it is locked and whole: nobody sees it otherwise.
        let draft = path.with_extension(folder::DRAFT);
        let file = folder::private().write(true).create_new(true).open(&draft);
        let mut file = at(&draft, file)?;
        cut::point();
        lock(&file, &draft).map_err(|error| alive(&info.id, error))?;
        at(&draft, file.write_all(&json_of(info)))?;
        cut::point();
        at(&path, std::fs::rename(&draft, &path))?;
        cut::point();
        Ok(RunLock::vanishing(file, path))
    }

    /// Sees to it that no other run works where this one is to, unless both may.
    fn make_way(&self, info: &RunInfo, parallel: Parallel) -> Result<(), StoreError> {
        match parallel {
            Parallel::Allowed => Ok(()),
            Parallel::Refused => self.refuse_second(&info.id, info.place()),
        }
    }

    /// Refuses a run that would be the second in its folder.
    pub(super) fn refuse_second(&self, id: &str, folder: StoredFolder<'_>) -> Result<(), StoreError> {
        match self.living_beside(id, folder)? {
            None => Ok(()),
            Some(other) => {
                Err(StoreError::FolderBusy { id: other.id, folder: other.folder, is_kept: other.is_kept })
            }
        }
    }
}

fn json_of(info: &RunInfo) -> Vec<u8> {
    let json = always_json(serde_json::to_string_pretty(&InfoFile { v: FORMAT, run: info }));
    checksum::seal(&json).into_bytes()
}
