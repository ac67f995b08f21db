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
    /// Returns the runs that died before they ended, with a journal or without one, and that worked in `here`, in a
    /// folder above, or in a folder that is not at its path any more.
    ///
    /// # Errors
    /// If the index or the store's folder cannot be read, or a lock cannot be used.
    pub fn dead_around(&self, here: impl AsRef<Path>) -> Result<Vec<DeadRun>, StoreError> {
        let here = here.as_ref();
        let mut dead = Vec::new();
        for run in self.list()?.into_iter().filter(|run| run.is_open && run.place().concerns(here)) {
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
                dead.extend(without_journal(&path, here)?);
            }
        }
        Ok(dead)
    }
}

/// Returns the run without a journal that this file belongs to, if a command in `here` concerns it. Returns
/// nothing if the file has vanished, another process is checking it, or the run worked elsewhere.
fn without_journal(path: &Path, here: &Path) -> Result<Option<DeadRun>, StoreError> {
    let Ok(file) = private_folder::read(path) else { return Ok(None) };
    if lock(&file, path).is_err() {
        return Ok(None);
    }
    let info = at(path, private_folder::all_of(&file))?;
    let read = serde_json::from_slice::<InfoFile<RunInfo>>(&info).ok().map(|file| file.run);
    Ok(read.filter(|run| run.place().concerns(here)).map(|run| DeadRun { id: run.id, _held: file }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use jiff::Timestamp;

    use super::*;
    use crate::ParallelRuns;

    #[test]
    fn dead_runs_are_found_from_below_and_after_their_folder_was_renamed() {
        let place = tempfile::tempdir().unwrap();
        let store = RunStore::at(place.path().join("runs"), |_| ());
        let folder = |name: &str| place.path().join(name);
        for name in ["work", "beside"] {
            fs::create_dir(folder(name)).unwrap();
            let info = RunInfo::new(name, "greet", folder(name).to_str().unwrap(), Timestamp::UNIX_EPOCH);
            drop(store.begin::<String>(&info, ParallelRuns::Refused, Timestamp::now).unwrap());
        }
        let found = |here: &Path| -> Vec<_> {
            store.dead_around(here).unwrap().iter().map(|run| run.id().to_owned()).collect()
        };
        assert_eq!(found(&folder("work")), ["work"]);
        assert_eq!(found(&folder("work/src/deep")), ["work"]);
        assert_eq!(found(place.path()), [""; 0], "runs below a folder are not its own");
        fs::rename(folder("work"), folder("moved")).unwrap();
        assert_eq!(found(&folder("moved")), ["work"]);
        assert_eq!(found(&folder("beside")), ["work", "beside"]);
        let info = store.info("work").unwrap();
        let lock =
            store.begin_without_journal(&RunInfo { id: "unkept".to_owned(), ..info }, ParallelRuns::Allowed);
        assert_eq!(store.active_around(folder("moved")).unwrap().unwrap().id, "unkept");
        assert!(store.active_in(folder("moved")).unwrap().is_none());
        drop(lock);
    }
}
