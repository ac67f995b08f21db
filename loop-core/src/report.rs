//! What is left of a run when it is over.

use std::{fmt, sync::Arc, time::Duration};

use crate::{Ending, Progress, Step, StepRecord, StopReason, Usage};

/// How a run ended, and what is known of it.
pub struct Report<O> {
    ending: Ending,
    progress: Progress,
    steps: Steps<O>,
    unrecorded: Option<String>,
}

/// The steps of a run whose outputs are at hand.
pub(crate) struct Steps<O> {
    pub(crate) last: Option<Arc<Step<O>>>,
    pub(crate) best: Option<Arc<Step<O>>>,
    /// Of whatever step.
    pub(crate) last_output: Option<Arc<O>>,
}

impl<O> Steps<O> {
    /// Those of a restored run whose last output was kept. It is that of the last step, if this made one.
    pub(crate) fn restored(progress: &Progress, last_output: Option<Arc<O>>) -> Self {
        let last = progress.last_step();
        let step = |record: &StepRecord| {
            let is_its_own = record.produced && Some(record.iteration()) == last.map(StepRecord::iteration);
            Arc::new(Step::new(record.clone(), last_output.clone().filter(|_| is_its_own)))
        };
        Self { last: last.map(step), best: progress.best_step().map(step), last_output }
    }

    /// Takes the step that was settled last.
    pub(crate) fn settled(&mut self, step: Arc<Step<O>>, progress: &Progress) {
        if let Some(output) = step.shared_output() {
            self.last_output = Some(output);
        }
        if step.score().is_some()
            && progress.best_step().is_some_and(|best| best.iteration() == step.iteration())
        {
            self.best = Some(Arc::clone(&step));
        }
        self.last = Some(step);
    }
}

impl<O> Report<O> {
    pub(crate) const fn new(
        ending: Ending,
        progress: Progress,
        steps: Steps<O>,
        unrecorded: Option<String>,
    ) -> Self {
        Self { ending, progress, steps, unrecorded }
    }

    /// How the run ended: the reason, a sentence for people, and the guardrail that called for it.
    pub const fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The reason why the run stopped before its goal was met. `None` if it was met.
    pub fn reason(&self) -> Option<&StopReason> {
        self.ending.reason()
    }

    /// Whether the goal was met.
    pub const fn is_success(&self) -> bool {
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
        self.steps.last.as_deref()
    }

    /// The settled step whose verdict has the highest score; of equal ones the last. `None` if no verdict has a score.
    /// After a resume it has its output only if it is the last step, or one that came after: journals keep no other.
    pub fn best(&self) -> Option<&Step<O>> {
        self.steps.best.as_deref()
    }

    /// Why the journal lacks the end of this run, if it does: it could not be written. A run that is resumed
    /// from it goes on where the journal ends.
    pub fn unrecorded(&self) -> Option<&str> {
        self.unrecorded.as_deref()
    }

    /// The last settled step's output. A step that failed has none.
    pub fn output(&self) -> Option<&O> {
        self.last_step().and_then(Step::output)
    }

    /// The last output that there is: that of the last settled step, or if it failed, of the last one that did not.
    pub fn last_output(&self) -> Option<&O> {
        self.steps.last_output.as_deref()
    }
}

impl<O: fmt::Debug> fmt::Debug for Report<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("ending", &self.ending)
            .field("progress", &self.progress)
            .field("last_step", &self.steps.last)
            .field("unrecorded", &self.unrecorded)
            .finish()
    }
}
