//! What a runner wants of a store.

use std::{any::Any, sync::Arc};

use async_trait::async_trait;
use jiff::Timestamp;
use notify::{RecursiveMode, Watcher};
use tokio::task::spawn_blocking;

use super::{FileStore, Jobs, Loaded, MemoryStore, StoreError, plain};

/// A change of jobs. It says whether what it is about could be done.
pub type Change = Box<dyn FnOnce(&mut Jobs) -> bool + Send>;

/// Something that is kept for what dropping it ends: a right, or a watch.
pub type Held = Box<dyn Any + Send + Sync>;

/// Tells that something has changed, and not what. It returns at once, and may be called from any thread.
pub type Tell = Arc<dyn Fn() + Send + Sync>;

/// Where a [`Runner`](crate::Runner) keeps its jobs.
#[async_trait]
pub trait JobStore: Send + Sync + 'static {
    /// All jobs.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    async fn jobs(&self) -> Result<Loaded<Jobs>, StoreError>;

    /// Changes the jobs, all or nothing. When it returns, others know of it.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be written; then nothing is changed.
    ///
    /// # Cancel safety
    /// A change that has begun is made, also if nobody waits for it any more.
    async fn change(&self, change: Change) -> Result<bool, StoreError>;

    /// Waits until nobody else fires these jobs. The right lasts until what is returned is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be asked for.
    async fn firing_right(&self) -> Result<Held, StoreError>;

    /// The right to fire these jobs, if nobody has it.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be asked for.
    async fn try_firing_right(&self) -> Result<Option<Held>, StoreError>;

    /// Notes that somebody has looked at what is due, for people who wonder why nothing fires. It is no
    /// change, and may be forgotten.
    fn note_check(&self, _now: Timestamp) {}

    /// Tells of changes by others, and maybe of one's own, as long as what is returned is not dropped. `None`
    /// if that cannot be done: then the jobs are to be looked at now and then.
    fn watch(&self, tell: Tell) -> Option<Held>;
}

#[async_trait]
impl JobStore for FileStore {
    async fn jobs(&self) -> Result<Loaded<Jobs>, StoreError> {
        let store = self.clone();
        spawn_blocking(move || store.read()).await.unwrap_or(Err(StoreError::GivenUp))
    }

    async fn change(&self, change: Change) -> Result<bool, StoreError> {
        let store = self.clone();
        let changed =
            spawn_blocking(move || store.update(change)).await.unwrap_or(Err(StoreError::GivenUp))?;
        // A runner reads the jobs after each change, and tells of the warnings then.
        Ok(changed.report(drop))
    }

    /// Waits in a thread of its own, which a runtime that shuts down does not wait for. If nobody waits any
    /// more when it has the right, it gives it back.
    async fn firing_right(&self) -> Result<Held, StoreError> {
        let store = self.clone();
        let (tell, told) = tokio::sync::oneshot::channel();
        let wait = move || drop(tell.send(store.wait_for_firing()));
        let thread = std::thread::Builder::new().name("schedule-firing".to_owned()).spawn(wait);
        plain::at(self.folder(), thread)?;
        let right = told.await.unwrap_or(Err(StoreError::GivenUp))?;
        Ok(Box::new(right))
    }

    async fn try_firing_right(&self) -> Result<Option<Held>, StoreError> {
        let store = self.clone();
        let right = spawn_blocking(move || store.try_firing()).await.unwrap_or(Err(StoreError::GivenUp))?;
        Ok(right.map(|right| Box::new(right) as Held))
    }

    fn note_check(&self, now: Timestamp) {
        // Nothing depends on it, so it is no reason to stop.
        let _ = self.set_last_check(now);
    }

    fn watch(&self, tell: Tell) -> Option<Held> {
        let jobs = self.jobs_file();
        let hear = move |event: notify::Result<notify::Event>| {
            // Whoever reads opens files, too. An error may mean that events were lost.
            let is_change = |event: &notify::Event| !event.kind.is_access() && event.paths.contains(&jobs);
            if event.as_ref().is_ok_and(is_change) || event.is_err() {
                tell();
            }
        };
        // The folder, since each change is a new file under the old name.
        self.create().ok()?;
        let mut watcher = notify::recommended_watcher(hear).ok()?;
        watcher.watch(self.folder(), RecursiveMode::NonRecursive).ok()?;
        Some(Box::new(watcher))
    }
}

#[async_trait]
impl JobStore for MemoryStore {
    async fn jobs(&self) -> Result<Loaded<Jobs>, StoreError> {
        Ok(Loaded::new(self.read(), Vec::new()))
    }

    async fn change(&self, change: Change) -> Result<bool, StoreError> {
        Ok(self.update_quietly(change))
    }

    async fn firing_right(&self) -> Result<Held, StoreError> {
        Ok(Box::new(()))
    }

    async fn try_firing_right(&self) -> Result<Option<Held>, StoreError> {
        Ok(Some(Box::new(())))
    }

    fn watch(&self, tell: Tell) -> Option<Held> {
        self.tell(tell);
        Some(Box::new(()))
    }
}
