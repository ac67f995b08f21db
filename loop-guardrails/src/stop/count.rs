//! A number of iterations as the goal.
//!
//! "Do this three times" is a goal and not a limit: a run that did it three times has succeeded. With only a limit,
//! every such run counts as halted, and people learn to ignore halts.

use std::borrow::Cow;

use loop_core::{Condition, Progress, SnapshotError, StopCondition};

/// Is met after `count` iterations, failed ones included.
///
/// The loop still needs a bound, which may be the same number: the goal takes precedence. The loop checks a condition
/// only after a finished step, so 0 is met by the first step, as 1 is.
///
/// ```
/// use loop_core::{IterationContext, Loop, iteration_fn};
/// use loop_guardrails::after;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let greet = iteration_fn(async |_: IterationContext<&'static str>| Ok("hello"));
/// let report = Loop::new(greet).until(after(3)).at_most(3).run().await?;
/// assert!(report.is_success());
/// assert_eq!(report.ending().to_string(), "goal_met: after(3)");
/// # Ok(())
/// # }
/// ```
pub const fn after(count: u64) -> Condition<AfterIterations> {
    Condition::new(AfterIterations { count })
}

/// See [`after`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfterIterations {
    count: u64,
}

impl<S> StopCondition<S> for AfterIterations {
    fn is_met(&self, _step: &S, progress: &Progress) -> bool {
        progress.iterations() >= self.count
    }
    fn name(&self) -> Cow<'_, str> {
        format!("after({})", self.count).into()
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{FinishedIteration, progress_of};

    proptest! {
        #[test]
        fn is_met_from_the_count_on(steps in proptest::collection::vec(any::<FinishedIteration>(), 0..20), count in 0..20_u64) {
            let met = StopCondition::<()>::is_met(&AfterIterations { count }, &(), &progress_of(&steps));
            prop_assert_eq!(met, steps.len() as u64 >= count);
        }
    }
}
