//! A finished step: what an iteration made of its turn, and what the evaluator said about it.

use std::{fmt, ops::Deref, sync::Arc, time::Duration};

use crate::{Mark, RunTime, Usage, Verdict};

/// What is known of a step without its output. Part of [`Progress`](crate::Progress).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepRecord {
    pub(crate) iteration: u64,
    pub(crate) started: RunTime,
    pub(crate) worked: RunTime,
    pub(crate) usage: Usage,
    pub(crate) marks: Vec<Mark>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) failure: Option<Arc<str>>,
    pub(crate) fault: Option<Arc<str>>,
    /// Its iteration made an output.
    pub(crate) produced: bool,
}

/// A run makes these itself. They are for tests of your own conditions and iterations.
impl StepRecord {
    /// The step of the iteration with this index, from 1, without anything else to tell.
    pub fn new(iteration: u64) -> Self {
        Self { iteration, ..Self::default() }
    }

    /// With the evaluator's verdict.
    #[must_use]
    pub fn with_verdict(mut self, verdict: Verdict) -> Self {
        self.verdict = Some(verdict);
        self
    }

    /// With the reason why the iteration or the evaluator failed.
    #[must_use]
    pub fn with_failure(mut self, message: impl Into<Arc<str>>) -> Self {
        self.failure = Some(message.into());
        self
    }

    /// With what went wrong in work that was judged all the same.
    #[must_use]
    pub fn with_fault(mut self, message: impl Into<Arc<str>>) -> Self {
        self.fault = Some(message.into());
        self
    }

    /// With what was used.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// With one more fingerprint.
    #[must_use]
    pub fn with_mark(mut self, name: &str, hash: u64) -> Self {
        self.marks.push(Mark { name: name.into(), hash });
        self
    }

    /// With the run times of its beginning and its end.
    #[must_use]
    pub fn with_times(mut self, started: RunTime, finished: RunTime) -> Self {
        (self.started, self.worked) = (started, finished.minus(started));
        self
    }
}

impl StepRecord {
    /// The index of its iteration, from 1.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// The time in which its iteration and its evaluation ran, without the time between them: a reader of the run may
    /// have held it up, or work was put off. In a run with a journal it includes the time in which the journal was synced
    /// after the work was recorded as begun and before it was called.
    pub const fn elapsed(&self) -> Duration {
        self.worked.since(RunTime::ZERO)
    }

    /// When the iteration began, in run time.
    pub const fn started(&self) -> RunTime {
        self.started
    }

    /// What the iteration and its evaluation used, in the attempt that came to its end: earlier ones
    /// count for the run only.
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

    /// The score of the verdict, from 0 to 1. `None` if there is no verdict, or none with a score.
    pub fn score(&self) -> Option<f64> {
        self.verdict().and_then(Verdict::score)
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
///
/// A run makes its steps itself; a test of your own condition or iteration makes them so:
///
/// ```
/// use std::sync::Arc;
/// use loop_core::{Judged, Progress, Step, StepRecord, StopCondition, Verdict, evaluator_passed};
///
/// let record = StepRecord::new(3).with_verdict(Verdict::pass().with_score(0.9));
/// let step = Step::new(record, Some(Arc::new("a draft")));
/// assert_eq!(step.output(), Some(&"a draft"));
/// assert!(evaluator_passed().is_met(&Judged::new(step), &Progress::default()));
/// ```
pub struct Step<O> {
    record: StepRecord,
    output: Option<Arc<O>>,
}

impl<O> Step<O> {
    /// A step with the output of its iteration; `None` if it failed.
    pub const fn new(record: StepRecord, output: Option<Arc<O>>) -> Self {
        Self { record, output }
    }

    /// What the iteration returned; `None` if it failed, and in a run that was taken up again if this
    /// step's output was not kept.
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
    /// A step as the conditions of a loop with an evaluator see it.
    pub fn new(step: impl Into<Arc<Step<O>>>) -> Self {
        Self(step.into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, Usd};

    #[test]
    fn a_step_of_ones_own_is_as_it_was_made() {
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
    fn a_step_failed_if_something_went_wrong_and_not_if_it_was_judged_so() {
        let judged = StepRecord::new(1).with_verdict(Verdict::fail());
        assert_eq!((judged.verdict(), judged.is_failed()), (Some(&Verdict::fail()), false));
        let failed = StepRecord::new(1).with_failure("no reply");
        assert_eq!((failed.failure(), failed.is_failed()), (Some("no reply"), true));
        let faulty = judged.with_fault("exited with 1");
        assert_eq!((faulty.fault(), faulty.is_failed()), (Some("exited with 1"), true));
    }
}
