//! A finished step: what an iteration made of its turn, and what the evaluator said about it.

use std::{fmt, ops::Deref, sync::Arc, time::Duration};

use crate::{Mark, RunTime, Usage, Verdict};

/// What is known of a step without its output. Part of [`Progress`](crate::Progress).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepRecord {
    pub(crate) iteration: u64,
    pub(crate) started: RunTime,
    pub(crate) finished: RunTime,
    pub(crate) usage: Usage,
    pub(crate) marks: Vec<Mark>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) failure: Option<Arc<str>>,
    pub(crate) fault: Option<Arc<str>>,
}

impl StepRecord {
    /// The index of its iteration, from 1.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// From the beginning of the iteration to the end of its evaluation.
    pub fn elapsed(&self) -> Duration {
        self.finished.since(self.started)
    }

    /// When the iteration began, in run time.
    pub const fn started(&self) -> RunTime {
        self.started
    }

    /// What the iteration and its evaluation used.
    pub const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// The fingerprints that it left.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The evaluator's verdict: `None` without an evaluator, or if something failed before it.
    pub const fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Why the iteration or the evaluator failed, if one did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// What went wrong in work that was judged all the same: a non-zero exit code, for example.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether something went wrong: a failure or a fault. A failing verdict is neither.
    pub const fn is_failed(&self) -> bool {
        self.failure.is_some() || self.fault.is_some()
    }
}

/// A finished step with its output. Derefs to its [`StepRecord`].
pub struct Step<O> {
    record: StepRecord,
    output: Option<Arc<O>>,
}

impl<O> Step<O> {
    pub(crate) const fn new(record: StepRecord, output: Option<Arc<O>>) -> Self {
        Self { record, output }
    }

    /// What the iteration returned; `None` if it failed.
    pub fn output(&self) -> Option<&O> {
        self.output.as_deref()
    }

    /// The output, shared.
    pub fn shared_output(&self) -> Option<Arc<O>> {
        self.output.clone()
    }
}

impl<O> Deref for Step<O> {
    type Target = StepRecord;
    fn deref(&self) -> &StepRecord {
        &self.record
    }
}

impl<O: fmt::Debug> fmt::Debug for Step<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step").field("record", &self.record).field("output", &self.output).finish()
    }
}

/// The step of a loop that has an evaluator. Derefs to [`Step`].
///
/// It is a type of its own so that conditions which look at a verdict, such as
/// [`evaluator_passed`](crate::evaluator_passed), compile only where there is one.
pub struct Judged<O>(Arc<Step<O>>);

impl<O> Judged<O> {
    pub(crate) const fn new(step: Arc<Step<O>>) -> Self {
        Self(step)
    }
}

impl<O> Deref for Judged<O> {
    type Target = Step<O>;
    fn deref(&self) -> &Step<O> {
        &self.0
    }
}

impl<O: fmt::Debug> fmt::Debug for Judged<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Judged").field(&self.0).finish()
    }
}
