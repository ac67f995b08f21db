//! The runner fires jobs in real time.
//!
//! A timer that counts down stops while the machine sleeps, and does not notice when somebody sets the clock. So the
//! runner waits for a minute at most, and then compares the wall clock with the due times. While nothing is due it does
//! nothing else. Changes to the store wake it.

mod delivery;
mod firing_loop;
mod firing_switch;

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use self::firing_loop::FiringLoop;
pub use self::{
    delivery::{Delivery, DeliveryContext, RunnerNotice},
    firing_switch::FiringSwitch,
};
use crate::{JobId, JobStore, ScheduleSettings, StoreError};

/// Returns the wall-clock time, such as `Timestamp::now`.
type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Fires the jobs of a store when they are due.
///
/// # Default
/// [`ScheduleSettings::classic`], and a [`FiringSwitch`] that is on.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use loop_schedule::{
///     CancellationToken, Delivery, DeliveryContext, Fire, Horizon, Job, JobId, MemoryStore, Runner, ScheduleSettings,
///     Trigger,
///     async_trait,
///     jiff::{SignedDuration, Timestamp},
/// };
///
/// struct Prompts(tokio::sync::mpsc::UnboundedSender<String>);
///
/// #[async_trait]
/// impl Delivery for Prompts {
///     async fn deliver(&self, fire: Fire, work: DeliveryContext) {
///         if work.started().await.unwrap_or(false) {
///             let _ = self.0.send(fire.job.prompt.clone());
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (store, now) = (MemoryStore::new(), Timestamp::now());
/// let trigger = Trigger::At { time: now + SignedDuration::from_millis(20) };
/// let job = Job::new(JobId::from_bits(7), trigger, "look at the build", now).without_jitter();
/// store.update(|jobs| jobs.add(job, &ScheduleSettings::classic(), Horizon::Year, now))?;
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
    settings: ScheduleSettings,
    clock: Clock,
    switch: FiringSwitch,
    woken: Arc<Notify>,
    answers: (mpsc::UnboundedSender<Answer>, mpsc::UnboundedReceiver<Answer>),
}

/// A job, and whether the person wants its missed slots to fire.
type Answer = (JobId, bool);

impl Runner {
    /// Creates a runner for these jobs. `clock` returns the wall-clock time: `Timestamp::now`.
    pub fn new(
        store: impl JobStore,
        delivery: impl Delivery,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            store: Arc::new(store),
            delivery: Arc::new(delivery),
            settings: ScheduleSettings::classic(),
            clock: Arc::new(clock),
            switch: FiringSwitch::default(),
            woken: Arc::default(),
            answers: mpsc::unbounded_channel(),
        }
    }

    /// Sets the settings for all jobs.
    #[must_use]
    pub fn with_settings(mut self, settings: ScheduleSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the switch that stops all firing.
    #[must_use]
    pub fn with_switch(mut self, switch: FiringSwitch) -> Self {
        self.switch = switch;
        self
    }

    /// Returns a handle for talking to the runner while it runs.
    pub fn handle(&self) -> RunnerHandle {
        RunnerHandle { woken: self.woken.clone(), answers: self.answers.0.clone() }
    }

    /// Waits until no other process fires these jobs, and then fires them until it is cancelled. After that it cancels
    /// the current runs, and waits for their end.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written, because a fire without a claim must not run.
    ///
    /// # Cancel safety
    /// If you drop this, it drops the current runs. A claimed fire does not fire again; the next runner reports it.
    pub async fn run(self, cancel: CancellationToken) -> Result<(), StoreError> {
        let lock = tokio::select! {
            lock = self.store.firing_lock() => lock?,
            () = cancel.cancelled() => return Ok(()),
        };
        self.delivery.notice(RunnerNotice::Firing);
        let ran = FiringLoop::new(self).run(false, &cancel).await;
        drop(lock);
        ran
    }

    /// Fires the jobs that are due now, waits for their end, and returns: for a system timer. Returns whether it fired:
    /// if another process fires these jobs, it does nothing.
    ///
    /// Set [`ScheduleSettings::grace`] to more than the time between two calls, because older slots count as missed.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Cancel safety
    /// As [`run`](Self::run).
    pub async fn run_once(self, cancel: CancellationToken) -> Result<bool, StoreError> {
        let Some(lock) = self.store.try_firing_lock().await? else { return Ok(false) };
        self.delivery.notice(RunnerNotice::Firing);
        let ran = FiringLoop::new(self).run(true, &cancel).await;
        drop(lock);
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

/// A handle for a running [`Runner`].
#[derive(Debug, Clone)]
pub struct RunnerHandle {
    woken: Arc<Notify>,
    answers: mpsc::UnboundedSender<Answer>,
}

impl RunnerHandle {
    /// Makes the runner check what is due, because a delivery has become free.
    pub fn wake(&self) {
        self.woken.notify_one();
    }

    /// Answers whether the slots that the person was [asked](crate::SchedulerEvent::Asked) about should fire.
    pub fn answer(&self, id: JobId, fire: bool) {
        // A runner that is gone needs no answer.
        let _ = self.answers.send((id, fire));
    }
}
