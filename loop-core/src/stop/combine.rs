//! Conditions made of one or two others.

use std::{borrow::Cow, fmt};

use super::{NamedCondition, StopCondition, name};
use crate::{
    BoxError, Event, Progress, SnapshotError,
    snapshot::{join, split},
};

/// A condition that can be combined with others.
///
/// The methods accept any condition as the other part. To begin a combination with your own condition, wrap it with
/// [`Condition::new`]. For conditions in a list see [`all`](crate::all), [`any`](crate::any) and
/// [`at_least`](crate::at_least).
///
/// ```
/// use loop_core::{JudgedStep, Progress, StopCondition, Condition, condition_fn, evaluator_passed};
///
/// struct Short;
///
/// impl StopCondition<JudgedStep<String>> for Short {
///     fn is_met(&self, step: &JudgedStep<String>, _: &Progress) -> bool {
///         step.output().is_some_and(|out| out.len() < 80)
///     }
/// }
///
/// let failed = condition_fn(|step: &JudgedStep<String>, _| step.is_failed());
/// let patient = condition_fn(|_: &JudgedStep<String>, progress| progress.iterations() >= 3);
/// // Short and passed, and nothing went wrong; or any result after three iterations.
/// let goal = evaluator_passed().and(Short).and(failed.not()).or(patient);
/// let negated = Condition::new(Short).not();
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Condition<C>(C);

impl<C> Condition<C> {
    /// Makes a condition of your own combinable.
    pub const fn new(condition: C) -> Self {
        Self(condition)
    }

    /// Met when both are met in the same step. `other` is any [`StopCondition`] for the loop's steps;
    /// [`until`](crate::Loop::until) checks that it is one.
    pub fn and<D>(self, other: D) -> Condition<And<C, D>> {
        Condition(And(self.0, other))
    }

    /// Met when at least one of them is met. `other` is any [`StopCondition`] for the loop's steps;
    /// [`until`](crate::Loop::until) checks that it is one.
    pub fn or<D>(self, other: D) -> Condition<Or<C, D>> {
        Condition(Or(self.0, other))
    }

    /// Met when this one is not.
    #[expect(clippy::should_implement_trait, reason = "`!` on conditions would read worse than the word")]
    pub fn not(self) -> Condition<Not<C>> {
        Condition(Not(self.0))
    }

    /// Names the condition. Reports show this name when the condition decides. A named combination hides which of its
    /// parts decided.
    ///
    /// ```
    /// use loop_core::{StopCondition, Step, condition_fn};
    /// let long = condition_fn(|step: &Step<String>, _| step.output().is_some_and(|out| out.len() > 80));
    /// let named: &dyn StopCondition<Step<String>> = &long.named("long");
    /// assert_eq!(named.name(), "long");
    /// ```
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Condition<NamedCondition<C>> {
        Condition(NamedCondition::new(self.0, name.into()))
    }

    /// Erases the condition's type, so that conditions of different types fit into one list.
    ///
    /// ```
    /// use loop_core::{EvaluationContext, IterationContext, JudgedStep, Loop, Verdict};
    /// use loop_core::{all, condition_fn, evaluator_fn, evaluator_passed, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    /// let check = evaluator_fn(async |_: EvaluationContext<u64>| Ok(Verdict::pass()));
    /// let third = condition_fn(|step: &JudgedStep<u64>, _| step.output() == Some(&3)).named("third");
    /// let goal = all([evaluator_passed().boxed(), third.boxed()]);
    /// let report = Loop::new(agent).evaluate(check).until(goal).at_most(9).run().await?;
    /// assert_eq!(report.ending().to_string(), "goal_met: evaluator_passed and third");
    /// # Ok(())
    /// # }
    /// ```
    pub fn boxed<S>(self) -> Condition<Box<dyn StopCondition<S>>>
    where
        C: StopCondition<S> + 'static,
    {
        Condition(Box::new(self.0))
    }
}

impl<C: fmt::Debug> fmt::Debug for Condition<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<S, C: StopCondition<S>> StopCondition<S> for Condition<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.0.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        self.0.snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.0.restore(state)
    }
    fn name(&self) -> Cow<'_, str> {
        self.0.name()
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        self.0.decided_by(step, progress)
    }
}

/// See [`Condition::and`].
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
    fn snapshot(&self) -> Result<String, SnapshotError> {
        join([self.0.snapshot(), self.1.snapshot()])
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        let states = split(state, 2)?;
        self.0.restore(states[0])?;
        self.1.restore(states[1])
    }
    fn name(&self) -> Cow<'_, str> {
        name::joined([self.0.name(), self.1.name()], " and ").into()
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        format!("{} and {}", self.0.decided_by(step, progress), self.1.decided_by(step, progress))
    }
}

/// See [`Condition::or`].
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
    fn snapshot(&self) -> Result<String, SnapshotError> {
        join([self.0.snapshot(), self.1.snapshot()])
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        let states = split(state, 2)?;
        self.0.restore(states[0])?;
        self.1.restore(states[1])
    }
    fn name(&self) -> Cow<'_, str> {
        name::joined([self.0.name(), self.1.name()], " or ").into()
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        if self.0.is_met(step, progress) {
            self.0.decided_by(step, progress)
        } else {
            self.1.decided_by(step, progress)
        }
    }
}

/// See [`Condition::not`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Not<C>(C);

impl<S, C: StopCondition<S>> StopCondition<S> for Not<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        !self.0.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        self.0.snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.0.restore(state)
    }
    fn name(&self) -> Cow<'_, str> {
        format!("not {}", name::whole(self.0.name())).into()
    }
}
