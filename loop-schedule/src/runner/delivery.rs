//! Who takes the prompts.

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
use crate::{Event, Fire, FireRecord, Job, JobId, JobStore, StoreError, StoreWarning};

/// Who takes the prompts that a [`Runner`](crate::Runner) fires.
#[async_trait]
pub trait Delivery: Send + Sync + 'static {
    /// Whether a prompt can be taken now. A session says no while it answers, so that nothing comes into the
    /// middle of a reply; tell the runner by [`RunnerHandle::wake`](crate::RunnerHandle::wake) when that is
    /// over.
    fn is_idle(&self) -> bool {
        true
    }

    /// Does what a fire wants, until it is done. Call [`started`](Delivering::started) when it begins: what
    /// returns without is noted as lost.
    ///
    /// # Cancel safety
    /// When [`cancelled`](Delivering::cancelled) is, it should end soon; the runner waits for it. It is
    /// dropped if the runner is.
    async fn deliver(&self, fire: Fire, work: Delivering);

    /// Hears what a person should know.
    fn notice(&self, _notice: Notice) {}
}

/// A fire that is being delivered.
pub struct Delivering {
    id: JobId,
    number: u64,
    store: Arc<dyn JobStore>,
    clock: Clock,
    cancel: CancellationToken,
    has_started: Arc<AtomicBool>,
}

impl Delivering {
    pub(super) fn new(
        fire: &Fire,
        store: Arc<dyn JobStore>,
        clock: Clock,
        cancel: CancellationToken,
    ) -> Self {
        let (id, number) = (fire.job.id, fire.number);
        Self { id, number, store, clock, cancel, has_started: Arc::default() }
    }

    /// Notes that the prompt is delivered now. Says whether it may be: if the job was deleted meanwhile, do
    /// not deliver it.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be noted.
    pub async fn started(&self) -> Result<bool, StoreError> {
        let (id, number, now) = (self.id, self.number, (self.clock)());
        let may = self.store.change(Box::new(move |jobs| jobs.started(id, number, now))).await?;
        self.has_started.store(may, Ordering::Relaxed);
        Ok(may)
    }

    /// Is cancelled when the work is not wanted any more.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Does it, and notes how it ended.
    pub(super) async fn perform(self, fire: Fire, delivery: Arc<dyn Delivery>) -> Result<(), StoreError> {
        let (id, number, store, clock) = (self.id, self.number, self.store.clone(), self.clock.clone());
        let has_started = self.has_started.clone();
        delivery.deliver(fire, self).await;
        let now = clock();
        let ended: crate::Change = match has_started.load(Ordering::Relaxed) {
            true => Box::new(move |jobs| jobs.finished(id, number, now)),
            false => Box::new(move |jobs| jobs.lost(id, number, now)),
        };
        store.change(ended).await.map(drop)
    }
}

impl fmt::Debug for Delivering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivering")
            .field("id", &self.id)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// What a person should know of a runner.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// This runner fires the jobs now. Until then somebody else did, or nobody.
    Firing,
    /// What the scheduler said, but for [fires](Event::Fired).
    Event(Event),
    /// A fire was dropped: its job is gone or paused.
    Dropped(Fire),
    /// A fire has no end, and nobody works on it: whoever did is gone.
    Unfinished {
        /// Whose.
        job: Arc<Job>,
        /// How far it came.
        fire: FireRecord,
    },
    /// Something is wrong with the store.
    Store(StoreWarning),
    /// A delivery panicked.
    Panicked {
        /// Whose.
        id: JobId,
    },
}
