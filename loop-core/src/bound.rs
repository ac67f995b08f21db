//! The two guardrails that can bound a loop by themselves.
//!
//! An agent that never reaches its goal runs until somebody notices, or until the money is gone. Therefore every loop
//! has a bound on its iterations or its time. A limit on money alone is not enough, because cost may go unreported.

use std::time::Duration;

use crate::{Ceiling, Decision, Guardrail, Halt, Progress, SnapshotError, StopReason};

/// Limits the number of iterations. Iterations that were [granted](Progress::granted) on resume raise the limit.
///
/// The goal goes first: a goal met in the last allowed iteration is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxIterations(u64);

impl MaxIterations {
    /// Allows at most `count` iterations. With 0 it halts before the first one, and a loop with 0 as its bound fails to
    /// build.
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
            1 => "the one allowed iteration is used up".to_owned(),
            count => format!("all {count} allowed iterations are used up"),
        };
        Decision::Halt(Halt::new(StopReason::MaxIterations, message))
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

/// Limits the run time, waits included. Time that was [granted](Progress::granted) on resume raises the limit.
///
/// It applies at once, even in the middle of an iteration, an evaluation or a wait. Time in which a person was asked,
/// the machine slept or the run was down does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxElapsed(Duration);

impl MaxElapsed {
    /// Allows at most this much run time.
    pub const fn new(limit: Duration) -> Self {
        Self(limit)
    }

    /// Allows at most this many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// Allows at most this many minutes.
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
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
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
    fn a_time_limit_is_written_in_hours_minutes_and_seconds() {
        let words = |millis| in_words(Duration::from_millis(millis));
        assert_eq!(words(1_800_000), "30m");
        assert_eq!(words(5_400_000), "1h30m");
        assert_eq!(words(86_405_000), "24h5s");
        assert_eq!(words(1_500), "1.5s");
        assert_eq!(words(0), "0ns");
    }
}
