//! Cleans up after processes that died while they changed the store.
//!
//! Each change happens in an order in which nothing is lost, so a crash can leave extra files: a folder that was never
//! listed, or a list without a folder. They would stay forever, since retention only sees listed runs. So each run that
//! begins checks the store's folder, and lists or removes each extra entry.

use std::{collections::HashSet, fs, path::Path};

use super::{
    RunStore, StoreError,
    active::NO_JOURNAL_EXTENSION,
    index::LockedIndex,
    removal::{REMOVED, hold_run},
};
use crate::{
    journal::{EVENTS, is_locked},
    private_folder::DRAFT,
};

impl RunStore {
    /// Cleans up. While we hold the index, no process is in the middle of a change.
    pub(super) fn tidy(&self, index: &LockedIndex<'_>) -> Result<(), StoreError> {
        let listed: HashSet<String> = self.list()?.into_iter().map(|run| run.id).collect();
        for path in self.entries()? {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if !listed.contains(name) {
                self.tidy_away(index, &path, name)?;
            }
        }
        Ok(())
    }

    fn tidy_away(&self, index: &LockedIndex<'_>, path: &Path, name: &str) -> Result<(), StoreError> {
        // A file that cannot be removed does no harm, and the next run tries again.
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(REMOVED) => drop(fs::remove_dir_all(path)),
            Some(NO_JOURNAL_EXTENSION | DRAFT) if !is_locked(path)? => drop(fs::remove_file(path)),
            None if path.is_dir() && self.folder_of(name).is_ok() => self.settle(index, path, name)?,
            _ => {}
        }
        Ok(())
    }

    /// Handles a run's folder that is not listed: removes it if the run never began, and lists it otherwise.
    fn settle(&self, index: &LockedIndex<'_>, path: &Path, id: &str) -> Result<(), StoreError> {
        // Hold it, so that no process resumes it in the meantime.
        if !self.has_begun(id)
            && let Ok(_held) = hold_run(id, path)
        {
            // Remove only the files that a run creates before it is listed. Any other file keeps the folder.
            for file in [EVENTS, "run.json", "run.draft"] {
                let _ = fs::remove_file(path.join(file));
            }
            let _ = fs::remove_dir(path);
        } else if let Ok(info) = self.info(id) {
            index.add_run(self.entry_of(info))?;
        }
        Ok(())
    }
}
