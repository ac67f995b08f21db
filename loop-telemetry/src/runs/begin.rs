//! Begins runs: one at a time in a folder, and in an order in which a crash loses nothing.
//!
//! A run first gets its lock, then its `run.json`, and last a line in the index. So every listed run can be resumed. If
//! a process died before its run was listed, that run had done nothing: the next run that begins [removes](super::tidy)
//! it.

use std::io::Write as _;

use jiff::Timestamp;

use super::{
    InfoFile, ParallelRuns, RunInfo, RunStore, StoreError, active::NO_JOURNAL_EXTENSION, at,
    index::IndexChange, stored_folder::StoredFolder,
};
use crate::{
    FileJournal, RunLock, always_json, checksum, failpoint,
    journal::lock,
    private_folder,
    runs::{alive, index::FORMAT},
};

impl RunStore {
    /// Begins a run: creates its folder, and returns its journal, which holds the run's lock. `clock` returns the
    /// wall-clock time: `Timestamp::now`.
    ///
    /// # Errors
    /// [`StoreError::FolderBusy`] if another run works in the same folder and that is not
    /// [allowed](ParallelRuns::Allowed). Other errors if a write fails, or the id is taken.
    pub fn begin<O>(
        &self,
        info: &RunInfo,
        parallel: ParallelRuns,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<FileJournal<O>, StoreError> {
        let folder = self.folder_of(&info.id)?;
        // Hold the index until the run has its lock, so that of two runs that begin at once, one sees the other.
        let index = self.hold_index()?;
        self.tidy(&index)?;
        self.make_way(info, parallel)?;
        let journal = FileJournal::create(&folder, clock)?;
        at(&folder, private_folder::write_synced(&folder.join("run.json"), &json_of(info)))?;
        index.add(IndexChange::Began {
            id: info.id.clone(),
            name: info.name.clone(),
            folder: info.folder.clone(),
            folder_id: info.folder_id.clone(),
            started_at: info.started_at,
            manifest: info.manifest.as_ref().map(|manifest| manifest.path.clone()),
        })?;
        Ok(journal)
    }

    /// Begins a run without a journal. It is not listed, but while its lock exists, other runs that would begin in its
    /// folder [find](Self::active_in) it. It leaves no files behind.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_without_journal(
        &self,
        info: &RunInfo,
        parallel: ParallelRuns,
    ) -> Result<RunLock, StoreError> {
        let path = self.folder_of(&info.id)?.with_extension(NO_JOURNAL_EXTENSION);
        let index = self.hold_index()?;
        self.tidy(&index)?;
        self.make_way(info, parallel)?;
        // The file gets its name once it is locked and complete, so that no other process sees it earlier.
        let draft = path.with_extension(private_folder::DRAFT);
        let file = private_folder::private().write(true).create_new(true).open(&draft);
        let mut file = at(&draft, file)?;
        failpoint::point();
        lock(&file, &draft).map_err(|error| alive(&info.id, error))?;
        at(&draft, file.write_all(&json_of(info)))?;
        failpoint::point();
        at(&path, std::fs::rename(&draft, &path))?;
        failpoint::point();
        Ok(RunLock::vanishing(file, path))
    }

    /// Ensures that no other run works in this run's folder, unless both allow it.
    fn make_way(&self, info: &RunInfo, parallel: ParallelRuns) -> Result<(), StoreError> {
        match parallel {
            ParallelRuns::Allowed => Ok(()),
            ParallelRuns::Refused => self.refuse_second(&info.id, info.place()),
        }
    }

    /// Refuses a run that would be the second in its folder.
    pub(super) fn refuse_second(&self, id: &str, folder: StoredFolder<'_>) -> Result<(), StoreError> {
        match self.active(|other, place| other != id && place.is(folder))? {
            None => Ok(()),
            Some(other) => Err(StoreError::FolderBusy {
                id: other.id,
                folder: other.folder,
                has_journal: other.has_journal,
            }),
        }
    }
}

fn json_of(info: &RunInfo) -> Vec<u8> {
    let json = always_json(serde_json::to_string_pretty(&InfoFile { v: FORMAT, run: info }));
    checksum::seal(&json).into_bytes()
}
