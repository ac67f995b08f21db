//! Limits on a run.
//!
//! An agent spends all that it is given. Each limit here bounds one thing that people ran out of: turns, time, money,
//! tokens, patience. The limits on money, tokens and time also apply while an iteration runs, because a check between
//! turns does not stop an agent that spends the whole budget in its first turn.
//!
//! [`MaxIterations`] and [`MaxElapsed`] come from loop-core, because its builder uses them as a loop's bound. This
//! module re-exports them, so that you find all ready-made limits in one place.

pub mod cost;
pub mod failures;
pub mod rate;
pub mod tokens;
pub mod unmetered;

pub use loop_core::{MaxElapsed, MaxIterations};

pub use self::{
    cost::MaxCost, failures::ConsecutiveFailures, rate::SpendingRate, tokens::MaxTokens,
    unmetered::UnmeteredIterations,
};

#[cfg(test)]
mod tests {
    use loop_core::{Ceiling, Cost, Decision, Guardrail, Progress, StopReason, Usage, Usd};
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::testing::{FinishedIteration, progress_of};

    fn halts(guardrail: &impl Guardrail, progress: &Progress) -> bool {
        matches!(guardrail.check(progress), Decision::Halt(_))
    }

    /// Returns whether `left` allows no more than `before` did, in every dimension.
    fn is_tighter(left: Ceiling, before: Ceiling) -> bool {
        left.min(before) == left
    }

    proptest! {
        /// A ceiling never rises while the run goes on, and it is zero exactly when the guardrail refuses the next
        /// iteration.
        #[test]
        fn a_ceiling_falls_and_halts_at_its_end(
            steps in vec(any::<FinishedIteration>(), 0..12),
            dollars in 0..8_u64,
            tokens in 0..2_000_u64,
        ) {
            let cost = MaxCost::new(Usd::dollars(dollars));
            let tokens = MaxTokens::new(tokens);
            let mut before = (cost.ceiling(&Progress::default()), tokens.ceiling(&Progress::default()));
            for end in 0..=steps.len() {
                let progress = progress_of(&steps[..end]);
                let left = (cost.ceiling(&progress), tokens.ceiling(&progress));
                prop_assert!(is_tighter(left.0, before.0) && is_tighter(left.1, before.1));
                prop_assert_eq!(halts(&cost, &progress), left.0.is_exhausted());
                prop_assert_eq!(halts(&tokens, &progress), left.1.is_exhausted());
                before = left;
            }
        }

        /// Unreported usage is not zero, and it does not cross a limit either.
        #[test]
        fn unknown_usage_never_halts(iterations in 0..50_usize, limit in 1..u64::MAX) {
            let steps = vec![FinishedIteration { usage: Usage::unknown(), failed: false }; iterations];
            let progress = progress_of(&steps);
            prop_assert!(!halts(&MaxCost::new(Usd::micros(limit)), &progress));
            prop_assert!(!halts(&MaxTokens::new(limit), &progress));
            prop_assert_eq!(MaxCost::new(Usd::micros(limit)).ceiling(&progress).cost, Some(Usd::micros(limit)));
        }

        /// Only failures at the end of the run count as failures in a row. One good step resets the count.
        #[test]
        fn failures_halt_when_enough_are_at_the_end(steps in vec(any::<FinishedIteration>(), 0..12), limit in 1..5_u64) {
            let in_a_row = steps.iter().rev().take_while(|step| step.failed).count() as u64;
            let progress = progress_of(&steps);
            prop_assert_eq!(halts(&ConsecutiveFailures::new(limit), &progress), in_a_row >= limit);
        }
    }

    #[test]
    fn a_limit_of_zero_halts_before_the_first_iteration() {
        let progress = progress_of(&[]);
        assert!(halts(&MaxCost::new(Usd::ZERO), &progress));
        assert!(halts(&MaxTokens::new(0), &progress));
        assert!(halts(&ConsecutiveFailures::new(0), &progress));
    }

    #[test]
    fn a_halt_says_what_was_allowed_and_what_was_used() {
        let usage = Usage::unknown().with_tokens(900, 200).with_cost(Cost::known(Usd::micros(2_130_000)));
        let progress = progress_of(&[FinishedIteration { usage, failed: true }]);
        let halt = |guardrail: &dyn Guardrail| match guardrail.check(&progress) {
            Decision::Halt(halt) => (halt.reason, halt.blockable, halt.message),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            halt(&MaxCost::new(Usd::dollars(2))),
            (StopReason::BudgetExceeded, true, "$2.13 spent; the limit is $2.00".into())
        );
        assert_eq!(
            halt(&MaxTokens::new(1_000)),
            (StopReason::TokensExceeded, true, "1100 tokens used; the limit is 1000".into())
        );
        assert_eq!(
            halt(&ConsecutiveFailures::new(1)),
            (StopReason::ConsecutiveFailures, true, "the last step failed: it broke".into())
        );
        let silent = FinishedIteration { usage: Usage::unknown(), failed: false };
        let partly = progress_of(&[silent, FinishedIteration { usage, failed: false }]);
        for (guardrail, message) in [
            (&MaxCost::new(Usd::dollars(2)) as &dyn Guardrail, "at least $2.13 spent; the limit is $2.00"),
            (&MaxTokens::new(1_000), "at least 1100 tokens used; the limit is 1000"),
        ] {
            assert!(matches!(guardrail.check(&partly), Decision::Halt(halt) if halt.message == message));
        }
        let failed = FinishedIteration { usage, failed: true };
        match ConsecutiveFailures::new(3).check(&progress_of(&[failed; 3])) {
            Decision::Halt(halt) => {
                assert_eq!(halt.message, "the last 3 steps failed, most recently: it broke");
            }
            other => panic!("{other:?}"),
        }
    }
}
