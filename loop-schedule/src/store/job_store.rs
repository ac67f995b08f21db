//! The store as a runner needs it.

use std::{any::Any, sync::Arc};

use async_trait::async_trait;
use jiff::Timestamp;
use notify::{RecursiveMode, Watcher};
use tokio::task::spawn_blocking;

use super::{FileStore, Jobs, MemoryStore, StoreError, WithWarnings, private_file};

/// A change of jobs. It returns whether it succeeded.
pub type JobsChange = Box<dyn FnOnce(&mut Jobs) -> bool + Send>;

/// A value whose drop ends something: a lock, or a watch.
pub type DropGuard = Box<dyn Any + Send + Sync>;

/// Notifies about a change, without details. It returns at once, and any thread may call it.
pub type ChangeListener = Arc<dyn Fn() + Send + Sync>;

/// The store in which a [`Runner`](crate::Runner) keeps its jobs.
#[async_trait]
pub trait JobStore: Send + Sync + 'static {
    /// Returns all jobs.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    async fn jobs(&self) -> Result<WithWarnings<Jobs>, StoreError>;

    /// Changes the jobs, all or nothing. When this returns, other processes can see the change.
    ///
    /// # Errors
    /// [`StoreError`] if the jobs cannot be written; then they are unchanged.
    ///
    /// # Cancel safety
    /// A change that has begun completes, even if this is dropped.
    async fn change(&self, change: JobsChange) -> Result<bool, StoreError>;

    /// Waits until no other process fires these jobs, and takes the firing lock. Dropping the returned value releases
    /// it.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be taken.
    async fn firing_lock(&self) -> Result<DropGuard, StoreError>;

    /// Takes the firing lock, if no process holds it.
    ///
    /// # Errors
    /// [`StoreError`] if the lock cannot be taken.
    async fn try_firing_lock(&self) -> Result<Option<DropGuard>, StoreError>;

    /// Records that a runner checked what is due, for people who wonder why nothing fires. It is not a change, and may
    /// be lost.
    fn note_check(&self, _now: Timestamp) {}

    /// Calls `tell` after changes by other processes, and maybe after its own, until the returned value is dropped.
    /// Returns `None` if it cannot watch; then read the jobs from time to time.
    fn watch(&self, tell: ChangeListener) -> Option<DropGuard>;
}

#[async_trait]
impl JobStore for FileStore {
    async fn jobs(&self) -> Result<WithWarnings<Jobs>, StoreError> {
        let store = self.clone();
        spawn_blocking(move || store.read()).await.unwrap_or(Err(StoreError::GivenUp))
    }

    async fn change(&self, change: JobsChange) -> Result<bool, StoreError> {
        let store = self.clone();
        let changed =
            spawn_blocking(move || store.update(change)).await.unwrap_or(Err(StoreError::GivenUp))?;
        // A runner reads the jobs after each change, and reports the warnings then.
        Ok(changed.report(drop))
    }

    /// Waits in a separate thread, which does not delay the shutdown of a runtime. If nobody waits any more when it
    /// gets the lock, it releases it.
    async fn firing_lock(&self) -> Result<DropGuard, StoreError> {
        let store = self.clone();
        let (tell, told) = tokio::sync::oneshot::channel();
        let wait = move || drop(tell.send(store.lock_firing()));
        let thread = std::thread::Builder::new().name("schedule-firing".to_owned()).spawn(wait);
        private_file::at(self.folder(), thread)?;
        let lock = told.await.unwrap_or(Err(StoreError::GivenUp))?;
        Ok(Box::new(lock))
    }

    async fn try_firing_lock(&self) -> Result<Option<DropGuard>, StoreError> {
        let store = self.clone();
        let lock =
            spawn_blocking(move || store.try_lock_firing()).await.unwrap_or(Err(StoreError::GivenUp))?;
        Ok(lock.map(|lock| Box::new(lock) as DropGuard))
    }

    fn note_check(&self, now: Timestamp) {
        // Nothing depends on it, so an error is no reason to stop.
        let _ = self.set_last_check(now);
    }

    fn watch(&self, tell: ChangeListener) -> Option<DropGuard> {
        let jobs = self.jobs_file();
        let hear = move |event: notify::Result<notify::Event>| {
            // Reading opens files, too. An error may mean that events were lost.
            let is_change = |event: &notify::Event| !event.kind.is_access() && event.paths.contains(&jobs);
            if event.as_ref().is_ok_and(is_change) || event.is_err() {
                tell();
            }
        };
        // Watch the folder, since each change is a new file under the old name.
        self.create().ok()?;
        let mut watcher = notify::recommended_watcher(hear).ok()?;
        watcher.watch(self.folder(), RecursiveMode::NonRecursive).ok()?;
        Some(Box::new(watcher))
    }
}

#[async_trait]
impl JobStore for MemoryStore {
    async fn jobs(&self) -> Result<WithWarnings<Jobs>, StoreError> {
        Ok(WithWarnings::new(self.read(), Vec::new()))
    }

    async fn change(&self, change: JobsChange) -> Result<bool, StoreError> {
        Ok(self.update_quietly(change))
    }

    async fn firing_lock(&self) -> Result<DropGuard, StoreError> {
        Ok(Box::new(()))
    }

    async fn try_firing_lock(&self) -> Result<Option<DropGuard>, StoreError> {
        Ok(Some(Box::new(())))
    }

    fn watch(&self, tell: ChangeListener) -> Option<DropGuard> {
        self.tell(tell);
        Some(Box::new(()))
    }
}
