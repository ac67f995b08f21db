//! Stops a command for a while, as Ctrl+Z does, and continues it, as `fg` does.
//!
//! A command has its own session, so a terminal's Ctrl+Z does not reach it. Without this module the program that
//! started the command would stop, and the agent would work on, unwatched and without limits.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::process::{Pid, Signal};
use tokio::{sync::Notify, time::Instant};

use super::supervision::process_tree;

/// A handle to the running commands. Clones refer to the same job.
///
/// Pass it to the commands of one run. Usually one of them runs at a time.
#[derive(Debug, Clone, Default)]
pub struct Job(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    continued: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The leaders of the running commands.
    leaders: Vec<Pid>,
    /// When the command was stopped, if it is stopped now.
    stopped: Option<Instant>,
    /// How long the command was stopped before that.
    time_stopped: Duration,
}

impl Job {
    /// Creates a job without a command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the running command, if there is one, and everything that it started. Its clock pauses until
    /// [`resume`](Self::resume).
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped.get_or_insert_with(Instant::now);
        state.signal(Signal::STOP);
    }

    /// Continues the command.
    pub fn resume(&self) {
        let mut state = self.state();
        if let Some(stopped) = state.stopped.take() {
            state.time_stopped += stopped.elapsed();
        }
        state.signal(Signal::CONT);
        self.0.continued.notify_waiters();
    }

    /// Returns the number of the leader of the running command.
    pub(crate) fn leader(&self) -> Option<u32> {
        self.state().leaders.first().map(|leader| leader.as_raw_nonzero().get().unsigned_abs())
    }

    /// Returns how long commands were stopped in total.
    pub(super) fn time_stopped(&self) -> Duration {
        let state = self.state();
        state.time_stopped + state.stopped.map(|stopped| stopped.elapsed()).unwrap_or_default()
    }

    /// Resolves when the job is not stopped. Cancel safe.
    pub(super) async fn running(&self) {
        loop {
            let continued = self.0.continued.notified();
            if self.state().stopped.is_none() {
                return;
            }
            continued.await;
        }
    }

    /// Makes this the running command until the guard is dropped.
    pub(super) fn enter(&self, leader: Pid) -> JobGuard<'_> {
        self.state().leaders.push(leader);
        JobGuard { job: self, leader }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Sends a signal to the running commands. Holding the lock keeps a leader from being reaped before it is removed
    /// here.
    fn signal(&self, signal: Signal) {
        for leader in &self.leaders {
            process_tree::signal(*leader, signal);
        }
    }
}

/// See [`Job::enter`].
#[derive(Debug)]
pub(super) struct JobGuard<'a> {
    job: &'a Job,
    leader: Pid,
}

impl Drop for JobGuard<'_> {
    fn drop(&mut self) {
        self.job.state().leaders.retain(|leader| *leader != self.leader);
    }
}
