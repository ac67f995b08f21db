//! Who works where, now.
//!
//! Two agents in one folder undo each other's work, whether a journal of it is kept or not. Who keeps none has a
//! file with its name instead, locked like a journal: the kernel gives the lock back whatever ends the process, so
//! that no dead run stands in the way of a living one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{InfoFile, RunInfo, RunStore, StoreError, at, info::text};
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
        self.living_beside("", folder.as_ref())
    }

    /// The same, but for the run with this id.
    pub(super) fn living_beside(&self, id: &str, folder: &Path) -> Result<Option<LivingRun>, StoreError> {
        let here = text(folder);
        for run in self.list()?.into_iter().rev().filter(|run| run.is_open && run.folder == here) {
            if run.id != id && self.is_alive(&run.id)? {
                return Ok(Some(LivingRun { id: run.id, folder: run.folder, is_kept: true }));
            }
        }
        Ok(self.unkept()?.into_iter().find(|run| run.id != id && run.folder == here))
    }

    /// The runs that keep nothing, as far as they live.
    fn unkept(&self) -> Result<Vec<LivingRun>, StoreError> {
        let is_unkept = |path: &PathBuf| path.extension().is_some_and(|extension| extension == UNKEPT);
        let mut living = Vec::new();
        for path in self.entries()?.into_iter().filter(is_unkept) {
            // One that has ended meanwhile is not there.
            if !is_locked(&path)? {
                continue;
            }
            let run = fs::read(&path).ok().and_then(|json| serde_json::from_slice(&json).ok());
            living.extend(run.map(|InfoFile { run: RunInfo { id, folder, .. }, .. }| LivingRun {
                id,
                folder,
                is_kept: false,
            }));
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
