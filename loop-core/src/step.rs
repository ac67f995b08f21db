//! A finished step: the result of an iteration and the evaluator's verdict.

use std::{fmt, ops::Deref, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{Mark, Notes, RunTime, Usage, Verdict};

/// A step without its output. Part of [`Progress`](crate::Progress).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepRecord {
    pub(crate) iteration: u64,
    pub(crate) started: RunTime,
    pub(crate) worked: RunTime,
    pub(crate) usage: Usage,
    pub(crate) marks: Vec<Mark>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) failure: Option<Arc<str>>,
    pub(crate) fault: Option<Arc<str>>,
    pub(crate) cut_work: Option<Arc<str>>,
    /// Its iteration made an output.
    pub(crate) produced: bool,
}

/// Constructors for tests of your own conditions and iterations. A run creates its own records.
impl StepRecord {
    /// Creates the step of the iteration with this index, from 1, and nothing else.
    pub fn new(iteration: u64) -> Self {
        Self { iteration, ..Self::default() }
    }

    /// Sets the evaluator's verdict.
    #[must_use]
    pub fn with_verdict(mut self, verdict: Verdict) -> Self {
        self.verdict = Some(verdict);
        self
    }

    /// Sets the reason why the iteration or the evaluator failed.
    #[must_use]
    pub fn with_failure(mut self, message: impl Into<Arc<str>>) -> Self {
        self.failure = Some(message.into());
        self
    }

    /// Sets what went wrong in work that could still be judged.
    #[must_use]
    pub fn with_fault(mut self, message: impl Into<Arc<str>>) -> Self {
        self.fault = Some(message.into());
        self
    }

    /// Sets the work that was ended before it was done.
    #[must_use]
    pub fn with_cut_work(mut self, work: impl Into<Arc<str>>) -> Self {
        self.cut_work = Some(work.into());
        self
    }

    /// Sets the usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Adds a fingerprint.
    #[must_use]
    pub fn with_mark(mut self, name: &str, hash: u64) -> Self {
        self.marks.push(Mark { name: name.into(), hash });
        self
    }

    /// Sets the run times of its start and its end.
    #[must_use]
    pub fn with_times(mut self, started: RunTime, finished: RunTime) -> Self {
        (self.started, self.worked) = (started, finished.minus(started));
        self
    }
}

impl StepRecord {
    /// Returns the index of its iteration, from 1. It is 0 for the step that
    /// [comes before the first iteration](crate::Loop::evaluate_first).
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Returns the time in which its iteration and its evaluation ran. Excludes the time between them, in which a slow
    /// reader may have delayed the run, or work was deferred. In a run with a journal it includes the journal's sync
    /// between the recorded start of the work and the call. In a [stream](crate::Loop::stream) it includes the time for
    /// which nobody polled the stream meanwhile.
    pub const fn elapsed(&self) -> Duration {
        self.worked.since(RunTime::ZERO)
    }

    /// Returns the run time at which the iteration began.
    pub const fn started(&self) -> RunTime {
        self.started
    }

    /// Returns the usage of the iteration and its evaluation in the attempt that finished. Earlier attempts count only
    /// for the run.
    pub const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Returns its fingerprints.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Returns the evaluator's verdict, or `None` without an evaluator or after a failure.
    pub const fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Returns the score of the verdict, from 0 to 1, or `None` if there is no verdict or it has no score.
    pub fn score(&self) -> Option<f64> {
        self.verdict().and_then(Verdict::score)
    }

    /// Returns why the iteration or the evaluator failed, if one did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns what went wrong in work that could still be judged: a non-zero exit code, for example.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Returns the work that the iteration had begun and that was ended before it was done, if there was any.
    pub fn cut_work(&self) -> Option<&str> {
        self.cut_work.as_deref()
    }

    /// Keeps the texts of these notes.
    pub(crate) fn take_texts(&mut self, notes: &Notes) {
        self.fault = notes.fault.clone().or(self.fault.take());
        self.cut_work = notes.cut_work.clone().or(self.cut_work.take());
    }

