//! What is left of a run when it is over.

use std::{fmt, sync::Arc, time::Duration};

use crate::{Ending, Progress, Step, StopReason, Usage};

/// How a run ended, and what is known of it.
pub struct Report<O> {
    ending: Ending,
    progress: Progress,
    last_step: Option<Arc<Step<O>>>,
    unrecorded: Option<String>,
}

impl<O> Report<O> {
    pub(crate) const fn new(
        ending: Ending,
        progress: Progress,
        last_step: Option<Arc<Step<O>>>,
        unrecorded: Option<String>,
    ) -> Self {
        Self { ending, progress, last_step, unrecorded }
    }

    /// How the run ended: the reason, a sentence for people, and the guardrail that called for it.
    pub const fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Why the run stopped.
    pub const fn reason(&self) -> &StopReason {
        self.ending.reason()
    }

    /// Whether the goal was met.
    pub fn is_success(&self) -> bool {
        self.ending.is_success()
    }

    /// Iterations that were used up: finished, failed or cut.
    pub const fn iterations(&self) -> u64 {
        self.progress.iterations()
    }

    /// What was used, as far as it was reported.
    pub const fn usage(&self) -> &Usage {
        self.progress.usage()
    }

    /// Run time. See [`Progress::elapsed`].
    pub fn elapsed(&self) -> Duration {
        self.progress.elapsed()
    }

    /// All that is known of the run.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The last settled step, with its output and verdict.
    pub fn last_step(&self) -> Option<&Step<O>> {
        self.last_step.as_deref()
    }

    /// Why the journal lacks the end of this run, if it does: it could not be written. A run that is resumed
    /// from it goes on where the journal ends.
    pub fn unrecorded(&self) -> Option<&str> {
        self.unrecorded.as_deref()
    }

    /// The last settled step's output.
    pub fn output(&self) -> Option<&O> {
        self.last_step().and_then(Step::output)
    }
}

impl<O: fmt::Debug> fmt::Debug for Report<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("ending", &self.ending)
            .field("progress", &self.progress)
            .field("last_step", &self.last_step)
            .field("unrecorded", &self.unrecorded)
            .finish()
    }
}
