//! Jobs that live as long as the program.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Jobs, Tell};

/// Jobs that live as long as the program: those of a session, and of tests. Clones are the same store.
///
/// Whoever has it is the only one that fires its jobs: it is run by one [`Runner`](crate::Runner). Who watches it is told
/// of changes until another one does, or the store is gone.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    jobs: Jobs,
    tell: Option<Tell>,
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
        // Told without the lock: whoever is told may want to look.
        let tell = self.kept().tell.clone();
        if let Some(tell) = tell {
            tell();
        }
        result
    }

    /// Changes the jobs for the runner, which knows.
    pub(super) fn update_quietly<T>(&self, change: impl FnOnce(&mut Jobs) -> T) -> T {
        change(&mut self.kept().jobs)
    }

    /// Whom to tell of changes from now on.
    pub(super) fn tell(&self, tell: Tell) {
        self.kept().tell = Some(tell);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A change that panicked has made some of what it wanted, and each part of it is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}
