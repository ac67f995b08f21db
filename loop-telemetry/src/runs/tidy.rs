//! What processes left half done that died while they changed the store.
//!
//! Each change is made in an order in which nothing is lost, and so each crash leaves something over: a folder
//! that was never listed, a list that lacks a folder. It would stay for ever, since retention looks at what is
//! listed. So each run that begins looks at what lies there: it is listed, or it goes.

use std::{collections::HashSet, fs, path::Path};

use super::{
    RunStore, StoreError,
    index::HeldIndex,
    living::UNKEPT,
    removal::{REMOVED, hold_run},
};
use crate::{
    folder::DRAFT,
    journal::{EVENTS, is_locked},
};

impl RunStore {
    /// Tidies up. While the index is held, nobody is in the middle of a change.
    pub(super) fn tidy(&self, index: &HeldIndex<'_>) -> Result<(), StoreError> {
        let listed: HashSet<String> = self.list()?.into_iter().map(|run| run.id).collect();
        for path in self.entries()? {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if !listed.contains(name) {
                self.tidy_away(index, &path, name)?;
            }
        }
        Ok(())
    }

    fn tidy_away(&self, index: &HeldIndex<'_>, path: &Path, name: &str) -> Result<(), StoreError> {
        // What cannot be removed is in nobody's way, and tried again by the next run.
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(REMOVED) => drop(fs::remove_dir_all(path)),
            Some(UNKEPT | DRAFT) if !is_locked(path)? => drop(fs::remove_file(path)),
            None if path.is_dir() && self.folder_of(name).is_ok() => self.settle(index, path, name)?,
            _ => {}
        }
        Ok(())
    }

    /// A run's folder that is not listed: it never began, or it is listed now.
    fn settle(&self, index: &HeldIndex<'_>, path: &Path, id: &str) -> Result<(), StoreError> {
        // Held, so that nobody takes it up meanwhile.
        if !self.has_begun(id)
            && let Ok(_held) = hold_run(id, path)
        {
            // Just what a run makes before it is listed; what else is in the folder keeps it.
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
