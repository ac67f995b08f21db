//! A store of jobs in memory.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{ChangeListener, Jobs};

/// Jobs in memory: those of a session, and of tests. Clones share their jobs.
///
/// Use only one [`Runner`](crate::Runner) per store. The latest watcher gets all notifications of changes, until
/// another one replaces it or the store is gone.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<MemoryContents>>);

#[derive(Default)]
struct MemoryContents {
    jobs: Jobs,
    tell: Option<ChangeListener>,
}

impl MemoryStore {
    /// Creates a store without jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all jobs.
    pub fn read(&self) -> Jobs {
        self.contents().jobs.clone()
    }

    /// Changes the jobs, and notifies the runner.
    pub fn update<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        let result = self.update_quietly(change);
        // Call it without the lock, because it may read the store.
        let tell = self.contents().tell.clone();
        if let Some(tell) = tell {
            tell();
        }
        result
    }

    /// Changes the jobs for the runner, without a notification.
    pub(super) fn update_quietly<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        change(&mut self.contents().jobs)
    }

    /// Sets the function to call after changes.
    pub(super) fn tell(&self, tell: ChangeListener) {
        self.contents().tell = Some(tell);
    }

    fn contents(&self) -> MutexGuard<'_, MemoryContents> {
        // A change that panicked may be incomplete, but each job is consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryContents").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}
