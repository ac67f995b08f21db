//! Stop conditions, which decide when the goal is met.

mod combine;
mod leaf;
mod list;
mod name;

use std::borrow::Cow;

use crate::{BoxError, Event, Progress, SnapshotError, snapshot::restore_nothing};

pub use self::{
    combine::{And, Condition, Not, Or},
    leaf::{ConditionFn, EvaluatorPassed, NamedCondition, Never, condition_fn, evaluator_passed, never},
    list::{ConditionList, all, any, at_least},
};

/// A condition that sees a finished step and decides whether the goal is met.
///
/// `S` is the loop's step type: [`Step<O>`](crate::Step), or [`JudgedStep<O>`](crate::JudgedStep) once the
/// loop has an evaluator.
///
/// # Contract
/// - Pure: the answer depends only on the step, the progress and the observed events.
/// - The run asks it once for every finished step, failed ones included, after folding the step's own events into the
///   progress. A combination may ask its parts again to find out which of them [decided](Self::decided_by).
/// - It comes before every guardrail: a goal met on the last allowed iteration is success.
/// - State is a fold: [`observe`](Self::observe) sees every event once, live and on restore.
///
/// ```
/// use loop_core::{JudgedStep, Progress, StopCondition};
///
/// /// Met after two passing verdicts in a row: one may be luck.
/// struct PassedTwice;
///
/// impl<O> StopCondition<JudgedStep<O>> for PassedTwice {
///     fn is_met(&self, step: &JudgedStep<O>, progress: &Progress) -> bool {
///         let passed = |verdict: Option<&loop_core::Verdict>| verdict.is_some_and(|v| v.passed());
///         passed(step.verdict()) && passed(progress.last_step().and_then(|last| last.verdict()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stop condition for this loop, whose steps are `{S}`",
    label = "this condition does not fit the loop's steps",
    note = "a condition on the verdict, such as `evaluator_passed`, needs an evaluator: call `.evaluate(...)` before `.until(...)`",
    note = "the closure of `condition_fn` has to name the loop's step type: `Step<Output>`, or `JudgedStep<Output>` after `.evaluate(...)`"
)]
pub trait StopCondition<S>: Send {
    /// Returns whether the goal is met.
    fn is_met(&self, step: &S, progress: &Progress) -> bool;

    /// Sees every event, after it was folded into the progress. Default: nothing.
    fn observe(&mut self, _event: &Event) {}

    /// Returns the state that [`observe`](Self::observe) has built up, as a text that [`restore`](Self::restore) reads.
    /// A part without state of its own returns an empty text.
    ///
    /// # Errors
    /// By default, [`SnapshotError`]: the part has no snapshot, and neither has a run with it.
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Err(SnapshotError::missing(self.name()))
    }

    /// Restores the state in a text of [`snapshot`](Self::snapshot). The part is new, and sees only later events.
    ///
    /// # Errors
    /// Returns an error if the text is damaged. By default, accepts only an empty text.
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        restore_nothing(state)
    }

    /// A short name for people. Default: the last segment of the type's path, without its generic
    /// parameters, such as `PassedTwice`.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(name::of_type::<Self>())
    }

    /// Names what decided that the goal is met. The report shows it:
    /// `goal_met: evaluator_passed`. It is asked only after [`is_met`](Self::is_met) returned true
    /// for the same step and progress. Default: the [name](Self::name).
    ///
    /// Combinations answer with those of their parts that decided:
    ///
    /// | combination | answer |
    /// | --- | --- |
    /// | [`and`](Condition::and), [`all`] | every part, joined by ` and ` |
    /// | [`or`](Condition::or), [`any`] | the first part that is met |
    /// | [`not`](Condition::not) | `not` and the part's name |
    /// | [`at_least`] | every part that is met, joined by `, ` |
    ///
    /// ```
    /// use loop_core::{IterationContext, Loop, Step, condition_fn, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    /// let even = condition_fn(|step: &Step<u64>, _| step.output().is_some_and(|n| n % 2 == 0)).named("even");
    /// let large = condition_fn(|step: &Step<u64>, _| step.output() > Some(&100)).named("large");
    /// let report = Loop::new(agent).until(large.or(even)).at_most(9).run().await?;
    /// assert_eq!(report.ending().to_string(), "goal_met: even");
    /// # Ok(())
    /// # }
    /// ```
    fn decided_by(&self, _step: &S, _progress: &Progress) -> String {
        self.name().into_owned()
    }
}

impl<S, C: StopCondition<S> + ?Sized> StopCondition<S> for Box<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        (**self).is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        (**self).observe(event);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        (**self).snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        (**self).restore(state)
    }
    fn name(&self) -> Cow<'_, str> {
        (**self).name()
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        (**self).decided_by(step, progress)
    }
}

const _: fn(&dyn StopCondition<()>) = |_| {};

#[cfg(test)]
mod tests;
