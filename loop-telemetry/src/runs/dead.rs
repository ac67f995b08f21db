//! Runs whose process died, kept from going on.
//!
//! A dead run may have left processes behind. Who ends them has to know that the run stays dead meanwhile: a living
//! one has the same name, and so have its processes.

use std::{fs::File, path::Path};

use super::{InfoFile, RunInfo, RunStore, StoreError, at, living::UNKEPT, removal::hold_run};
use crate::journal::{is_locked, lock};

/// A run whose process died before the run ended. Nobody goes on with it until this is dropped.
#[derive(Debug)]
#[must_use = "somebody may go on with the run once this is dropped"]
pub struct DeadRun {
    id: String,
    _held: File,
}

impl DeadRun {
    /// The run's id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl RunStore {
    /// The runs in this folder that died before they ended, with a journal or without one.
    ///
    /// # Errors
    /// If the index or the store's folder cannot be read, or a lock not be asked for.
    pub fn dead_in(&self, folder: impl AsRef<Path>) -> Result<Vec<DeadRun>, StoreError> {
        let folder = folder.as_ref();
        let mut dead = Vec::new();
        for run in self.list()?.into_iter().filter(|run| run.is_open && run.works_in(folder)) {
            if self.is_alive(&run.id)? {
                continue;
            }
            match hold_run(&run.id, &self.folder_of(&run.id)?) {
                Ok(held) => dead.extend(held.map(|held| DeadRun { id: run.id, _held: held })),
                // Somebody goes on with it since.
                Err(StoreError::Alive { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        for path in self.entries()? {
            if path.extension().is_some_and(|extension| extension == UNKEPT) && !is_locked(&path)? {
                dead.extend(unkept(&path, folder)?);
            }
        }
        Ok(dead)
    }
}

/// The run in `folder` of which nothing is kept but this file; none if the file has vanished, another process looks at it,
/// or the run worked elsewhere.
fn unkept(path: &Path, folder: &Path) -> Result<Option<DeadRun>, StoreError> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    if lock(&file, path).is_err() {
        return Ok(None);
    }
    let info = at(path, std::io::read_to_string(&file))?;
    let read = serde_json::from_str::<InfoFile<RunInfo>>(&info).ok().map(|file| file.run);
    Ok(read.filter(|run| run.works_in(folder)).map(|run| DeadRun { id: run.id, _held: file }))
}
