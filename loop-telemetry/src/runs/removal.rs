//! Removing runs: those that a person names, and those that are old.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::Duration,
};

use jiff::Timestamp;

use super::{RunEntry, RunStore, StoreError, alive, at};
use crate::{
    cut,
    journal::{EVENTS, lock},
};

/// The extension of a run's folder that is being removed. No run has such a name.
pub(super) const REMOVED: &str = "removed";

/// Which runs that have ended are kept. What is open is kept always: it goes on, or can.
///
/// # Default
/// The last 1,000 that ended, as far as they began in the last 90 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// So many are kept, those that began last.
    pub ended: usize,
    /// What began longer ago is not.
    pub age: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        Self { ended: 1_000, age: Duration::from_hours(90 * 24) }
    }
}

impl RunStore {
    /// Removes a run and all that is known of it.
    ///
    /// # Errors
    /// [`StoreError::Alive`] if a process works on it; [`StoreError::NoSuchRun`]; others if it cannot be
    /// removed.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        let folder = self.folder_of(id)?;
        let held = hold_run(id, &folder)?;
        let index = self.hold_index()?;
        let mut runs = self.list()?;
        let before = runs.len();
        runs.retain(|run| run.id != id);
        if held.is_none() && runs.len() == before {
            return Err(StoreError::NoSuchRun { id: id.to_owned() });
        }
        // First the index: a folder that nothing names is in nobody's way, a name without a folder is.
        index.replace(runs)?;
        remove_folder(&folder)
    }

    /// Removes the oldest runs that have ended, until so many are left; says which. Runs that are open stay,
    /// and do not count: they are going on, or can.
    ///
    /// # Errors
    /// If the index cannot be read or written, or a run not be removed.
    pub fn keep_last(&self, ended: usize) -> Result<Vec<String>, StoreError> {
        // So long ago nothing began.
        self.retain(Retention { ended, age: Duration::MAX }, Timestamp::UNIX_EPOCH)
    }

    /// Removes the runs that are not to be kept, by the clock that says `now`; says which. It reads the index,
    /// and writes nothing if all are kept.
    ///
    /// # Errors
    /// If the index cannot be read or written, or a run not be removed.
    pub fn retain(&self, retention: Retention, now: Timestamp) -> Result<Vec<String>, StoreError> {
        let index = self.hold_index()?;
        let mut runs = self.list()?;
        let mut too_many = runs.iter().filter(|run| !run.is_open).count().saturating_sub(retention.ended);
        let (mut removed, mut held) = (Vec::new(), Vec::new());
        runs.retain(|run| {
            if run.is_open || (too_many == 0 && !is_older(run, retention.age, now)) {
                return true;
            }
            too_many = too_many.saturating_sub(1);
            // One that is being resumed at this moment is not open yet, and held by who resumes it.
            let Ok(lock) = hold_run(&run.id, &self.path.join(&run.id)) else { return true };
            held.push(lock);
            removed.push(run.id.clone());
            false
        });
        if !removed.is_empty() {
            index.replace(runs)?;
        }
        removed.iter().try_for_each(|id| remove_folder(&self.path.join(id)))?;
        Ok(removed)
    }
}

/// Whether a run began longer ago than this. One that began later than now, by a clock that was set, did not.
fn is_older(run: &RunEntry, age: Duration, now: Timestamp) -> bool {
    Duration::try_from(now.duration_since(run.started_at)).is_ok_and(|since| since > age)
}

/// Keeps others from taking a run up while it is removed; `None` if there is nothing to take up.
pub(super) fn hold_run(id: &str, folder: &Path) -> Result<Option<File>, StoreError> {
    let path = folder.join(EVENTS);
    let file = match crate::folder::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) if crate::folder::is_other(&path) => return Ok(None),
        opened => at(&path, opened)?,
    };
    lock(&file, &path).map_err(|error| alive(id, error))?;
    Ok(Some(file))
}

/// Removes a run's folder and all in it; one that is gone already is fine.
fn remove_folder(path: &Path) -> Result<(), StoreError> {
    // Under another name first: what is removed in part is no run any more.
    let removed = path.with_extension(REMOVED);
    cut::point();
    match fs::rename(path, &removed) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => at(path, renamed)?,
    }
    cut::point();
    at(path, fs::remove_dir_all(removed))
}
