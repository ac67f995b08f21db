//! The right to fire.
//!
//! Two sessions in one project would both deliver each job. A file with a process id goes stale when its process dies,
//! and then no session fires. So we use a lock of the kernel: it ends with its process, however that ended, and the
//! next waiting process gets it immediately.

use std::{
    fs::{File, TryLockError},
    path::PathBuf,
};

use jiff::Timestamp;

use super::{FileStore, StoreError, plain};

/// The right to fire the jobs of a store. It ends when it is dropped or the process ends.
#[derive(Debug)]
pub struct FiringRight {
    _lock: File,
}

impl FileStore {
    /// Takes the right to fire, if no process has it.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn try_firing(&self) -> Result<Option<FiringRight>, StoreError> {
        let (lock, path) = self.open_firing()?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(FiringRight { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(StoreError::File { path, source }),
        }
    }

    /// Waits until no other process has the right to fire, and takes it. This blocks until then.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn wait_for_firing(&self) -> Result<FiringRight, StoreError> {
        let (lock, path) = self.open_firing()?;
        plain::at(&path, lock.lock())?;
        Ok(FiringRight { _lock: lock })
    }

    /// Returns whether any process has the right to fire.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be used.
    pub fn is_firing(&self) -> Result<bool, StoreError> {
        if !self.is_there()? {
            return Ok(false);
        }
        let (lock, path) = self.open_firing()?;
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
        Ok(plain::modified(&self.firing_lock())?.and_then(|modified| Timestamp::try_from(modified).ok()))
    }

    /// Records the time of a check as the modification time of the lock's file, which needs no disk write of its own.
    pub(super) fn set_last_check(&self, now: Timestamp) -> Result<(), StoreError> {
        let (lock, path) = self.open_firing()?;
        plain::at(&path, lock.set_modified(now.into()))
    }

    fn firing_lock(&self) -> PathBuf {
        self.folder().join("firing.lock")
    }

    fn open_firing(&self) -> Result<(File, PathBuf), StoreError> {
        self.create()?;
        let path = self.firing_lock();
        Ok((plain::open_lock(&path)?, path))
    }
}
