//! Delivery of due jobs between two lines.
//!
//! The runner of the jobs works beside the session. The session tells it when it is free, that is, when no reply is
//! arriving and no command runs. Delivered jobs wait here until the session takes them.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use loop_core::with_causes;
use loop_schedule::CancellationToken;
use loop_schedule::{
    Delivery, DeliveryContext, Fire, FiringSwitch, OffSwitchWatch, OpenSession, ProjectJobs, Runner,
    RunnerHandle,
};
use tokio::sync::{Notify, mpsc, oneshot};

use super::{session_jobs::SessionJobs, stored_jobs::StoredJobsRunner};

/// Fires the jobs of a session as long as the session lives, and the folder's stored jobs while no runner fires them. A
/// front end reports when the person and the model are
/// idle, and carries out the [due](Self::due) jobs between two lines.
pub struct SessionScheduler {
    due: mpsc::UnboundedReceiver<DueJob>,
    is_free: Arc<AtomicBool>,
    runner: RunnerHandle,
    /// True if the session can also carry out a stored job.
    can_fire_stored: Arc<AtomicBool>,
    woken: Arc<Notify>,
    /// A due job that something else preempted.
    deferred: Option<DueJob>,
    end: CancellationToken,
    _watched: Option<OffSwitchWatch>,
    project: Arc<ProjectJobs>,
    /// True if a variable stops all jobs of this process.
    is_disabled: bool,
    /// Tells other processes that this session fires the folder's stored jobs.
    open: Option<OpenSession>,
}

/// A scheduled prompt that is due. The job counts as running until this is dropped.
pub struct DueJob {
    fire: Fire,
    work: DeliveryContext,
    is_stored: bool,
    _over: oneshot::Sender<()>,
}

impl SessionScheduler {
    /// Starts to fire these jobs, unless all jobs are switched off.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn start(jobs: &SessionJobs) -> Self {
        let (tell, due) = mpsc::unbounded_channel();
        let (is_free, switch, end) =
            (Arc::<AtomicBool>::default(), FiringSwitch::default(), CancellationToken::new());
        let delivery = DueJobDelivery { due: tell, is_free: Arc::clone(&is_free), is_stored: false };
        let (can_fire_stored, woken) = (Arc::<AtomicBool>::default(), Arc::<Notify>::default());
        let stored = StoredJobsRunner {
            jobs: jobs.clone(),
            delivery: DueJobDelivery { is_stored: true, ..delivery.clone() },
            switch: switch.clone(),
            can_fire: Arc::clone(&can_fire_stored),
            woken: Arc::clone(&woken),
            end: end.clone(),
        };
        let runner = Runner::new(jobs.store.clone(), delivery, jobs.host.clock());
        let runner = runner.with_settings(jobs.settings().clone()).with_switch(switch.clone());
        let handle = runner.handle();
        // If the switch file cannot be watched, the jobs count as switched on.
        let watched = jobs.project.off_switch().watch(&switch, || {}).ok();
        if !jobs.is_disabled {
            // An in-memory store cannot fail.
            drop(tokio::spawn(runner.run(end.clone())));
            drop(tokio::spawn(stored.run()));
        }
        Self {
            due,
            is_free,
            runner: handle,
            can_fire_stored,
            woken,
            deferred: None,
            end,
            _watched: watched,
            project: Arc::clone(&jobs.project),
            is_disabled: jobs.is_disabled,
            open: None,
        }
    }

    /// Sets whether the session can take a job now. It takes the folder's stored jobs only if it also
    /// [has a model](crate::Session::has_model).
    pub fn set_free(&mut self, is_free: bool, has_model: bool) {
        if !has_model || self.is_disabled {
            self.open = None;
        } else if self.open.is_none() {
            let open = self.project.store().open_session();
            self.open = open.map_err(|error| self.project.warn(&with_causes(&error))).ok();
        }
        self.is_free.store(is_free, Ordering::Relaxed);
        self.can_fire_stored.store(is_free && has_model, Ordering::Relaxed);
        if is_free {
            self.runner.wake();
            self.woken.notify_one();
        }
    }

    /// Waits for the next due job; waits forever if this session fires no jobs.
    ///
    /// # Cancel safety
    /// This is cancel safe: the next call returns the job that was due.
    pub async fn due(&mut self) -> DueJob {
        let due = match self.deferred.take() {
            Some(deferred) => Some(deferred),
            None => self.due.recv().await,
        };
        match due {
            Some(due) => due,
            None => std::future::pending().await,
        }
    }

    /// Puts back a job that something else preempted: it is due again.
    pub fn defer(&mut self, due: DueJob) {
        self.deferred = Some(due);
    }
}

impl Drop for SessionScheduler {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl DueJob {
    /// Marks the job as started. Returns false if the job was deleted in the meantime.
    pub async fn begins(&self) -> bool {
        // A fire that cannot be recorded must not run.
        self.work.started().await.unwrap_or(false)
    }

    /// Returns the line to carry out.
    pub fn prompt(&self) -> &str {
        &self.fire.job.prompt
    }

    /// Returns the fire if its job is stored in the folder. This process then holds the right to fire these jobs.
    pub fn stored_fire(&self) -> Option<&Fire> {
        self.is_stored.then_some(&self.fire)
    }

    /// Describes the job for the person: its id, and how many slots it covers.
    pub fn heading(&self) -> String {
        let Fire { job, slots, is_last, .. } = &self.fire;
        let count = slots.map_or(1, |slots| slots.count);
        let slots = if count > 1 { format!(", for {count} slots") } else { String::new() };
        let last = if *is_last && job.trigger.is_recurring() { ", for the last time" } else { "" };
        format!("[{}{slots}{last}] {}", job.id, job.prompt)
    }
}

/// Hands over due jobs, and waits until each is done.
#[derive(Clone)]
pub(super) struct DueJobDelivery {
    due: mpsc::UnboundedSender<DueJob>,
    is_free: Arc<AtomicBool>,
    /// True for the stored jobs of the folder.
    is_stored: bool,
}

#[async_trait]
impl Delivery for DueJobDelivery {
    fn is_idle(&self) -> bool {
        self.is_free.load(Ordering::Relaxed)
    }

    async fn deliver(&self, fire: Fire, work: DeliveryContext) {
        let (over, done) = oneshot::channel();
        if self.due.send(DueJob { fire, work, is_stored: self.is_stored, _over: over }).is_ok() {
            // No message ever arrives: the session drops its end of the channel.
            let _ = done.await;
        }
    }
}

impl fmt::Debug for SessionScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionScheduler").finish_non_exhaustive()
    }
}

impl fmt::Debug for DueJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DueJob").field("job", &self.fire.job.id).finish_non_exhaustive()
    }
}
