//! Who works on a run.
//!
//! Two processes that append to one journal would make it a history of neither. A file with a process id in
//! it goes stale with the process; a lock that the kernel holds does not.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use super::{At, EVENTS, JournalError};
use crate::folder;

/// Who looks whether a run is alive holds its lock for a moment; so it is tried again a few times.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The lock of a run: who has it works on the run, and nobody else does. Made by
/// [`FileJournal::hold`](super::FileJournal::hold), and by
/// [`RunStore::begin_unkept`](crate::RunStore::begin_unkept) for a run without a journal.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct RunLock {
    _file: Arc<File>,
    /// A file that is there for the lock alone.
    vanishes: Option<PathBuf>,
}

impl RunLock {
    /// That of the journal in this file, which was locked when it was opened.
    pub(super) fn of(file: &Arc<File>) -> Self {
        Self { _file: Arc::clone(file), vanishes: None }
    }

    /// That of this file, which is locked, and goes with it.
    pub(crate) fn vanishing(file: File, path: PathBuf) -> Self {
        Self { _file: Arc::new(file), vanishes: Some(path) }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        if let Some(path) = &self.vanishes {
            // What cannot be removed here is removed by the next run that begins.
            let _ = fs::remove_file(path);
        }
    }
}

/// Takes the lock of a journal, for as long as the file is open.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    for tried in 1.. {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if tried < LOCK_TRIES => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => {
                return Err(JournalError::Lock { path: path.to_owned(), source });
            }
        }
    }
    Ok(())
}

/// Whether a process works on the run in this folder: it holds the lock of its journal.
pub(crate) fn is_held(run: &Path) -> Result<bool, JournalError> {
    is_locked(&run.join(EVENTS))
}

/// Whether a process holds the lock of this file; not if it is not there, or not a regular file.
pub(crate) fn is_locked(path: &Path) -> Result<bool, JournalError> {
    let file = match folder::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(_) if folder::is_other(path) => return Ok(false),
        opened => opened.cannot_read(path)?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(JournalError::Lock { path: path.to_owned(), source }),
    }
}
