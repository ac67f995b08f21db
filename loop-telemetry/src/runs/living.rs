//! Who works where, now.
//!
//! Two agents in one folder undo each other's work, whether a journal of it is kept or not. Who keeps none has a
//! file with its name instead, locked like a journal: the kernel gives the lock back whatever ends the process, so
//! that no dead run stands in the way of a living one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    RunEntry, RunInfo, RunStore, StoreError, at, info_of,
    place::{StoredFolder, text},
};
use crate::journal::is_locked;

/// The extension of the file of a run that keeps nothing.
pub(super) const UNKEPT: &str = "unkept";

/// A run that a process works on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LivingRun {
    /// Its id.
    pub id: String,
    /// The folder in which it works.
    pub folder: String,
    /// Whether it is listed, and has a journal to look at.
    pub is_kept: bool,
}

impl RunStore {
    /// A run that works in this folder now: of those that are kept the one that began last, else one that is not.
    ///
    /// # Errors
    /// If the index or the store's folder cannot be read, or a lock not be asked for.
    pub fn living_in(&self, folder: impl AsRef<Path>) -> Result<Option<LivingRun>, StoreError> {
        self.living_beside("", StoredFolder { path: &text(folder.as_ref()), id: None })
    }

    /// The same in the folder of a run, the run itself included.
    ///
    /// # Errors
    /// As [`living_in`](Self::living_in).
    pub fn living_with(&self, run: &RunEntry) -> Result<Option<LivingRun>, StoreError> {
        self.living_beside("", run.place())
    }

    /// The same, but for the run with this id.
    pub(super) fn living_beside(
        &self,
        id: &str,
        here: StoredFolder<'_>,
    ) -> Result<Option<LivingRun>, StoreError> {
        for run in self.list()?.into_iter().rev().filter(|run| run.is_open && run.place().is(here)) {
            if run.id != id && self.is_alive(&run.id)? {
                return Ok(Some(LivingRun { id: run.id, folder: run.folder, is_kept: true }));
            }
        }
        let unkept = self.unkept()?.into_iter().find(|run| run.id != id && run.place().is(here));
        Ok(unkept.map(|RunInfo { id, folder, .. }| LivingRun { id, folder, is_kept: false }))
    }

    /// The runs that keep nothing, as far as they live.
    fn unkept(&self) -> Result<Vec<RunInfo>, StoreError> {
        let is_unkept = |path: &PathBuf| path.extension().is_some_and(|extension| extension == UNKEPT);
        let mut living = Vec::new();
        for path in self.entries()?.into_iter().filter(is_unkept) {
            // One that has ended meanwhile is not there.
            if !is_locked(&path)? {
                continue;
            }
            // One that lives and cannot be read might work in any folder.
            living.push(info_of(path)?);
        }
        Ok(living)
    }

    /// What lies in the store's folder.
    pub(super) fn entries(&self) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => at(&self.path, entries)?,
        };
        entries.map(|entry| Ok(at(&self.path, entry)?.path())).collect()
    }
}
