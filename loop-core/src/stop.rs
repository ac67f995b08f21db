//! When the goal is met.

use std::fmt;

use crate::{Event, Judged, Progress};

/// Sees a finished step and says whether the goal is met.
///
/// `S` is the loop's step type: [`Step<O>`](crate::Step), or [`Judged<O>`](crate::Judged) once the
/// loop has an evaluator.
///
/// # Contract
/// - Pure: the answer depends on the step, the progress and the events observed, on nothing else.
/// - It is asked once for every step that came to its end, failed ones included, with the step's
///   own events folded into the progress.
/// - It goes before every guardrail: a goal met on the last allowed iteration is success.
/// - State is a fold: [`observe`](Self::observe) sees every event once, live and on restore.
///
/// ```
/// use loop_core::{Judged, Progress, StopCondition};
///
/// /// Met after two passing verdicts in a row: one may be luck.
/// struct PassedTwice;
///
/// impl<O> StopCondition<Judged<O>> for PassedTwice {
///     fn is_met(&self, step: &Judged<O>, progress: &Progress) -> bool {
///         let passed = |verdict: Option<&loop_core::Verdict>| verdict.is_some_and(|v| v.passed());
///         passed(step.verdict()) && passed(progress.last_step().and_then(|last| last.verdict()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no stop condition for this loop, whose steps are `{S}`",
    label = "this condition does not fit the loop's steps",
    note = "a condition on the verdict, such as `evaluator_passed`, needs an evaluator: call `.evaluate(...)` before `.until(...)`",
    note = "the closure of `condition_fn` has to name the loop's step type: `Step<Output>`, or `Judged<Output>` after `.evaluate(...)`"
)]
pub trait StopCondition<S>: Send {
    /// Whether the goal is met.
    fn is_met(&self, step: &S, progress: &Progress) -> bool;

    /// Sees every event, after it was folded into the progress. Default: nothing.
    fn observe(&mut self, _event: &Event) {}
}

impl<S, C: StopCondition<S> + ?Sized> StopCondition<S> for Box<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        (**self).is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        (**self).observe(event);
    }
}

/// A condition that can be combined with others.
///
/// ```
/// use loop_core::{Judged, evaluator_passed, condition_fn};
/// let short = condition_fn(|step: &Judged<String>, _| step.output().is_some_and(|out| out.len() < 80));
/// let failed = condition_fn(|step: &Judged<String>, _| step.is_failed());
/// let patient = condition_fn(|_: &Judged<String>, progress| progress.iterations() >= 3);
/// // Short and passed, with nothing that went wrong; or whatever there is after three iterations.
/// let goal = evaluator_passed().and(short).and(failed.not()).or(patient);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct When<C>(C);

impl<C> When<C> {
    /// Makes a condition of your own combinable.
    pub const fn new(condition: C) -> Self {
        Self(condition)
    }

    /// Met when both are met in the same step.
    pub fn and<D>(self, other: When<D>) -> When<And<C, D>> {
        When(And(self.0, other.0))
    }

    /// Met when one of them is, or both are.
    pub fn or<D>(self, other: When<D>) -> When<Or<C, D>> {
        When(Or(self.0, other.0))
    }

    /// Met when this one is not.
    #[expect(clippy::should_implement_trait, reason = "`!` on conditions would read worse than the word")]
    pub fn not(self) -> When<Not<C>> {
        When(Not(self.0))
    }
}

impl<C: fmt::Debug> fmt::Debug for When<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<S, C: StopCondition<S>> StopCondition<S> for When<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.0.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
    }
}

/// See [`When::and`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct And<C, D>(C, D);

impl<S, C: StopCondition<S>, D: StopCondition<S>> StopCondition<S> for And<C, D> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.0.is_met(step, progress) && self.1.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
        self.1.observe(event);
    }
}

/// See [`When::or`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Or<C, D>(C, D);

impl<S, C: StopCondition<S>, D: StopCondition<S>> StopCondition<S> for Or<C, D> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.0.is_met(step, progress) || self.1.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
        self.1.observe(event);
    }
}

/// See [`When::not`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Not<C>(C);

impl<S, C: StopCondition<S>> StopCondition<S> for Not<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        !self.0.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
    }
}

/// Met when the evaluator's verdict is a pass. Compiles only for a loop that has an evaluator.
pub const fn evaluator_passed() -> When<EvaluatorPassed> {
    When(EvaluatorPassed)
}

/// See [`evaluator_passed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluatorPassed;

impl<O> StopCondition<Judged<O>> for EvaluatorPassed {
    fn is_met(&self, step: &Judged<O>, _progress: &Progress) -> bool {
        step.verdict().is_some_and(crate::Verdict::passed)
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
pub const fn never() -> When<Never> {
    When(Never)
}

/// See [`never`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Never;

impl<S> StopCondition<S> for Never {
    fn is_met(&self, _step: &S, _progress: &Progress) -> bool {
        false
    }
}

/// A condition from a function. Its closure names the loop's step type.
///
/// ```
/// use loop_core::{Step, condition_fn};
/// let done = condition_fn(|step: &Step<String>, _| {
///     step.output().is_some_and(|reply| reply.contains("STATUS: COMPLETE"))
/// });
/// ```
pub fn condition_fn<S, F>(is_met: F) -> When<ConditionFn<F>>
where
    F: Fn(&S, &Progress) -> bool + Send,
{
    When(ConditionFn(is_met))
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
}

const _: fn(&dyn StopCondition<()>) = |_| {};
