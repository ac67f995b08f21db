//! Conditions that have no parts.

use std::{borrow::Cow, fmt};

use super::{Condition, StopCondition};
use crate::{BoxError, Event, JudgedStep, Progress, SnapshotError};

/// Met when the evaluator's verdict is a pass. Compiles only for a loop that has an evaluator.
pub const fn evaluator_passed() -> Condition<EvaluatorPassed> {
    Condition::new(EvaluatorPassed)
}

/// See [`evaluator_passed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluatorPassed;

impl EvaluatorPassed {
    /// Its name in a report.
    pub const NAME: &'static str = "evaluator_passed";
}

impl<O> StopCondition<JudgedStep<O>> for EvaluatorPassed {
    fn is_met(&self, step: &JudgedStep<O>, _progress: &Progress) -> bool {
        step.verdict().is_some_and(crate::Verdict::passed)
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(Self::NAME)
    }
}

/// A condition that never holds: only the loop's limits end it.
///
/// ```
/// use loop_core::{IterationContext, Loop, StopReason, iteration_fn, never};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let watch = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let report = Loop::new(watch).until(never()).at_most(3).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::MaxIterations));
/// # Ok(())
/// # }
/// ```
pub const fn never() -> Condition<Never> {
    Condition::new(Never)
}

/// See [`never()`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Never;

impl<S> StopCondition<S> for Never {
    fn is_met(&self, _step: &S, _progress: &Progress) -> bool {
        false
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("never")
    }
}

/// Creates a condition from a function. The closure must name the loop's step type. Reports call the condition
/// `condition_fn`, unless it is [named](Condition::named).
///
/// ```
/// use loop_core::{Step, condition_fn};
/// let done = condition_fn(|step: &Step<String>, _| {
///     step.output().is_some_and(|reply| reply.contains("STATUS: COMPLETE"))
/// });
/// ```
pub fn condition_fn<S, F>(is_met: F) -> Condition<ConditionFn<F>>
where
    F: Fn(&S, &Progress) -> bool + Send,
{
    Condition::new(ConditionFn(is_met))
}

/// See [`condition_fn`].
#[derive(Clone, Copy)]
pub struct ConditionFn<F>(F);

impl<F> fmt::Debug for ConditionFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConditionFn")
    }
}

impl<S, F: Fn(&S, &Progress) -> bool + Send> StopCondition<S> for ConditionFn<F> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        (self.0)(step, progress)
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("condition_fn")
    }
}

/// See [`Condition::named`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCondition<C> {
    condition: C,
    name: Cow<'static, str>,
}

impl<C> NamedCondition<C> {
    pub(super) const fn new(condition: C, name: Cow<'static, str>) -> Self {
        Self { condition, name }
    }
}

impl<S, C: StopCondition<S>> StopCondition<S> for NamedCondition<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.condition.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.condition.observe(event);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        self.condition.snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.condition.restore(state)
    }
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }
}
