//! What is due comes between two lines.
//!
//! The runner of the jobs lives beside the session, and is told when somebody is free: not while a reply comes, nor
//! while a command runs. What it delivers waits here until the session takes it.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use loop_schedule::CancellationToken;
use loop_schedule::{Delivering, Delivery, Fire, OffSwitchWatch, Runner, RunnerHandle, Switch};
use tokio::sync::{mpsc, oneshot};

use super::session_jobs::SessionJobs;

/// Fires the jobs of a session, as long as it lives. A front end says when the person and the model are idle, and
/// carries out the [due](Self::due) jobs between two lines.
pub struct SessionScheduler {
    due: mpsc::UnboundedReceiver<DueJob>,
    is_free: Arc<AtomicBool>,
    runner: RunnerHandle,
    /// What was due when something else came first.
    held: Option<DueJob>,
    end: CancellationToken,
    _watched: Option<OffSwitchWatch>,
}

/// A prompt whose time has come. The job counts as running until this is dropped.
pub struct DueJob {
    fire: Fire,
    work: Delivering,
    _over: oneshot::Sender<()>,
}

impl SessionScheduler {
    /// Begins to fire these jobs, unless all jobs are switched off.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(jobs: &SessionJobs) -> Self {
        let (tell, due) = mpsc::unbounded_channel();
        let (is_free, switch, end) =
            (Arc::<AtomicBool>::default(), Switch::default(), CancellationToken::new());
        let delivery = Handing { due: tell, is_free: Arc::clone(&is_free) };
        let runner = Runner::new(jobs.store.clone(), delivery, jobs.host.clock());
        let runner = runner.with_settings(jobs.numbers().clone()).with_switch(switch.clone());
        let handle = runner.handle();
        // Where the switch cannot be seen, nothing has been switched off.
        let watched = jobs.project.off_switch().watch(&switch, || {}).ok();
        if !jobs.is_disabled {
            // In memory nothing can fail.
            drop(tokio::spawn(runner.run(end.clone())));
        }
        Self { due, is_free, runner: handle, held: None, end, _watched: watched }
    }

    /// Sets whether a job can be taken now.
    pub fn set_free(&self, is_free: bool) {
        self.is_free.store(is_free, Ordering::Relaxed);
        if is_free {
            self.runner.wake();
        }
    }

    /// Waits for the next job that is due; for ever if nothing fires here.
    ///
    /// # Cancel safety
    /// Cancel safe: what was due is returned by the next call.
    pub async fn due(&mut self) -> DueJob {
        let due = match self.held.take() {
            Some(held) => Some(held),
            None => self.due.recv().await,
        };
        match due {
            Some(due) => due,
            None => std::future::pending().await,
        }
    }

    /// Returns a job that something else came before: it is due again.
    pub fn hold(&mut self, due: DueJob) {
        self.held = Some(due);
    }
}

impl Drop for SessionScheduler {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl DueJob {
    /// Begins it, and returns whether it is still wanted: the job may have been deleted meanwhile.
    pub async fn begins(&self) -> bool {
        // In memory nothing can fail.
        self.work.started().await.unwrap_or(false)
    }

    /// The line that is carried out.
    pub fn prompt(&self) -> &str {
        &self.fire.job.prompt
    }

    /// Describes it for the person: which job is due, and for how many slots.
    pub fn heading(&self) -> String {
        let Fire { job, slots, is_last, .. } = &self.fire;
        let count = slots.map_or(1, |slots| slots.count);
        let slots = if count > 1 { format!(", for {count} slots") } else { String::new() };
        let last = if *is_last && job.when.is_recurring() { ", for the last time" } else { "" };
        format!("[{}{slots}{last}] {}", job.id, job.prompt)
    }
}

/// Hands over what is due, and waits until it is done.
struct Handing {
    due: mpsc::UnboundedSender<DueJob>,
    is_free: Arc<AtomicBool>,
}

#[async_trait]
impl Delivery for Handing {
    fn is_idle(&self) -> bool {
        self.is_free.load(Ordering::Relaxed)
    }

    async fn deliver(&self, fire: Fire, work: Delivering) {
        let (over, done) = oneshot::channel();
        if self.due.send(DueJob { fire, work, _over: over }).is_ok() {
            // Nothing is ever said: the session lets go of its end.
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
