//! Jobs that live as long as the program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Jobs;

/// Jobs that live as long as the program: those of a session, and of tests. Clones are the same store.
///
/// Whoever has it is the only one that fires its jobs: it is run by one [`Runner`](crate::Runner).
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    jobs: Jobs,
    changed: Option<Arc<Notify>>,
}

impl MemoryStore {
    /// One without jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// All jobs.
    pub fn read(&self) -> Jobs {
        self.kept().jobs.clone()
    }

    /// Changes the jobs. The runner hears of it.
    pub fn update<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        let result = self.update_quietly(change);
        if let Some(changed) = &self.kept().changed {
            changed.notify_one();
        }
        result
    }

    /// Changes the jobs for the runner, which knows.
    pub(super) fn update_quietly<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        change(&mut self.kept().jobs)
    }

    /// Whom to tell of changes from now on.
    pub(super) fn tell(&self, changed: Arc<Notify>) {
        self.kept().changed = Some(changed);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A change that panicked has made some of what it wanted, and each part of it is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
