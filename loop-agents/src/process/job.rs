//! Stopping a command for a while, as Ctrl+Z does, and letting it go on, as `fg` does.
//!
//! A command has a session of its own, so a terminal's Ctrl+Z does not reach it: the program that
//! started it would stop, and the agent would work on, unwatched and without limits.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::process::{Pid, Signal};
use tokio::{sync::Notify, time::Instant};

use super::custody::family;

/// The command that runs, whichever it is. Clones stand for the same.
///
/// Given to the commands of one run, of which one runs at a time.
#[derive(Debug, Clone, Default)]
pub struct Job(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    went_on: Notify,
}

#[derive(Debug, Default)]
struct State {
    leader: Option<Pid>,
    /// Since when it is stopped.
    stopped: Option<Instant>,
    /// For how long it was stopped before.
    time_stopped: Duration,
}

impl Job {
    /// No command yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the command and all that it started, if one runs. Its time stands still meanwhile.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped.get_or_insert_with(Instant::now);
        state.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        let mut state = self.state();
        if let Some(stopped) = state.stopped.take() {
            state.time_stopped += stopped.elapsed();
        }
        state.signal(Signal::CONT);
        self.0.went_on.notify_waiters();
    }

    /// For how long commands were stopped, all in all.
    pub(super) fn time_stopped(&self) -> Duration {
        let state = self.state();
        state.time_stopped + state.stopped.map(|stopped| stopped.elapsed()).unwrap_or_default()
    }

    /// Resolves when the job is not stopped. Cancel safe.
    pub(super) async fn running(&self) {
        loop {
            let went_on = self.0.went_on.notified();
            if self.state().stopped.is_none() {
                return;
            }
            went_on.await;
        }
    }

    /// Until the guard is dropped, this is the command that runs.
    pub(super) fn enter(&self, leader: Pid) -> InJob<'_> {
        self.state().leader = Some(leader);
        InJob(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The lock is held meanwhile: the leader is not reaped before it has been taken out.
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            family::signal(leader, signal);
        }
    }
}

/// See [`Job::enter`].
#[derive(Debug)]
pub(super) struct InJob<'a>(&'a Job);

impl Drop for InJob<'_> {
    fn drop(&mut self) {
        self.0.state().leader = None;
    }
}
