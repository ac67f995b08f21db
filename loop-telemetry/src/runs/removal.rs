//! Removes runs: those that a person names, and old ones.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::Duration,
};

use jiff::Timestamp;

use super::{RunEntry, RunStore, StoreError, alive, at};
use crate::{
    Retention, RunLock, failpoint,
    journal::{EVENTS, lock},
};

/// How many runs [`RunStore::retain`] removes at once. It happens while somebody waits for a run, and a busy disk needs
/// 10 ms for each folder.
const AT_ONCE: usize = 100;

/// The extension of a run's folder during its removal. No run has such a name.
pub(super) const REMOVED: &str = "removed";

impl RunStore {
    /// Removes a run and all its data.
    ///
    /// # Errors
    /// [`StoreError::Alive`] if a process works on it, [`StoreError::NoSuchRun`] if there is none, and other errors if
    /// the removal fails.
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
        // Change the index first: an unlisted folder does no harm, but a listed run without a folder does.
        index.replace(runs)?;
        remove_folder(&folder)
    }

    /// Holds a run that no process works on, so that nobody resumes or removes it meanwhile. Writes nothing. Returns `None`
    /// if the run has no journal.
    ///
    /// # Errors
    /// [`StoreError::Alive`] if a process works on it, and other errors if its lock cannot be used.
    pub fn hold(&self, id: &str) -> Result<Option<RunLock>, StoreError> {
        Ok(hold_run(id, &self.folder_of(id)?)?.map(RunLock::idle))
    }

    /// Removes the oldest ended runs among those that `is_meant` selects, until `ended` of these remain. Returns the
    /// ids of the removed ones. Open runs stay and do not count, because they are running or can be resumed.
    ///
    /// # Errors
    /// If the index cannot be read or written, or a run cannot be removed.
    pub fn keep_last(
        &self,
        ended: usize,
        is_meant: impl Fn(&RunEntry) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        // No run is older than this.
        let retention = Retention { ended, age: Duration::MAX };
        self.retain_among(retention, Timestamp::UNIX_EPOCH, usize::MAX, is_meant)
    }

    /// Removes the runs that exceed the retention at time `now`, and returns their ids: at most the 100 oldest. Later calls
    /// remove the others. This reads the index, and writes nothing if all runs stay.
    ///
    /// # Errors
    /// If the index cannot be read or written, or a run cannot be removed.
    pub fn retain(&self, retention: Retention, now: Timestamp) -> Result<Vec<String>, StoreError> {
        self.retain_among(retention, now, AT_ONCE, |_| true)
    }

    fn retain_among(
        &self,
        retention: Retention,
        now: Timestamp,
        at_once: usize,
        is_meant: impl Fn(&RunEntry) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        let index = self.hold_index()?;
        let mut runs = self.list()?;
        let is_ended = |run: &RunEntry| !run.is_open && is_meant(run);
        let mut too_many = runs.iter().filter(|run| is_ended(run)).count().saturating_sub(retention.ended);
        let (mut removed, mut held) = (Vec::new(), Vec::new());
        runs.retain(|run| {
            let is_kept = too_many == 0 && !retention.is_expired(run.started_at, now);
            if !is_ended(run) || is_kept || removed.len() == at_once {
                return true;
            }
            too_many = too_many.saturating_sub(1);
            // If it is just being resumed, it is not open yet, but the resuming process holds it.
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

/// Prevents other processes from resuming a run during its removal; `None` if there is nothing to resume.
pub(super) fn hold_run(id: &str, folder: &Path) -> Result<Option<File>, StoreError> {
    let path = folder.join(EVENTS);
    let file = match crate::private_folder::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) if crate::private_folder::is_other(&path) => return Ok(None),
        opened => at(&path, opened)?,
    };
    lock(&file, &path).map_err(|error| alive(id, error))?;
    Ok(Some(file))
}

/// Removes a run's folder with its contents. A missing folder is fine.
fn remove_folder(path: &Path) -> Result<(), StoreError> {
    // Rename it first: a partly removed folder is no longer a run.
    let removed = path.with_extension(REMOVED);
    failpoint::point();
    match fs::rename(path, &removed) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => at(path, renamed)?,
    }
    failpoint::point();
    at(path, fs::remove_dir_all(removed))
}
