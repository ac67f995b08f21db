//! The delivery of prompts.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::Clock;
use crate::{Fire, FireRecord, Job, JobId, JobStore, SchedulerEvent, StoreError, StoreWarning};

/// Receives the prompts that a [`Runner`](crate::Runner) fires.
#[async_trait]
pub trait Delivery: Send + Sync + 'static {
    /// Returns whether it can take a prompt now. A session returns `false` while it answers, so that no prompt
    /// interrupts a reply. When it is free again, call [`RunnerHandle::wake`](crate::RunnerHandle::wake).
    fn is_idle(&self) -> bool {
        true
    }

    /// Carries out a fire, and returns when it is done. Call [`started`](DeliveryContext::started) at the beginning;
    /// otherwise the runner records the fire as lost.
    ///
    /// # Cancel safety
    /// After [`cancelled`](DeliveryContext::cancelled) fires, this should end soon, and the runner waits for it. If the
    /// runner is dropped, this is dropped too.
    async fn deliver(&self, fire: Fire, work: DeliveryContext);

    /// Receives a notice for the person.
    fn notice(&self, _notice: RunnerNotice) {}
}

/// A fire that is being delivered.
pub struct DeliveryContext {
    id: JobId,
    number: u64,
    store: Arc<dyn JobStore>,
    clock: Clock,
    cancel: CancellationToken,
    has_started: Arc<AtomicBool>,
}

impl DeliveryContext {
    pub(super) fn new(
        fire: &Fire,
        store: Arc<dyn JobStore>,
        clock: Clock,
        cancel: CancellationToken,
    ) -> Self {
        let (id, number) = (fire.job.id, fire.number);
        Self { id, number, store, clock, cancel, has_started: Arc::default() }
    }

    /// Records that the prompt is delivered now. Returns whether that is allowed: if the job was deleted in the
    /// meantime, do not deliver it.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot record that.
    pub async fn started(&self) -> Result<bool, StoreError> {
        let (id, number, now) = (self.id, self.number, (self.clock)());
        let may = self.store.change(Box::new(move |jobs| jobs.started(id, number, now))).await?;
        self.has_started.store(may, Ordering::Relaxed);
        Ok(may)
    }

    /// Returns the token that is cancelled when the work is no longer wanted.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Carries out the fire, and records how it ended.
    pub(super) async fn perform(self, fire: Fire, delivery: Arc<dyn Delivery>) -> Result<(), StoreError> {
        let (id, number, store, clock) = (self.id, self.number, self.store.clone(), self.clock.clone());
        let has_started = self.has_started.clone();
        delivery.deliver(fire, self).await;
        let now = clock();
        let ended: crate::JobsChange = match has_started.load(Ordering::Relaxed) {
            true => Box::new(move |jobs| jobs.finished(id, number, now)),
            false => Box::new(move |jobs| jobs.lost(id, number, now)),
        };
        store.change(ended).await.map(drop)
    }
}

impl fmt::Debug for DeliveryContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliveryContext")
            .field("id", &self.id)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// A notice from a runner to the person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunnerNotice {
    /// This runner fires the jobs now. Before that, another runner or none did.
    Firing,
    /// An event from the scheduler, except [fires](SchedulerEvent::Fired).
    Event(SchedulerEvent),
    /// The runner dropped a fire, because its job is gone or paused.
    Dropped(Fire),
    /// A fire has not finished, and the process that worked on it is gone.
    Unfinished {
        /// The job of the fire.
        job: Arc<Job>,
        /// The progress of the fire.
        fire: FireRecord,
    },
    /// A problem with the store.
    Store(StoreWarning),
    /// A delivery panicked.
    Panicked {
        /// The job of the delivery.
        id: JobId,
    },
}
