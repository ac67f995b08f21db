//! A score threshold as the goal.
//!
//! Some work is never simply right: a summary, a translation, a benchmark. With a check that only passes or fails,
//! people hide a threshold in a script, where nobody finds it, and where a score that is "not a number" passes every
//! comparison that is written the wrong way round.

use std::borrow::Cow;

use loop_core::{Condition, JudgedStep, Progress, SnapshotError, StopCondition};

/// Is met when the verdict has a score of at least `least`, from 0 (worst) to 1 (best).
///
/// This ignores the verdict's outcome. If it matters too, add `evaluator_passed()` with [`and`](Condition::and). A
/// verdict without a score does not meet the condition.
///
/// # Errors
/// [`InvalidScore`] if `least` is not a number from 0 to 1, because no score would ever reach it, or every score would.
///
/// ```
/// use loop_core::{EvaluationContext, IterationContext, Loop, Verdict, evaluator_fn, iteration_fn};
/// use loop_guardrails::score_at_least;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let writer = iteration_fn(async |cx: IterationContext<f64>| Ok(cx.iteration() as f64 / 10.0));
/// let judge = evaluator_fn(async |cx: EvaluationContext<f64>| Ok(Verdict::fail().with_score(*cx.output())));
/// let report = Loop::new(writer).evaluate(judge).until(score_at_least(0.8)?).at_most(10).run().await?;
/// assert_eq!(report.iterations(), 8);
/// assert_eq!(report.ending().to_string(), "goal_met: score_at_least(0.8)");
/// # Ok(())
/// # }
/// ```
pub fn score_at_least(least: f64) -> Result<Condition<ScoreAtLeast>, InvalidScore> {
    if (0.0..=1.0).contains(&least) {
        Ok(Condition::new(ScoreAtLeast { least }))
    } else {
        Err(InvalidScore { score: least })
    }
}

/// See [`score_at_least`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreAtLeast {
    least: f64,
}

impl<O> StopCondition<JudgedStep<O>> for ScoreAtLeast {
    fn is_met(&self, step: &JudgedStep<O>, _progress: &Progress) -> bool {
        step.verdict().and_then(loop_core::Verdict::score).is_some_and(|score| score >= self.least)
    }
    fn name(&self) -> Cow<'_, str> {
        format!("score_at_least({})", self.least).into()
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

/// A number that is not a score.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{score} is not a score: scores are numbers from 0 (worst) to 1 (best), so 80 % is 0.8")]
pub struct InvalidScore {
    score: f64,
}

#[cfg(test)]
mod tests {
    use loop_core::Verdict;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::is_goal;

    #[test]
    fn what_is_no_score_is_refused() {
        for bad in [f64::NAN, -0.01, 1.01, 80.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(score_at_least(bad).is_err(), "{bad}");
        }
        assert!(score_at_least(0.0).is_ok() && score_at_least(1.0).is_ok());
    }

    proptest! {
        #[test]
        fn agrees_with_the_comparison(
            least in 0.0..=1.0_f64,
            score in proptest::option::of(0.0..=1.0_f64),
            passed: bool,
        ) {
            let verdict = if passed { Verdict::pass() } else { Verdict::fail() };
            let verdict = score.map_or(verdict.clone(), |score| verdict.with_score(score));
            let met = is_goal(&score_at_least(least).unwrap(), Some(verdict));
            prop_assert_eq!(met, score.is_some_and(|score| score >= least));
        }
    }
}
