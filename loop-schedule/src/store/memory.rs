//! A store of jobs in memory.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Jobs, Tell};

/// Jobs in memory: those of a session, and of tests. Clones share their jobs.
///
/// Use only one [`Runner`](crate::Runner) per store. The latest watcher gets all notifications of changes, until
/// another one replaces it or the store is gone.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    jobs: Jobs,
    tell: Option<Tell>,
}

impl MemoryStore {
    /// Creates a store without jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all jobs.
    pub fn read(&self) -> Jobs {
        self.kept().jobs.clone()
    }

    /// Changes the jobs, and notifies the runner.
    pub fn update<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        let result = self.update_quietly(change);
        // Call it without the lock, because it may read the store.
        let tell = self.kept().tell.clone();
        if let Some(tell) = tell {
            tell();
        }
        result
    }

    /// Changes the jobs for the runner, without a notification.
    pub(super) fn update_quietly<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        change(&mut self.kept().jobs)
    }

    /// Sets the function to call after changes.
    pub(super) fn tell(&self, tell: Tell) {
        self.kept().tell = Some(tell);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A change that panicked may be incomplete, but each job is consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}
