//! The lock of a run.
//!
//! If two processes append to one journal, it is a valid history of neither. A file with a process id becomes stale
//! when the process dies; a kernel lock does not.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use super::{EVENTS, IoErrorContext, JournalError};
use crate::private_folder;

/// A process that checks whether a run is alive holds the lock for a moment, so we retry a few times.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The lock of a run. Only the process that holds it works on the run. You get it from
/// [`FileJournal::hold`](super::FileJournal::hold), or from
/// [`RunStore::begin_without_journal`](crate::RunStore::begin_without_journal) for a run without a journal.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct RunLock {
    _file: Arc<File>,
    /// The path of a file that exists only for the lock.
    vanishes: Option<PathBuf>,
}

impl RunLock {
    /// Returns the lock of a journal's file, which was locked when it was opened.
    pub(super) fn of(file: &Arc<File>) -> Self {
        Self { _file: Arc::clone(file), vanishes: None }
    }

    /// Returns the lock of this locked file, which is removed together with the lock.
    pub(crate) fn vanishing(file: File, path: PathBuf) -> Self {
        Self { _file: Arc::new(file), vanishes: Some(path) }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        if let Some(path) = &self.vanishes {
            // If we cannot remove it here, the next run that begins will.
            let _ = fs::remove_file(path);
        }
    }
}

/// Locks a journal for as long as the file is open.
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

/// Returns whether a process works on the run in this folder, that is, holds the lock of its journal.
pub(crate) fn is_held(run: &Path) -> Result<bool, JournalError> {
    is_locked(&run.join(EVENTS))
}

/// Returns whether a process holds the lock of this file. A missing file, or one that is not regular, is not locked.
pub(crate) fn is_locked(path: &Path) -> Result<bool, JournalError> {
    let file = match private_folder::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(_) if private_folder::is_other(path) => return Ok(false),
        opened => opened.cannot_read(path)?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(JournalError::Lock { path: path.to_owned(), source }),
    }
}

/// Returns the process that holds the lock of this file, if the system lists it (`proc_locks(5)`).
pub(crate) fn holder(path: &Path) -> Option<u32> {
    let place = |path: &Path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    let locked = place(path)?;
    // The list names a file by its number. Its device differs from the device of `stat` on some file systems.
    let number = format!(":{}", locked.1);
    let is_open_in = |pid: &u32| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.filter_map(|file| place(&file.path())).any(|file| file == locked)
    };
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut holders = locks.lines().filter_map(|line| {
        let fields: Vec<_> = line.split_ascii_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", pid, file, ..] = fields[..] else { return None };
        file.ends_with(&number).then(|| pid.parse().ok())?
    });
    holders.find(is_open_in)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_a_lock_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create(&path).unwrap();
        assert_eq!(holder(&path), None);
        file.lock().unwrap();
        assert_eq!(holder(&path), Some(std::process::id()));
        assert_eq!(holder(&folder.path().join("missing")), None);
    }
}
