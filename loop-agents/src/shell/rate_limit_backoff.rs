//! Decides how long to wait for an agent's rate limit, and how often.
//!
//! A rate limit may not have ended at its announced time, or an agent may always report one. Then we would retry again
//! and again, without using up iterations. A loop without a time limit would never end.

use std::time::{Duration, SystemTime};

use crate::usage::{AgentFailure, RateLimit};

/// The shortest wait. It doubles with each further wait in a row.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// The largest value of the shortest wait.
const LONGEST_LEAST_WAIT: Duration = Duration::from_secs(10 * 60);

/// After this many waits in a row, the limit counts as a failure like others. That takes at least two hours.
const MAX_WAITS: u32 = 20;

/// The number of times in a row that an iteration was deferred.
#[derive(Debug, Default)]
pub(super) struct RateLimitBackoff(u32);

/// The decision about a failed iteration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BackoffDecision {
    /// Retry after this time.
    WaitFor(Duration),
    /// The failure is not a limit with a known end.
    NoKnownEnd,
    /// We have waited too often.
    GiveUp,
}

/// The agent reported a rate limit too often in a row.
#[derive(Debug, thiserror::Error)]
#[error("{0}; after {MAX_WAITS} waits in a row, it now counts as a failure")]
pub(super) struct TooManyWaits(pub(super) AgentFailure);

impl RateLimitBackoff {
    /// Returns how long to wait for this limit.
    pub(super) fn wait(&mut self, limit: Option<RateLimit>) -> BackoffDecision {
        let waits = std::mem::take(&mut self.0);
        let Some(wait) = limit.and_then(|limit| limit.wait(SystemTime::now())) else {
            return BackoffDecision::NoKnownEnd;
        };
        if waits >= MAX_WAITS {
            return BackoffDecision::GiveUp;
        }
        self.0 = waits + 1;
        let least = LEAST_WAIT.saturating_mul(2_u32.saturating_pow(waits)).min(LONGEST_LEAST_WAIT);
        BackoffDecision::WaitFor(wait.max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::{Format, Prices, UsageReader};

    fn limit(words: &str) -> Option<RateLimit> {
        let mut reader = UsageReader::new(Format::CodexJson, Prices::bundled());
        let line = format!(r#"{{"type":"turn.failed","error":{{"message":"{words}"}}}}"#);
        reader.feed(line.as_bytes());
        reader.finish().failure?.rate_limit
    }

    #[test]
    fn a_limit_that_never_ends_is_a_failure_in_the_end() {
        let soon = limit("rate limit, try again in 1s");
        let mut backoff = RateLimitBackoff::default();
        let waits: Vec<_> = std::iter::repeat_with(|| backoff.wait(soon))
            .map_while(|wait| match wait {
                BackoffDecision::WaitFor(wait) => Some(wait.as_secs()),
                BackoffDecision::NoKnownEnd | BackoffDecision::GiveUp => None,
            })
            .collect();
        assert_eq!(waits.len(), MAX_WAITS as usize);
        assert_eq!((&waits[..4], waits.last()), (&[1, 2, 4, 8][..], Some(&600)));
        // The count starts again.
        assert_eq!(backoff.wait(soon), BackoffDecision::WaitFor(Duration::from_secs(1)));
        assert_eq!(backoff.wait(limit("rate limit")), BackoffDecision::NoKnownEnd);
    }
}