    /// Returns whether something went wrong: a failure or a fault. A failing verdict is neither.
    pub const fn is_failed(&self) -> bool {
        self.failure.is_some() || self.fault.is_some()
    }
}

/// A finished step with its output. Derefs to its [`StepRecord`].
///
/// A run creates its own steps. In a test of your own condition or iteration, create them like this:
///
/// ```
/// use std::sync::Arc;
/// use loop_core::{JudgedStep, Progress, Step, StepRecord, StopCondition, Verdict, evaluator_passed};
///
/// let record = StepRecord::new(3).with_verdict(Verdict::pass().with_score(0.9));
/// let step = Step::new(record, Some(Arc::new("a draft")));
/// assert_eq!(step.output(), Some(&"a draft"));
/// assert!(evaluator_passed().is_met(&JudgedStep::new(step), &Progress::default()));
/// ```
pub struct Step<O> {
    record: StepRecord,
    output: Option<Arc<O>>,
}

impl<O> Step<O> {
    /// Creates a step with the output of its iteration, or `None` if it failed.
    pub const fn new(record: StepRecord, output: Option<Arc<O>>) -> Self {
        Self { record, output }
    }

    /// Returns the output of the iteration. Returns `None` if the iteration failed, or in a resumed run if this step's
    /// output was not stored.
    pub fn output(&self) -> Option<&O> {
        self.output.as_deref()
    }

    /// Returns the output as a shared pointer.
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
/// It is a separate type so that conditions that need a verdict, such as
/// [`evaluator_passed`](crate::evaluator_passed), compile only for loops with an evaluator.
pub struct JudgedStep<O>(Arc<Step<O>>);

impl<O> JudgedStep<O> {
    /// Wraps a step for the conditions of a loop with an evaluator.
    pub fn new(step: impl Into<Arc<Step<O>>>) -> Self {
        Self(step.into())
    }
}

impl<O> Deref for JudgedStep<O> {
    type Target = Step<O>;
    fn deref(&self) -> &Step<O> {
        &self.0
    }
}

impl<O: fmt::Debug> fmt::Debug for JudgedStep<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JudgedStep").field(&self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, Usd};

    #[test]
    fn a_constructed_step_has_the_given_values() {
        let usage = Usage::unknown().with_cost(Cost::known(Usd::micros(7)));
        let (started, finished) = (RunTime::from_micros(2_000), RunTime::from_micros(5_000));
        let step = StepRecord::new(3).with_usage(usage).with_times(started, finished);
        let step = step.with_mark("work_tree", 1).with_mark("work_tree", 2);
        assert_eq!((step.iteration(), *step.usage(), step.started()), (3, usage, started));
        assert_eq!(step.elapsed(), Duration::from_millis(3));
        let marks: Vec<_> = step.marks().iter().map(|mark| (&*mark.name, mark.hash)).collect();
        assert_eq!(marks, [("work_tree", 1), ("work_tree", 2)]);
        assert_eq!((step.verdict(), step.failure(), step.fault()), (None, None, None));
    }

    #[test]
    fn a_failing_verdict_does_not_make_a_step_failed() {
        let judged = StepRecord::new(1).with_verdict(Verdict::fail());
        assert_eq!((judged.verdict(), judged.is_failed()), (Some(&Verdict::fail()), false));
        let failed = StepRecord::new(1).with_failure("no reply");
        assert_eq!((failed.failure(), failed.is_failed()), (Some("no reply"), true));
        let faulty = judged.with_fault("exited with 1");
        assert_eq!((faulty.fault(), faulty.is_failed()), (Some("exited with 1"), true));
        let cut = StepRecord::new(1).with_cut_work("`npm test`");
        assert_eq!((cut.cut_work(), cut.is_failed()), (Some("`npm test`"), false));
    }
}
