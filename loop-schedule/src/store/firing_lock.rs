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

/// The lock of the process that fires the jobs of a store. Dropping it or ending the process releases it.
#[derive(Debug)]
pub struct FiringLock {
    _lock: File,
}

impl FileStore {
    /// Takes the firing lock, if no process holds it.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn try_lock_firing(&self) -> Result<Option<FiringLock>, StoreError> {
        let (lock, path) = self.open_firing_lock()?;
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
        let (lock, path) = self.open_firing_lock()?;
        private_file::at(&path, lock.lock())?;
        Ok(FiringLock { _lock: lock })
    }

    /// Returns whether any process holds the firing lock.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn is_firing(&self) -> Result<bool, StoreError> {
        if !self.is_there()? {
            return Ok(false);
        }
        let (lock, path) = self.open_firing_lock()?;
        match lock.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(StoreError::File { path, source }),
        }
    }

    /// Returns when a runner last checked what is due. `None` if none ever has.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    pub fn last_check(&self) -> Result<Option<Timestamp>, StoreError> {
        // A time outside the range of timestamps comes from a wrong clock, and is as useless as none.
        Ok(private_file::modified(&self.firing_lock_path())?
            .and_then(|modified| Timestamp::try_from(modified).ok()))
    }

    /// Records the time of a check as the modification time of the lock's file, which needs no disk write of its own.
    pub(super) fn set_last_check(&self, now: Timestamp) -> Result<(), StoreError> {
        let (lock, path) = self.open_firing_lock()?;
        private_file::at(&path, lock.set_modified(now.into()))
    }

    fn firing_lock_path(&self) -> PathBuf {
        self.folder().join("firing.lock")
    }

    fn open_firing_lock(&self) -> Result<(File, PathBuf), StoreError> {
        self.create()?;
        let path = self.firing_lock_path();
        Ok((private_file::open_lock(&path)?, path))
    }
}
