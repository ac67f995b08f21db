//! The two guardrails that can bound a loop by themselves.
//!
//! An agent that never gets there runs until somebody looks, or until the money is gone. Every loop
//! therefore has a bound, by count or by time; money alone is none, since it may go unreported.

use std::time::Duration;

use crate::{Ceiling, Decision, Guardrail, Halt, Progress, StopReason};

/// At most so many iterations, and those that were [granted](Progress::granted) when the run was resumed.
///
/// The goal has the last word: a goal met in the last allowed iteration is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxIterations(u64);

impl MaxIterations {
    /// At most `count` iterations; 0 halts before the first, and no loop can be built with it as its bound.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }
}

impl Guardrail for MaxIterations {
    fn name(&self) -> &str {
        "max_iterations"
    }
    fn check(&self, progress: &Progress) -> Decision {
        let granted = progress.granted().map_or(0, |grant| grant.iterations);
        let limit = self.0.saturating_add(granted);
        if progress.iterations() < limit {
            return Decision::Continue;
        }
        let message = match limit {
            1 => "the one iteration allowed is used up".to_owned(),
            count => format!("all {count} iterations allowed are used up"),
        };
        Decision::Halt(Halt::new(StopReason::MaxIterations, message))
    }
}

/// At most so much run time, waits included, and what was [granted](Progress::granted) when the run was
/// resumed.
///
/// It binds at once, also in the middle of an iteration, an evaluation or a wait. Time in which a
/// person was asked, the machine slept or the run was down does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxElapsed(Duration);

impl MaxElapsed {
    /// At most this long.
    pub const fn new(limit: Duration) -> Self {
        Self(limit)
    }

    /// At most so many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// At most so many minutes.
    pub const fn minutes(minutes: u64) -> Self {
        Self(Duration::from_secs(minutes.saturating_mul(60)))
    }

    fn limit(&self, progress: &Progress) -> Duration {
        progress.granted().map_or(self.0, |grant| self.0.saturating_add(grant.time))
    }

    fn left(&self, progress: &Progress) -> Duration {
        self.limit(progress).saturating_sub(progress.elapsed())
    }
}

impl Guardrail for MaxElapsed {
    fn name(&self) -> &str {
        "max_elapsed"
    }
    fn check(&self, progress: &Progress) -> Decision {
        if !self.left(progress).is_zero() {
            return Decision::Continue;
        }
        let message = format!("the time limit of {} is reached", in_words(self.limit(progress)));
        Decision::Halt(Halt::new(StopReason::TimeExceeded, message))
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::time(self.left(progress))
    }
}

/// `30m`, `1h30m`, `45s`; below a second as the standard library writes it.
pub(crate) fn in_words(limit: Duration) -> String {
    let seconds = limit.as_secs();
    if seconds == 0 || limit.subsec_nanos() > 0 {
        return format!("{limit:?}");
    }
    let parts = [(seconds / 3600, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_has_the_name_of_its_reason_in_a_report() {
        assert_eq!(MaxIterations::new(3).name(), "max_iterations");
        assert_eq!(MaxElapsed::seconds(3).name(), "max_elapsed");
    }

    #[test]
    fn a_time_limit_is_said_as_people_say_it() {
        let words = |millis| in_words(Duration::from_millis(millis));
        assert_eq!(words(1_800_000), "30m");
        assert_eq!(words(5_400_000), "1h30m");
        assert_eq!(words(86_405_000), "24h5s");
        assert_eq!(words(1_500), "1.5s");
        assert_eq!(words(0), "0ns");
    }
}
