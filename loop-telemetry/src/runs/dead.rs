//! Runs whose process died, protected from being resumed.
//!
//! A dead run may have left processes behind. While you end them, the run must not be resumed: a living run would have
//! the same name, and so would its processes.

use std::{fs::File, path::Path};

use super::{InfoFile, RunInfo, RunStore, StoreError, active::NO_JOURNAL_EXTENSION, at, removal::hold_run};
use crate::{
    journal::{is_locked, lock},
    private_folder,
};

/// A run whose process died before the run ended. Nobody can resume it until this is dropped.
#[derive(Debug)]
#[must_use = "another process may resume the run once this is dropped"]
pub struct DeadRun {
    id: String,
    _held: File,
}

impl DeadRun {
    /// Returns the run's id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl RunStore {
    /// Returns the runs in this folder that died before they ended, with a journal or without one.
    ///
    /// # Errors
    /// If the index or the store's folder cannot be read, or a lock cannot be used.
    pub fn dead_in(&self, folder: impl AsRef<Path>) -> Result<Vec<DeadRun>, StoreError> {
        let folder = folder.as_ref();
        let mut dead = Vec::new();
        for run in self.list()?.into_iter().filter(|run| run.is_open && run.works_in(folder)) {
            if self.is_alive(&run.id)? {
                continue;
            }
            match hold_run(&run.id, &self.folder_of(&run.id)?) {
                Ok(held) => dead.extend(held.map(|held| DeadRun { id: run.id, _held: held })),
                // Another process has resumed it since.
                Err(StoreError::Alive { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        for path in self.entries()? {
            if path.extension().is_some_and(|extension| extension == NO_JOURNAL_EXTENSION)
                && !is_locked(&path)?
            {
                dead.extend(without_journal(&path, folder)?);
            }
        }
        Ok(dead)
    }
}

/// Returns the run without a journal that this file belongs to, if it worked in `folder`. Returns nothing if the file
/// has vanished, another process is checking it, or the run worked elsewhere.
fn without_journal(path: &Path, folder: &Path) -> Result<Option<DeadRun>, StoreError> {
    let Ok(file) = private_folder::read(path) else { return Ok(None) };
    if lock(&file, path).is_err() {
        return Ok(None);
    }
    let info = at(path, private_folder::all_of(&file))?;
    let read = serde_json::from_slice::<InfoFile<RunInfo>>(&info).ok().map(|file| file.run);
    Ok(read.filter(|run| run.works_in(folder)).map(|run| DeadRun { id: run.id, _held: file }))
}
