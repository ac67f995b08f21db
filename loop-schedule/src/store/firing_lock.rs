//! The lock that allows one process to fire.
//!
//! Two sessions in one project would both deliver each job. A file with a process id goes stale when its process dies,
//! and then no session fires. So we use a lock of the kernel: it ends with its process, however that ended, and the
//! next waiting process gets it immediately.

use std::{
    fs::{File, TryLockError},
    path::PathBuf,
};

use jiff::Timestamp;

use super::{FileStore, StoreError, private_file};

/// The file of the firing lock.
const FIRING: &str = "firing.lock";

/// The file that open sessions share.
const SESSIONS: &str = "sessions.lock";

/// The lock of the process that fires the jobs of a store. Dropping it or ending the process releases it.
#[derive(Debug)]
pub struct FiringLock {
    _lock: File,
}

/// The mark of an open session that fires the jobs of a store. Dropping it or ending the process removes the mark.
#[derive(Debug)]
pub struct OpenSession {
    _lock: File,
}

impl FileStore {
    /// Marks the calling process as an open session, which fires the jobs that it can carry out while no process holds
    /// the firing lock.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn open_session(&self) -> Result<OpenSession, StoreError> {
        let (lock, path) = self.open_lock_named(SESSIONS)?;
        private_file::at(&path, lock.lock_shared())?;
        Ok(OpenSession { _lock: lock })
    }

    /// Returns whether any process has an [open session](Self::open_session).
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn has_open_session(&self) -> Result<bool, StoreError> {
        self.is_held(SESSIONS, File::try_lock)
    }

    /// Takes the firing lock, if no process holds it.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn try_lock_firing(&self) -> Result<Option<FiringLock>, StoreError> {
        let (lock, path) = self.open_lock_named(FIRING)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(FiringLock { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(StoreError::File { path, source }),
        }
    }

    /// Waits until no other process holds the firing lock, and takes it. This blocks until then.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn lock_firing(&self) -> Result<FiringLock, StoreError> {
        let (lock, path) = self.open_lock_named(FIRING)?;
        private_file::at(&path, lock.lock())?;
        Ok(FiringLock { _lock: lock })
    }

    /// Returns whether any process holds the firing lock.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn is_firing(&self) -> Result<bool, StoreError> {
        self.is_held(FIRING, File::try_lock_shared)
    }

    /// Returns when a runner last checked what is due. `None` if none ever has.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    pub fn last_check(&self) -> Result<Option<Timestamp>, StoreError> {
        // A time outside the range of timestamps comes from a wrong clock, and is as useless as none.
        Ok(private_file::modified(&self.folder().join(FIRING))?
            .and_then(|modified| Timestamp::try_from(modified).ok()))
    }

    /// Records the time of a check as the modification time of the lock's file, which needs no disk write of its own.
    pub(super) fn set_last_check(&self, now: Timestamp) -> Result<(), StoreError> {
        let (lock, path) = self.open_lock_named(FIRING)?;
        private_file::at(&path, lock.set_modified(now.into()))
    }

    /// Returns whether another process has a lock that keeps this one from being taken.
    fn is_held(&self, name: &str, take: fn(&File) -> Result<(), TryLockError>) -> Result<bool, StoreError> {
        if !self.is_there()? {
            return Ok(false);
        }
        let (lock, path) = self.open_lock_named(name)?;
        match take(&lock) {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(StoreError::File { path, source }),
        }
    }

    fn open_lock_named(&self, name: &str) -> Result<(File, PathBuf), StoreError> {
        self.create()?;
        let path = self.folder().join(name);
        Ok((private_file::open_lock(&path)?, path))
    }
}
