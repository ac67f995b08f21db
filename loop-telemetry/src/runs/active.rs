//! Finds the runs that work in a folder now.
//!
//! Two agents in one folder undo each other's work, whether they keep a journal or not. A run without a journal has a
//! file with its name instead, locked like a journal. The kernel releases the lock however the process ends, so that no
//! dead run blocks a living one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    RunEntry, RunInfo, RunStore, StoreError, at, info_of,
    stored_folder::{StoredFolder, text},
};
use crate::journal::{EVENTS, holder, is_locked};

/// The extension of the file of a run without a journal.
pub(super) const NO_JOURNAL_EXTENSION: &str = "unkept";

/// A run that a process works on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveRun {
    /// Its id.
    pub id: String,
    /// The folder in which it works.
    pub folder: String,
    /// Whether it is listed and has a journal.
    pub has_journal: bool,
}

impl RunStore {
    /// Returns a run that works in this folder now: the most recent one with a journal, or else one without.
    ///
    /// # Errors
    /// If the index or the store's folder cannot be read, or a lock cannot be used.
    pub fn active_in(&self, folder: impl AsRef<Path>) -> Result<Option<ActiveRun>, StoreError> {
        let here = text(folder.as_ref());
        self.active(|_, place| place.is(StoredFolder { path: &here, id: None }))
    }

    /// Returns a run that works now, in `here`, in a folder above, or in a folder that was renamed since it began.
    ///
    /// # Errors
    /// As [`active_in`](Self::active_in).
    pub fn active_around(&self, here: impl AsRef<Path>) -> Result<Option<ActiveRun>, StoreError> {
        self.active(|_, place| place.concerns(here.as_ref()))
    }

    /// Returns a run that works in the folder of `run`, which may be `run` itself.
    ///
    /// # Errors
    /// As [`active_in`](Self::active_in).
    pub fn active_with(&self, run: &RunEntry) -> Result<Option<ActiveRun>, StoreError> {
        self.active(|_, place| place.is(run.place()))
    }

    /// Returns the most recent living run whose id and folder are wanted.
    pub(super) fn active(
        &self,
        is_wanted: impl Fn(&str, StoredFolder<'_>) -> bool,
    ) -> Result<Option<ActiveRun>, StoreError> {
        let wanted = |run: &RunEntry| run.is_open && is_wanted(&run.id, run.place());
        for run in self.list()?.into_iter().rev().filter(wanted) {
            if self.is_alive(&run.id)? {
                return Ok(Some(ActiveRun { id: run.id, folder: run.folder, has_journal: true }));
            }
        }
        let without_journal = self.without_journal()?.into_iter().find(|run| is_wanted(&run.id, run.place()));
        Ok(without_journal.map(|RunInfo { id, folder, .. }| ActiveRun { id, folder, has_journal: false }))
    }

    /// Returns the number of the process that works on this run; `None` if the system does not list the holders of locks.
    pub fn process_of(&self, run: &ActiveRun) -> Option<u32> {
        let locked = match run.has_journal {
            true => self.folder_of(&run.id).ok()?.join(EVENTS),
            false => self.path.join(format!("{}.{NO_JOURNAL_EXTENSION}", run.id)),
        };
        holder(&locked)
    }

    /// Returns the living runs without a journal.
    fn without_journal(&self) -> Result<Vec<RunInfo>, StoreError> {
        let is_unkept =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == NO_JOURNAL_EXTENSION);
        let mut living = Vec::new();
        for path in self.entries()?.into_iter().filter(is_unkept) {
            // It has ended in the meantime.
            if !is_locked(&path)? {
                continue;
            }
            // If it lives but cannot be read, it might work in any folder.
            living.push(info_of(path)?);
        }
        Ok(living)
    }

    /// Returns the entries of the store's folder.
    pub(super) fn entries(&self) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => at(&self.path, entries)?,
        };
        entries.map(|entry| Ok(at(&self.path, entry)?.path())).collect()
    }
}
