//! The runner: a scheduler that lives.
//!
//! A timer that counts from when it was set stands still while the machine sleeps, and knows nothing of
//! clocks that are set. So the runner waits for a minute at most, and then compares the clock on the wall
//! with what is due. That is all it does while nothing is due; changes of the store wake it.

mod delivery;
mod round;
mod switch;

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use self::round::Round;
pub use self::{
    delivery::{Delivering, Delivery, Notice},
    switch::Switch,
};
use crate::{JobId, JobStore, Settings, StoreError};

/// What tells the wall-clock time: `Timestamp::now`.
type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Fires the jobs of a store when they are due.
///
/// # Default
/// [`Settings::classic`], and a [`Switch`] that is on.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use loop_schedule::{
///     CancellationToken, Delivering, Delivery, Fire, Job, JobId, MemoryStore, Reach, Runner, Settings, When,
///     async_trait,
///     jiff::{SignedDuration, Timestamp},
/// };
///
/// struct Prompts(tokio::sync::mpsc::UnboundedSender<String>);
///
/// #[async_trait]
/// impl Delivery for Prompts {
///     async fn deliver(&self, fire: Fire, work: Delivering) {
///         if work.started().await.unwrap_or(false) {
///             let _ = self.0.send(fire.job.prompt.clone());
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (store, now) = (MemoryStore::new(), Timestamp::now());
/// let when = When::At { time: now + SignedDuration::from_millis(20) };
/// let job = Job::new(JobId::from_bits(7), when, "look at the build", now).without_jitter();
/// store.update(|jobs| jobs.add(job, &Settings::classic(), Reach::Year, now))?;
///
/// let (prompts, mut delivered) = tokio::sync::mpsc::unbounded_channel();
/// let end = CancellationToken::new();
/// let runner = tokio::spawn(Runner::new(store, Prompts(prompts), Timestamp::now).run(end.clone()));
/// assert_eq!(delivered.recv().await.as_deref(), Some("look at the build"));
/// end.cancel();
/// runner.await??;
/// # Ok(())
/// # }
/// ```
pub struct Runner {
    store: Arc<dyn JobStore>,
    delivery: Arc<dyn Delivery>,
    settings: Settings,
    clock: Clock,
    switch: Switch,
    woken: Arc<Notify>,
    answers: (mpsc::UnboundedSender<Answer>, mpsc::UnboundedReceiver<Answer>),
}

/// Whether a person wants what a job missed.
type Answer = (JobId, bool);

impl Runner {
    /// A runner of these jobs. `clock` tells the wall-clock time: `Timestamp::now`.
    pub fn new(
        store: impl JobStore,
        delivery: impl Delivery,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            store: Arc::new(store),
            delivery: Arc::new(delivery),
            settings: Settings::classic(),
            clock: Arc::new(clock),
            switch: Switch::default(),
            woken: Arc::default(),
            answers: mpsc::unbounded_channel(),
        }
    }

    /// Sets the numbers that hold for all jobs.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the switch that stops everything.
    #[must_use]
    pub fn with_switch(mut self, switch: Switch) -> Self {
        self.switch = switch;
        self
    }

    /// What speaks to the runner while it runs.
    pub fn handle(&self) -> RunnerHandle {
        RunnerHandle { woken: self.woken.clone(), answers: self.answers.0.clone() }
    }

    /// Waits until nobody else fires these jobs, and fires them until it is cancelled. Then it cancels what
    /// runs, and waits for its end.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written: what cannot be claimed must not be fired.
    ///
    /// # Cancel safety
    /// Dropped, it drops what runs. A fire that was claimed is not fired again; the next runner tells of it.
    pub async fn run(self, cancel: CancellationToken) -> Result<(), StoreError> {
        let right = tokio::select! {
            right = self.store.firing_right() => right?,
            () = cancel.cancelled() => return Ok(()),
        };
        self.delivery.notice(Notice::Firing);
        let ran = Round::new(self).run(false, &cancel).await;
        drop(right);
        ran
    }

    /// Fires what is due now, waits for its end, and returns: for a timer of the system. Says whether it did:
    /// not if somebody else fires these jobs, who does it then.
    ///
    /// Set [`Settings::grace`] to more than the time between two of these calls: what came due longer ago
    /// counts as missed.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Cancel safety
    /// As [`run`](Self::run).
    pub async fn run_once(self, cancel: CancellationToken) -> Result<bool, StoreError> {
        let Some(right) = self.store.try_firing_right().await? else { return Ok(false) };
        self.delivery.notice(Notice::Firing);
        let ran = Round::new(self).run(true, &cancel).await;
        drop(right);
        ran.map(|()| true)
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("settings", &self.settings)
            .field("is_on", &self.switch.is_on())
            .finish_non_exhaustive()
    }
}

/// Speaks to a [`Runner`] while it runs.
#[derive(Debug, Clone)]
pub struct RunnerHandle {
    woken: Arc<Notify>,
    answers: mpsc::UnboundedSender<Answer>,
}

impl RunnerHandle {
    /// Lets the runner look at what is due: somebody has become free.
    pub fn wake(&self) {
        self.woken.notify_one();
    }

    /// Says whether slots that a person was [asked](crate::Event::Asked) about are to fire.
    pub fn answer(&self, id: JobId, fire: bool) {
        // A runner that is gone wants no answer.
        let _ = self.answers.send((id, fire));
    }
}
