//! Stopping a command for a while, as Ctrl+Z does, and letting it go on, as `fg` does.
//!
//! A command has a session of its own, so a terminal's Ctrl+Z does not reach it: the program that
//! started it would stop, and the agent would work on, unwatched and without limits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// The command that runs, whichever it is. Clones stand for the same.
///
/// Given to the commands of one run, of which one runs at a time.
#[derive(Debug, Clone, Default)]
pub struct Job(Arc<Mutex<Option<Pid>>>);

impl Job {
    /// No command yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the command and its group, if one runs.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        // The lock is held meanwhile: the leader is not reaped before it has been taken out.
        if let Some(leader) = *self.leader() {
            // Failing means that nobody is left.
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Until the guard is dropped, this is the command that runs.
    pub(super) fn enter(&self, leader: Pid) -> InJob<'_> {
        *self.leader() = Some(leader);
        InJob(self)
    }

    fn leader(&self) -> MutexGuard<'_, Option<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Job::enter`].
#[derive(Debug)]
pub(super) struct InJob<'a>(&'a Job);

impl Drop for InJob<'_> {
    fn drop(&mut self) {
        *self.0.leader() = None;
    }
}
