//! Conditions made of a list of others.

use std::borrow::Cow;

use super::{Condition, StopCondition, name};
use crate::{Event, Progress};

/// Met when every condition of the list is met in the same step. An empty list is always met.
///
/// [`Condition::boxed`] puts conditions of different types into one list.
///
/// ```
/// use loop_core::{IterationContext, Loop, Step, all, condition_fn, iteration_fn};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let divisible = |by: u64| {
///     condition_fn(move |step: &Step<u64>, _| step.output().is_some_and(|n| n % by == 0))
///         .named(format!("by {by}"))
/// };
/// let report = Loop::new(agent).until(all([2, 3].map(divisible))).at_most(9).run().await?;
/// assert_eq!(report.iterations(), 6);
/// assert_eq!(report.ending().to_string(), "goal_met: by 2 and by 3");
/// # Ok(())
/// # }
/// ```
pub fn all<C>(conditions: impl IntoIterator<Item = C>) -> Condition<All<C>> {
    Condition::new(All(conditions.into_iter().collect()))
}

/// Met when at least one condition of the list is met. An empty list is never met.
///
/// ```
/// use loop_core::{IterationContext, Loop, Step, any, condition_fn, iteration_fn};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let is = |n: u64| condition_fn(move |step: &Step<u64>, _| step.output() == Some(&n)).named(format!("is {n}"));
/// let report = Loop::new(agent).until(any([7, 5].map(is))).at_most(9).run().await?;
/// assert_eq!(report.ending().to_string(), "goal_met: is 5");
/// # Ok(())
/// # }
/// ```
pub fn any<C>(conditions: impl IntoIterator<Item = C>) -> Condition<Any<C>> {
    Condition::new(Any(conditions.into_iter().collect()))
}

/// Met when at least `needed` conditions of the list are met in the same step.
///
/// With `needed` 0 it is always met. With more than the list has, it is never met.
///
/// ```
/// use loop_core::{IterationContext, Loop, Step, at_least, condition_fn, iteration_fn};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let divisible = |by: u64| {
///     condition_fn(move |step: &Step<u64>, _| step.output().is_some_and(|n| n % by == 0))
///         .named(format!("by {by}"))
/// };
/// let two_of_three = at_least(2, [2, 5, 4].map(divisible));
/// let report = Loop::new(agent).until(two_of_three).at_most(9).run().await?;
/// assert_eq!(report.iterations(), 4);
/// assert_eq!(report.ending().to_string(), "goal_met: by 2, by 4");
/// # Ok(())
/// # }
/// ```
pub fn at_least<C>(needed: usize, conditions: impl IntoIterator<Item = C>) -> Condition<AtLeast<C>> {
    Condition::new(AtLeast { needed, conditions: conditions.into_iter().collect() })
}

/// See [`all`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct All<C>(Box<[C]>);

impl<S, C: StopCondition<S>> StopCondition<S> for All<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.0.iter().all(|part| part.is_met(step, progress))
    }
    fn observe(&mut self, event: &Event) {
        self.0.iter_mut().for_each(|part| part.observe(event));
    }
    fn name(&self) -> Cow<'_, str> {
        match &*self.0 {
            [] => Cow::Borrowed("all of none"),
            [part] => part.name(),
            parts => name::joined(parts.iter().map(C::name), " and ").into(),
        }
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        if self.0.is_empty() {
            return StopCondition::<S>::name(self).into_owned();
        }
        let parts: Vec<_> = self.0.iter().map(|part| part.decided_by(step, progress)).collect();
        parts.join(" and ")
    }
}

/// See [`any`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Any<C>(Box<[C]>);

impl<S, C: StopCondition<S>> StopCondition<S> for Any<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.0.iter().any(|part| part.is_met(step, progress))
    }
    fn observe(&mut self, event: &Event) {
        self.0.iter_mut().for_each(|part| part.observe(event));
    }
    fn name(&self) -> Cow<'_, str> {
        match &*self.0 {
            [] => Cow::Borrowed("any of none"),
            [part] => part.name(),
            parts => name::joined(parts.iter().map(C::name), " or ").into(),
        }
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        let first = self.0.iter().find(|part| part.is_met(step, progress));
        first.map_or_else(
            || StopCondition::<S>::name(self).into_owned(),
            |part| part.decided_by(step, progress),
        )
    }
}

/// See [`at_least`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtLeast<C> {
    needed: usize,
    conditions: Box<[C]>,
}

impl<S, C: StopCondition<S>> StopCondition<S> for AtLeast<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        let met = self.conditions.iter().filter(|part| part.is_met(step, progress));
        met.take(self.needed).count() == self.needed
    }
    fn observe(&mut self, event: &Event) {
        self.conditions.iter_mut().for_each(|part| part.observe(event));
    }
    fn name(&self) -> Cow<'_, str> {
        let of = name::joined(self.conditions.iter().map(C::name), ", ");
        format!("at least {} of {of}", self.needed).into()
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        let met = self.conditions.iter().filter(|part| part.is_met(step, progress));
        let met: Vec<_> = met.map(|part| part.decided_by(step, progress)).collect();
        // None has to be met, so none is named.
        if met.is_empty() { "at least 0".to_owned() } else { met.join(", ") }
    }
}
