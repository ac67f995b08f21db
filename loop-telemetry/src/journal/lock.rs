//! The lock of a run.
//!
//! If two processes append to one journal, it is a valid history of neither. A file with a process id becomes stale
//! when the process dies; a kernel lock does not.

use std::{
    fmt,
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use super::{
    EVENTS, IoErrorContext, JournalError, LineDigest,
    line_buffer::{LineBuffer, locked},
};
use crate::private_folder;

/// A process that checks whether a run is alive holds the lock for a moment, so we retry a few times.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The lock of a run. Only the process that holds it works on the run. You get it from
/// [`FileJournal::hold`](super::FileJournal::hold), or from
/// [`RunStore::begin_without_journal`](crate::RunStore::begin_without_journal) for a run without a journal.
#[must_use = "the lock is released when this is dropped"]
pub struct RunLock(Locked);

/// The locked file.
enum Locked {
    /// That of a journal, which was locked when it was opened.
    Journal(Arc<Mutex<LineBuffer>>),
    /// Another file. It is removed together with the lock if it exists only for that.
    File { _file: File, vanishes: Option<PathBuf> },
}

impl RunLock {
    pub(super) fn of(lines: &Arc<Mutex<LineBuffer>>) -> Self {
        Self(Locked::Journal(Arc::clone(lines)))
    }

    /// Returns the lock of this locked file, which is removed together with the lock.
    pub(crate) fn vanishing(file: File, path: PathBuf) -> Self {
        Self(Locked::File { _file: file, vanishes: Some(path) })
    }

    /// Returns the lock of this locked file, which nobody writes.
    pub(crate) fn idle(file: File) -> Self {
        Self(Locked::File { _file: file, vanishes: None })
    }

    /// Returns the digest of the last line that the journal wrote, for the run's record. It comes from memory, so a change
    /// of the file does not affect it. Returns `None` without a journal, or if lines still wait to be written.
    pub fn journal_head(&self) -> Option<LineDigest> {
        let Locked::Journal(lines) = &self.0 else { return None };
        let lines = locked(lines);
        lines.next.filter(|_| lines.pending.is_empty())?.before
    }
}

impl fmt::Debug for RunLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunLock").field(&self.journal_head()).finish()
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        if let Locked::File { vanishes: Some(path), .. } = &self.0 {
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
