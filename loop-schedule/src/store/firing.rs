//! Who fires.
//!
//! Two sessions in one project would both deliver each job. A file with a process id in it goes stale with
//! the process, and then nobody fires. So a lock decides that the kernel holds: it is gone with whoever had
//! it, however that ended, and whoever waits for it has it the same moment.

use std::{
    fs::{File, TryLockError},
    path::PathBuf,
};

use jiff::Timestamp;

use super::{FileStore, StoreError, plain};

/// The right to fire the jobs of a store. It lasts until it is dropped, or the process is gone.
#[derive(Debug)]
pub struct FiringRight {
    _lock: File,
}

impl FileStore {
    /// Takes the right to fire, if nobody has it.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be asked for.
    pub fn try_firing(&self) -> Result<Option<FiringRight>, StoreError> {
        let (lock, path) = self.open_firing()?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(FiringRight { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(StoreError::File { path, source }),
        }
    }

    /// Waits until nobody else has the right to fire, and takes it. It blocks for as long as that takes.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be asked for.
    pub fn wait_for_firing(&self) -> Result<FiringRight, StoreError> {
        let (lock, path) = self.open_firing()?;
        plain::at(&path, lock.lock())?;
        Ok(FiringRight { _lock: lock })
    }

    /// Whether anybody has the right to fire.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be asked for.
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

    /// When a runner looked last at what is due. `None` if none ever has.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be read.
    pub fn last_check(&self) -> Result<Option<Timestamp>, StoreError> {
        // A time that is no timestamp is of a clock that was wrong, and tells as little as none.
        Ok(plain::modified(&self.firing_lock())?.and_then(|modified| Timestamp::try_from(modified).ok()))
    }

    /// Notes when somebody looked, as the time of the lock's file: that is no write to the disk by itself.
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
