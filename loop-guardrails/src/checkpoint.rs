//! A pause for human review.
//!
//! A loop that goes wrong early stays wrong for as long as it runs: it polishes the wrong file, or weakens the test
//! that it should satisfy. No limit notices, and the verdict may even improve. A person who reviews now and then does
//! notice, and an early note from them is worth more than all later iterations.

use std::num::NonZeroU64;

use loop_core::{Decision, Guardrail, Halt, Progress, Question, SnapshotError, StopReason};

/// Asks a person after every `n`th iteration that did not meet the goal.
///
/// The answer may carry a note for the next iteration. If nobody can answer (see
/// [`Loop::on_ask`](loop_core::Loop::on_ask)), the run halts there with [`HitlCheckpoint`](StopReason::HitlCheckpoint),
/// which is blockable. The time until the answer does not count as run time.
///
/// ```
/// use loop_core::{IterationContext, Loop, StopReason, iteration_fn};
/// use loop_guardrails::{Checkpoint, after};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = iteration_fn(async |_: IterationContext<()>| Ok(()));
/// let report = Loop::new(agent).until(after(10)).at_most(10).guard(Checkpoint::every(3)).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::HitlCheckpoint));
/// assert_eq!(report.iterations(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    every: NonZeroU64,
}

impl Checkpoint {
    /// Asks after every `n`th iteration. With 1, it asks after each.
    ///
    /// For a number from a file or a person, create a [`NonZeroU64`] and use [`Checkpoint::from`].
    ///
    /// # Panics
    /// If `n` is 0, as in [`Iterator::step_by`]. If the value is a constant, compilation fails. 0 could mean "never" or
    /// "always", and a wrong guess could silently remove the human review.
    pub const fn every(n: u64) -> Self {
        match NonZeroU64::new(n) {
            Some(every) => Self { every },
            None => {
                panic!("a checkpoint after every 0 iterations: ask after every 1 or more, or leave it out")
            }
        }
    }
}

impl From<NonZeroU64> for Checkpoint {
    fn from(every: NonZeroU64) -> Self {
        Self { every }
    }
}

impl Guardrail for Checkpoint {
    fn name(&self) -> &str {
        "checkpoint"
    }
    fn check(&self, progress: &Progress) -> Decision {
        let iterations = progress.iterations();
        if iterations == 0 || iterations % self.every != 0 {
            return Decision::Continue;
        }
        let unanswered =
            format!("nobody was there to decide whether to continue after iteration {iterations}");
        Decision::Ask(Question::new(question(progress), Halt::new(StopReason::HitlCheckpoint, unanswered)))
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

/// Returns the facts that a person needs to decide, in one line.
fn question(progress: &Progress) -> String {
    let outcome = progress.last_step().and_then(|step| match (step.failure(), step.verdict()) {
        (Some(failure), _) => Some(format!(" It went wrong: {failure}.")),
        (None, Some(verdict)) => Some(format!(" Verdict: {}.", verdict.outcome())),
        (None, None) => None,
    });
    format!(
        "Iteration {} did not meet the goal.{} Cost so far: {}. Continue?",
        progress.iterations(),
        outcome.unwrap_or_default(),
        progress.cost(),
    )
}

#[cfg(test)]
mod tests {
    use loop_core::{Cost, Usage, Usd};
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::testing::{FinishedIteration, progress_of};

    proptest! {
        #[test]
        fn asks_exactly_at_the_multiples(steps in vec(any::<FinishedIteration>(), 0..24), n in 1..10_u64) {
            let done = steps.len() as u64;
            let asks = matches!(Checkpoint::every(n).check(&progress_of(&steps)), Decision::Ask(_));
            prop_assert_eq!(asks, done > 0 && done.is_multiple_of(n));
        }
    }

    #[test]
    #[should_panic(expected = "every 0 iterations")]
    fn zero_is_refused() {
        let _ = Checkpoint::every(std::hint::black_box(0));
    }

    #[test]
    fn the_question_says_what_a_person_needs() {
        let text = |steps: &[FinishedIteration]| match Checkpoint::every(1).check(&progress_of(steps)) {
            Decision::Ask(question) => question.text,
            other => panic!("{other:?}"),
        };
        let priced = |cost| FinishedIteration { usage: Usage::unknown().with_cost(cost), failed: false };
        let known = priced(Cost::known(Usd::micros(420_000)));
        let silent = FinishedIteration { usage: Usage::unknown(), failed: true };

        assert_eq!(text(&[known]), "Iteration 1 did not meet the goal. Cost so far: $0.42. Continue?");
        assert_eq!(
            text(&[known, silent]),
            "Iteration 2 did not meet the goal. It went wrong: it broke. Cost so far: at least $0.42. Continue?"
        );
        assert!(text(&[silent]).contains("Cost so far: unknown."));
        assert!(text(&[priced(Cost::estimated(Usd::dollars(1)))]).contains("Cost so far: about $1.00."));
    }
}
