//! The report of a finished run.

use std::{fmt, sync::Arc, time::Duration};

use crate::{Ending, Progress, Step, StepRecord, StopReason, Usage};

/// The result of a run: how it ended, its progress and its outputs.
pub struct Report<O> {
    ending: Ending,
    progress: Progress,
    steps: Steps<O>,
    unrecorded: Option<String>,
}

/// The steps of a run whose outputs are still in memory.
pub(crate) struct Steps<O> {
    pub(crate) last: Option<Arc<Step<O>>>,
    pub(crate) best: Option<Arc<Step<O>>>,
    /// The latest output, whichever step produced it.
    pub(crate) last_output: Option<Arc<O>>,
}

impl<O> Default for Steps<O> {
    fn default() -> Self {
        Self { last: None, best: None, last_output: None }
    }
}

impl<O> Steps<O> {
    /// Creates the steps of a restored run with its stored output, which belongs to the last step if that step made
    /// one.
    pub(crate) fn restored(progress: &Progress, last_output: Option<Arc<O>>) -> Self {
        let last = progress.last_step();
        let step = |record: &StepRecord| {
            let is_its_own = record.produced && Some(record.iteration()) == last.map(StepRecord::iteration);
            Arc::new(Step::new(record.clone(), last_output.clone().filter(|_| is_its_own)))
        };
        Self { last: last.map(step), best: progress.best_step().map(step), last_output }
    }

    /// Records the step that was just settled.
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

    /// Returns how the run ended: the reason, a sentence for people, and the guardrail that ended it.
    pub const fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Returns why the run stopped before it met its goal, or `None` if it met the goal.
    pub fn reason(&self) -> Option<&StopReason> {
        self.ending.reason()
    }

    /// Returns whether the run met its goal.
    pub const fn is_success(&self) -> bool {
        self.ending.is_success()
    }

    /// Returns the number of iterations that were used up: finished, failed or cut.
    pub const fn iterations(&self) -> u64 {
        self.progress.iterations()
    }

    /// Returns the usage that was reported.
    pub const fn usage(&self) -> &Usage {
        self.progress.usage()
    }

    /// Returns the run time. See [`Progress::elapsed`].
    pub fn elapsed(&self) -> Duration {
        self.progress.elapsed()
    }

    /// Returns everything that is known about the run.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the last settled step, with its output and verdict.
    pub fn last_step(&self) -> Option<&Step<O>> {
        self.steps.last.as_deref()
    }

    /// Returns the settled step whose verdict has the highest score, or the last of several with an equal score.
    /// Returns `None` if no verdict has a score. After a resume, the step has its output only if it was the last step
    /// or came later: journals store only the last output.
    pub fn best(&self) -> Option<&Step<O>> {
        self.steps.best.as_deref()
    }

    /// Returns the journal's error if the end of this run could not be written to it. If you resume from this journal,
    /// the run continues where the journal ends.
    pub fn unrecorded(&self) -> Option<&str> {
        self.unrecorded.as_deref()
    }

    /// Returns the output of the last settled step. A failed step has none. In a resumed run, a step of an earlier
    /// process has none either if a later iteration finished and was never settled: a journal holds only the latest
    /// output.
    pub fn output(&self) -> Option<&O> {
        self.last_step().and_then(Step::output)
    }

    /// Returns the latest output. After a failed step this is an earlier step's output. If the run ended before an
    /// evaluation was over, it is the output that a [resumed](crate::Loop::resume) run still has to judge.
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
