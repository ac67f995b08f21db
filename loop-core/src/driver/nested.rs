//! A run within the work of another run.

use std::mem;

use super::{Driver, Milestone, RunState};
use crate::{Iteration, Progress, Report, WorkError, work::Outer};

impl<I: Iteration> Driver<I> {
    /// Drives a run within the work of another to its end, or until its work is deferred.
    pub(crate) async fn drive_within(mut self) -> Result<Report<I::Output>, WorkError> {
        // An earlier process may have died while the run ended with its outer run, which continues now.
        let mut is_late_end = self.state.progress().due.is_some();
        self.state.begin();
        loop {
            match self.advance().await {
                // A result, and a run that has to end now, stay as they ended.
                Milestone::Ended(_) if mem::take(&mut is_late_end) => self.state.begin(),
                Milestone::Ended(ending) => {
                    return match Outer::propagated(&ending, self.state.progress()) {
                        Some(halt) => Err(halt.into()),
                        None => Ok(self.state.report().await),
                    };
                }
                Milestone::Deferred(after) if self.state.can_be_continued() => {
                    return Err(WorkError::Later { after });
                }
                Milestone::Deferred(after) => self.state.wait(after).await,
            }
        }
    }
}

impl<O> RunState<O> {
    /// Returns whether a later run can continue where this one is, or would lose nothing by beginning again.
    fn can_be_continued(&self) -> bool {
        self.event_sink.journal.is_some() || self.progress().can_begin_again()
    }
}

/// Returns whether a run within another ended with a result that the other run has not recorded. Nobody has reviewed
/// that end, so the run must not continue without a grant.
pub(super) fn is_result(progress: &Progress) -> bool {
    progress.ending().is_some_and(|ending| Outer::propagated(ending, progress).is_none())
}
