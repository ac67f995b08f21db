//! A pace that slows down while nothing works.
//!
//! A service that is overloaded, a network that is away for a minute: what fails now fails again a
//! second later, and a limit on failures in a row is used up before anything could recover. Many loops that
//! failed together also try again together, and bring down what they wait for. So the waits
//! grow, and no two loops wait alike.

use std::time::Duration;

use loop_core::{Pace, Progress};

/// Waits longer after each failure in a row.
///
/// After one failure there is no wait: most of them are over at once. From the second one in a row on the
/// wait is the base, then twice, four times, eight times as long, up to the cap; of that at least a half, and
/// the rest as the jitter says. One good step starts again without a wait. What counts as a
/// failure is what [`ConsecutiveFailures`](crate::ConsecutiveFailures) counts.
///
/// Waits are run time, so a limit on time ends them, and not working time.
///
/// # Default
/// A cap of 60 seconds ([`DEFAULT_CAP`](Self::DEFAULT_CAP)), and the seed 0.
///
/// # Jitter
/// A hash of the seed and the number of the iteration: the same loop waits alike when it is replayed, and
/// loops with different seeds do not. Give each run a seed of its own.
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
    /// The longest wait, unless [`cap`](Self::cap) says another one.
    pub const DEFAULT_CAP: Duration = Duration::from_secs(60);

    /// Waits this long, or half of it at least, after the second failure in a row. Zero never waits.
    pub const fn new(base: Duration) -> Self {
        Self { base, cap: Self::DEFAULT_CAP, seed: 0 }
    }

    /// Never waits longer than this.
    #[must_use]
    pub const fn cap(self, cap: Duration) -> Self {
        Self { cap, ..self }
    }

    /// What tells this loop's jitter from another one's.
    #[must_use]
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The wait after so many failures in a row, before there is jitter.
    fn full(self, failures: u64) -> Duration {
        let Some(doublings) = failures.checked_sub(2) else { return Duration::ZERO };
        // Beyond 2^31 every base that is not zero is beyond any cap that a person would set.
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

/// A number from 0 to 1 that depends on both numbers in no simple way: the finalizer of `SplitMix64`.
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
    use crate::testing::{Iterated, progress_of};

    /// A run that began with these steps and then failed so often.
    fn failed(before: &[bool], failures: usize) -> Progress {
        let step = |failed| Iterated { usage: Usage::unknown(), failed };
        let good_end = if before.is_empty() { None } else { Some(step(false)) };
        let steps: Vec<_> = before.iter().map(|failed| step(*failed)).chain(good_end).collect();
        progress_of(&[steps, vec![step(true); failures]].concat())
    }

    proptest! {
        /// Nothing before the second failure, then twice as much with each, up to the cap; half of it sure.
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

        /// The same run waits alike whenever it is asked, and another run otherwise.
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
