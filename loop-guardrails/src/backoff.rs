//! A pace that slows down while steps fail.
//!
//! A service is overloaded, or the network is down for a minute: a step that fails now fails again a second later, and
//! the loop reaches its limit on failures in a row before anything could recover. Loops that failed together also retry
//! together, and bring down the service that they wait for. So the waits grow, and no two loops wait for the same time.

use std::time::Duration;

use loop_core::{Pace, Progress};

/// Waits longer after each failure in a row.
///
/// There is no wait after a single failure, because most single failures pass at once. After the second failure in a
/// row the full wait is the base; each further failure doubles it, up to the cap. The actual wait is at least half of
/// the full wait, and the jitter decides the rest. One good step resets the wait. A failure is what
/// [`ConsecutiveFailures`](crate::ConsecutiveFailures) counts.
///
/// Waits are run time, so a limit on time ends them. They are not working time.
///
/// # Default
/// A cap of 60 seconds ([`DEFAULT_CAP`](Self::DEFAULT_CAP)), and the seed 0.
///
/// # Jitter
/// The jitter is a hash of the seed and the number of the iteration. The same loop waits for the same times when you
/// replay it, and loops with different seeds do not. Give each run its own seed.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{IterationContext, Loop, WorkError, iteration_fn};
/// use loop_guardrails::{Backoff, ConsecutiveFailures, after};
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = iteration_fn(async |_: IterationContext<()>| Err(WorkError::failed("overloaded")));
/// let report = Loop::new(agent)
///     .until(after(100))
///     .at_most(100)
///     .guard(ConsecutiveFailures::new(5))
///     .pace(Backoff::new(Duration::from_secs(1)).seed(7))
///     .run()
///     .await?;
/// // 1 + 2 + 4 seconds at most, and half of that at least: none after the last.
/// let waited = report.progress().elapsed();
/// assert!((3.5..=7.1).contains(&waited.as_secs_f64()), "{waited:?}");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    base: Duration,
    cap: Duration,
    seed: u64,
}

impl Backoff {
    /// The longest wait, unless you set [`cap`](Self::cap).
    pub const DEFAULT_CAP: Duration = Duration::from_secs(60);

    /// Creates a backoff whose wait after the second failure in a row is between half of `base` and `base`. With zero
    /// it never waits.
    pub const fn new(base: Duration) -> Self {
        Self { base, cap: Self::DEFAULT_CAP, seed: 0 }
    }

    /// Sets the longest wait.
    #[must_use]
    pub const fn cap(self, cap: Duration) -> Self {
        Self { cap, ..self }
    }

    /// Sets the seed, which makes this loop's jitter differ from another loop's.
    #[must_use]
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Returns the wait after this number of failures in a row, before jitter.
    fn full(self, failures: u64) -> Duration {
        let Some(doublings) = failures.checked_sub(2) else { return Duration::ZERO };
        // With a factor of 2^31, every base above zero exceeds any cap that a person would set.
        let factor = 1 << doublings.min(31);
        self.base.saturating_mul(factor).min(self.cap)
    }
}

impl Pace for Backoff {
    fn delay(&self, progress: &Progress) -> Duration {
        let full = self.full(progress.consecutive_failures());
        let half = full / 2;
        half + (full - half).mul_f64(fraction(self.seed, progress.iterations()))
    }
}

/// Returns a number from 0 to 1 that depends on both arguments in no simple way. This is the finalizer of `SplitMix64`.
fn fraction(seed: u64, iteration: u64) -> f64 {
    let mut mixed = seed.wrapping_add(iteration.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    mixed as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use loop_core::Usage;
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::testing::{FinishedIteration, progress_of};

    /// Builds the progress of a run that had these steps first, and then this number of failures.
    fn failed(before: &[bool], failures: usize) -> Progress {
        let step = |failed| FinishedIteration { usage: Usage::unknown(), failed };
        let good_end = if before.is_empty() { None } else { Some(step(false)) };
        let steps: Vec<_> = before.iter().map(|failed| step(*failed)).chain(good_end).collect();
        progress_of(&[steps, vec![step(true); failures]].concat())
    }

    proptest! {
        /// There is no wait before the second failure. Each further failure doubles it, up to the cap, and at least
        /// half remains.
        #[test]
        fn waits_double_up_to_the_cap(
            before in vec(any::<bool>(), 0..4),
            failures in 0..40_usize,
            base in 0..20_000_u64,
            cap in 0..100_000_u64,
            seed in any::<u64>(),
        ) {
            let backoff =
                Backoff::new(Duration::from_millis(base)).cap(Duration::from_millis(cap)).seed(seed);
            let delay = backoff.delay(&failed(&before, failures)).as_secs_f64() * 1e3;
            let full = if failures < 2 {
                0.0
            } else {
                (base as f64 * 2_f64.powi(failures as i32 - 2)).min(cap as f64)
            };
            prop_assert!(delay >= full / 2.0 - 1e-3 && delay <= full + 1e-3, "{} of {}", delay, full);
        }

        /// The same run always gets the same waits, and another run gets different ones.
        #[test]
        fn jitter_is_pure_and_tells_runs_apart(failures in 2..20_usize, seed in any::<u64>(), other in any::<u64>()) {
            prop_assume!(seed != other);
            let backoff = Backoff::new(Duration::from_secs(1));
            let progress = failed(&[], failures);
            let delay = |seed| backoff.seed(seed).delay(&progress);
            prop_assert_eq!(delay(seed), delay(seed));
            prop_assert_ne!(delay(seed), delay(other));
        }

        #[test]
        fn fractions_are_fractions(seed in any::<u64>(), iteration in any::<u64>()) {
            prop_assert!((0.0..=1.0).contains(&fraction(seed, iteration)));
        }
    }

    #[test]
    fn jitter_spreads_over_its_whole_range() {
        let mean = (0..1_000).map(|seed| fraction(seed, 3)).sum::<f64>() / 1e3;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        for tenth in 0..10 {
            let within = |fraction: &f64| (fraction * 10.0) as u64 == tenth;
            assert!((0..1_000).map(|seed| fraction(seed, 3)).filter(within).count() > 50, "{tenth}");
        }
    }
}
