//! What is due comes between two lines.
//!
//! The runner of the jobs lives beside the session, and is told when somebody is free: not while a reply comes, nor
//! while a command runs. What it delivers waits here until the session takes it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use loop_schedule::CancellationToken;
use loop_schedule::{Delivering, Delivery, Fire, Runner, RunnerHandle, Switch};
use tokio::sync::{mpsc, oneshot};

use super::SessionJobs;
use crate::{
    clock,
    schedule::{self, Watched},
    view::text,
};

/// Fires the jobs of a session, as long as it lives.
pub(in crate::session) struct Clockwork {
    due: mpsc::UnboundedReceiver<Due>,
    is_free: Arc<AtomicBool>,
    runner: RunnerHandle,
    /// What was due when something else came first.
    held: Option<Due>,
    end: CancellationToken,
    _watched: Option<Watched>,
}

/// A prompt whose time has come. The job counts as running until this is dropped.
pub(in crate::session) struct Due {
    fire: Fire,
    work: Delivering,
    _over: oneshot::Sender<()>,
}

impl Clockwork {
    /// Begins to fire these jobs, unless all jobs are off.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(in crate::session) fn start(jobs: &SessionJobs) -> Self {
        let (tell, due) = mpsc::unbounded_channel();
        let (is_free, switch, end) =
            (Arc::<AtomicBool>::default(), Switch::default(), CancellationToken::new());
        let delivery = Handing { due: tell, is_free: Arc::clone(&is_free) };
        let runner = Runner::new(jobs.store.clone(), delivery, clock::now);
        let runner = runner.with_settings(jobs.numbers().clone()).with_switch(switch.clone());
        let handle = runner.handle();
        // Where the switch cannot be seen, nothing has been switched off.
        let watched = jobs.place.off.watch(&switch, || {}).ok();
        if !schedule::is_disabled() {
            // In memory nothing can fail.
            drop(tokio::spawn(runner.run(end.clone())));
        }
        Self { due, is_free, runner: handle, held: None, end, _watched: watched }
    }

    /// Says whether a prompt can be taken now.
    pub(in crate::session) fn set_free(&self, is_free: bool) {
        self.is_free.store(is_free, Ordering::Relaxed);
        if is_free {
            self.runner.wake();
        }
    }

    /// What is due next; never, if nothing fires here.
    ///
    /// # Cancel safety
    /// Cancel safe: what was due is returned by the next call.
    pub(in crate::session) async fn due(&mut self) -> Due {
        let due = match self.held.take() {
            Some(held) => Some(held),
            None => self.due.recv().await,
        };
        match due {
            Some(due) => due,
            None => std::future::pending().await,
        }
    }

    /// Gives back what something else came before.
    pub(in crate::session) fn hold(&mut self, due: Due) {
        self.held = Some(due);
    }
}

impl Drop for Clockwork {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl Due {
    /// Notes that it is done now. Says whether it is still wanted: the job may have been deleted meanwhile.
    pub(in crate::session) async fn begins(&self) -> bool {
        // In memory nothing can fail.
        self.work.started().await.unwrap_or(false)
    }

    /// What is to be done.
    pub(in crate::session) fn prompt(&self) -> &str {
        &self.fire.job.prompt
    }

    /// What the person is told of it: whose time has come, and for how many slots this stands.
    pub(in crate::session) fn heading(&self) -> String {
        let Fire { job, slots, is_last, .. } = &self.fire;
        let count = slots.map_or(1, |slots| slots.count);
        let slots = if count > 1 { format!(", for {count} slots") } else { String::new() };
        let last = if *is_last && job.when.is_recurring() { ", for the last time" } else { "" };
        format!("[{}{slots}{last}] {}", job.id, text::printable(&job.prompt))
    }
}

/// Hands over what is due, and waits until it is done.
struct Handing {
    due: mpsc::UnboundedSender<Due>,
    is_free: Arc<AtomicBool>,
}

#[async_trait]
impl Delivery for Handing {
    fn is_idle(&self) -> bool {
        self.is_free.load(Ordering::Relaxed)
    }

    async fn deliver(&self, fire: Fire, work: Delivering) {
        let (over, done) = oneshot::channel();
        if self.due.send(Due { fire, work, _over: over }).is_ok() {
            // Nothing is ever said: the session lets go of its end.
            let _ = done.await;
        }
    }
}
