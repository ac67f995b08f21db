//! Conditions made of a list of others.

use std::borrow::Cow;

use super::{Condition, StopCondition, name};
use crate::{
    BoxError, Event, Progress, SnapshotError,
    snapshot::{join, split},
};

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
pub fn all<C>(conditions: impl IntoIterator<Item = C>) -> Condition<ConditionList<C>> {
    ConditionList::new(Needed::All, conditions)
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
pub fn any<C>(conditions: impl IntoIterator<Item = C>) -> Condition<ConditionList<C>> {
    ConditionList::new(Needed::Any, conditions)
}

/// Met when at least `needed` conditions of the list are met in the same step.
///
/// If `needed` is 0, it is always met. If `needed` exceeds the length of the list, it is never met.
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
pub fn at_least<C>(needed: usize, conditions: impl IntoIterator<Item = C>) -> Condition<ConditionList<C>> {
    ConditionList::new(Needed::AtLeast(needed), conditions)
}

/// See [`all`], [`any`] and [`at_least`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionList<C> {
    needed: Needed,
    conditions: Box<[C]>,
}

/// How many conditions of a list have to be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    All,
    Any,
    AtLeast(usize),
}

impl<C> ConditionList<C> {
    fn new(needed: Needed, conditions: impl IntoIterator<Item = C>) -> Condition<Self> {
        Condition::new(Self { needed, conditions: conditions.into_iter().collect() })
    }
}

impl<S, C: StopCondition<S>> StopCondition<S> for ConditionList<C> {
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        let mut missing = match self.needed {
            Needed::All => self.conditions.len(),
            Needed::Any => 1,
            Needed::AtLeast(count) => count,
        };
        let mut rest = self.conditions.iter();
        // Asks no part whose answer cannot change the result any more.
        while missing > 0 && missing <= rest.len() {
            missing -= usize::from(rest.next().is_some_and(|part| part.is_met(step, progress)));
        }
        missing == 0
    }
    fn observe(&mut self, event: &Event) {
        self.conditions.iter_mut().for_each(|part| part.observe(event));
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        join(self.conditions.iter().map(C::snapshot))
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        let states = split(state, self.conditions.len())?;
        self.conditions.iter_mut().zip(states).try_for_each(|(part, state)| part.restore(state))
    }
    fn name(&self) -> Cow<'_, str> {
        let joined = |between| name::joined(self.conditions.iter().map(C::name), between);
        match (self.needed, &*self.conditions) {
            (Needed::All, []) => Cow::Borrowed("all of none"),
            (Needed::Any, []) => Cow::Borrowed("any of none"),
            (Needed::All | Needed::Any, [part]) => part.name(),
            (Needed::All, _) => joined(" and ").into(),
            (Needed::Any, _) => joined(" or ").into(),
            (Needed::AtLeast(count), _) => format!("at least {count} of {}", joined(", ")).into(),
        }
    }
    fn decided_by(&self, step: &S, progress: &Progress) -> String {
        let (named, between) = match self.needed {
            Needed::All => (usize::MAX, " and "),
            Needed::Any => (1, " or "),
            Needed::AtLeast(_) => (usize::MAX, ", "),
        };
        let met = self.conditions.iter().filter(|part| part.is_met(step, progress)).take(named);
        let met: Vec<_> = met.map(|part| part.decided_by(step, progress)).collect();
        match (&*met, self.needed) {
            // None has to be met, so none is named.
            ([], Needed::AtLeast(count)) => format!("at least {count}"),
            ([], _) => StopCondition::<S>::name(self).into_owned(),
            (met, _) => met.join(between),
        }
    }
}
