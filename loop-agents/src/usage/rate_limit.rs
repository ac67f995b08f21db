//! Recognises rate limits in agents' messages.
//!
//! An agent that reaches its vendor's limit fails, and the next iterations fail as well. A loop that treats this as an
//! ordinary failure wastes its iterations in a minute. Most agents only pass on the vendor's sentence. So we look in
//! the sentence for the limit, and for the time when it ends.

use std::time::{Duration, SystemTime};

/// The longest wait that we believe. The longest limits of today last a week.
const MAX_WAIT: Duration = Duration::from_secs(8 * 24 * 60 * 60);

/// A vendor's limit on the usage per time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// When it ends, if the message says so.
    pub reset: Option<ResetTime>,
}

/// When a rate limit ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetTime {
    /// This long after the report.
    After(Duration),
    /// At this time.
    At(SystemTime),
}

impl RateLimit {
    /// Returns how long to wait from `now` on, for [`WorkError::Later`](loop_core::WorkError::Later). Returns `None` if
    /// the end is not known, or implausible because it is more than eight days away. If the time has passed, the wait
    /// is zero.
    ///
    /// ```
    /// # use std::time::{Duration, SystemTime};
    /// use loop_agents::usage::{Format, Prices, UsageReader};
    ///
    /// let mut reader = UsageReader::new(Format::CodexJson, Prices::bundled());
    /// reader.feed(br#"{"type":"turn.failed","error":{"message":"429: rate limit, try again in 1.5s"}}"#);
    /// let failure = reader.finish().failure.ok_or("a failure")?;
    /// let limit = failure.rate_limit.ok_or("a limit")?;
    /// assert_eq!(limit.wait(SystemTime::now()), Some(Duration::from_millis(1500)));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn wait(&self, now: SystemTime) -> Option<Duration> {
        let wait = match self.reset? {
            ResetTime::After(wait) => wait,
            ResetTime::At(time) => time.duration_since(now).unwrap_or_default(),
        };
        (wait <= MAX_WAIT).then_some(wait)
    }

    /// Returns the limit that a message describes. A `status`, the HTTP status, can also mark it as a limit.
    pub(super) fn of(message: &str, status: Option<u64>) -> Option<Self> {
        let text = message.to_lowercase();
        let reset = wait_in(&text).map(ResetTime::After).or_else(|| time_in(&text).map(ResetTime::At));
        let numbered = || text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "429");
        let named = LIMITS.iter().any(|name| text.contains(name)) || numbered();
        // The messages about an empty account are similar, but waiting does not fill it.
        let unpaid = reset.is_none() && UNPAID.iter().any(|name| text.contains(name));
        ((status == Some(429) || named) && !unpaid).then_some(Self { reset })
    }
}

/// Texts that indicate a limit.
const LIMITS: [&str; 10] = [
    "rate limit",
    "rate_limit",
    "ratelimit",
    "usage limit",
    "session limit",
    "weekly limit",
    "too many requests",
    "resource_exhausted",
    // The word "quota" alone would not do, because a disk has a quota too.
    "your current quota",
    "quota exceeded for",
];

/// Texts that indicate that waiting does not help.
const UNPAID: [&str; 3] = ["billing", "insufficient_quota", "credit balance"];

/// Texts before a time to wait.
const BEFORE_WAIT: [&str; 7] =
    ["try again in ", "retry in ", "retry after ", "retry-after: ", "reset in ", "resets in ", "wait "];

/// Words that may precede a time.
const FILLERS: [&str; 7] = ["about ", "around ", "approximately ", "another ", "at least ", "for ", "~"];

/// Returns the time to wait from a text: `in 12.5s`, `after 30 seconds`, `in about 1 hour 5 minutes`.
fn wait_in(text: &str) -> Option<Duration> {
    let places = BEFORE_WAIT.iter().flat_map(|words| text.match_indices(words));
    let mut rests = places.map(|(at, words)| text[at + words.len()..].trim_start());
    rests.find_map(|mut rest| {
        while let Some(more) = FILLERS.iter().find_map(|filler| rest.strip_prefix(filler)) {
            rest = more.trim_start();
        }
        duration(rest)
    })
}

/// Returns the duration at the beginning of a text. It rejects a number with an unknown unit, and one that is part of a
/// date or a time of day, because a misread number would make us wait.
fn duration(mut rest: &str) -> Option<Duration> {
    let mut seconds = None;
    while let Some((number, after)) = number(rest) {
        let unit = after.trim_start();
        let unit_end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        let Some(factor) = factor(&unit[..unit_end]) else {
            return match seconds {
                // A number without a unit means seconds, as in the HTTP header.
                None if ends_by_itself(after) => Duration::try_from_secs_f64(number).ok(),
                None => None,
                Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
            };
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * factor);
        rest = unit[unit_end..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

/// Returns the number of seconds in a unit.
fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
        "d" | "day" | "days" => 86_400.0,
        "w" | "week" | "weeks" => 604_800.0,
        _ => return None,
    })
}

/// Returns true if a number directly before this text is complete: no unit or other word follows, and the number is not
/// part of a date or a time.
fn ends_by_itself(after: &str) -> bool {
    let word = after.trim_start();
    let is_apart = !after.starts_with(['-', ':', '/', '_']) && !after.starts_with(char::is_alphanumeric);
    // `retry after 3 attempts`, `try again in 5 moons`.
    is_apart && !(word.len() < after.len() && word.starts_with(char::is_alphanumeric))
}

/// Returns the decimal number at the beginning of a text.
fn number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let digits = text[..end].trim_end_matches('.');
    Some((digits.parse().ok()?, &text[digits.len()..]))
}

/// Returns the time after a `|`, in seconds since 1970: `usage limit reached|1785132000`.
fn time_in(text: &str) -> Option<SystemTime> {
    let (_, rest) = text.split_once('|')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    time_of(rest[..end].parse().ok()?)
}

/// No limit ended before 2001, so a smaller number does not mean seconds since 1970.
const FIRST_SECOND: u64 = 1_000_000_000;

/// Converts seconds since 1970.
pub(super) fn time_of(seconds: u64) -> Option<SystemTime> {
    let since = (seconds >= FIRST_SECOND).then_some(Duration::from_secs(seconds))?;
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wait(message: &str) -> Option<u128> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_785_131_000);
        RateLimit::of(message, None)?.wait(now).map(|wait| wait.as_millis())
    }

    #[test]
    fn the_sentences_of_vendors_are_understood() {
        for (message, millis) in [
            ("Rate limit exceeded. Please retry after 30 seconds.", 30_000),
            ("Rate limit reached for gpt-5. Please try again in 1.898s. Visit x", 1_898),
            ("rate_limit_exceeded: try again in 20ms", 20),
            (
                "Quota exceeded for quota metric m, check your plan and billing details. Please retry in 12.5s.",
                12_500,
            ),
            ("You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", 273_900_000),
            ("Usage limit. Try again in 1 hour, 2 minutes and 3 seconds", 3_723_000),
            ("429 Too Many Requests, retry-after: 7", 7_000),
            ("rate limit; try again in about 5 minutes", 300_000),
            ("Rate limit. Please wait 30 seconds", 30_000),
            ("Rate limit, please wait for another 2 min.", 120_000),
            ("rate limit: wait until noon, or try again in 1 week", 604_800_000),
            ("Claude AI usage limit reached|1785132000", 1_000_000),
            ("Claude AI usage limit reached|1785130000", 0),
        ] {
            assert_eq!(wait(message), Some(millis), "{message}");
        }
    }

    #[test]
    fn a_limit_without_a_time_is_one_and_other_words_are_none() {
        for message in [
            "Rate limit exceeded",
            "429 status code (no body)",
            "last status: 429 Too Many Requests, request id: req-7",
        ] {
            assert_eq!(RateLimit::of(message, None), Some(RateLimit { reset: None }), "{message}");
        }
        assert_eq!(RateLimit::of("no", Some(429)), Some(RateLimit { reset: None }));
        for message in [
            "The server had an error.",
            "Disk quota exceeded",
            "You exceeded your current quota, check your billing",
            "",
        ] {
            assert_eq!(RateLimit::of(message, Some(500)), None, "{message}");
        }
    }

    #[test]
    fn a_wait_beyond_belief_is_none() {
        assert_eq!(wait("rate limit, try again in 9 days"), None);
        assert_eq!(wait("usage limit, try again in 3 weeks"), None);
        assert_eq!(wait(&format!("rate limit, try again in {} days", "9".repeat(400))), None);
        assert_eq!(wait("usage limit reached|99999999999999999999"), None);
    }

    #[test]
    fn a_time_in_words_that_are_not_known_is_unknown_and_not_another() {
        for message in [
            "Rate limit: try again in 1:30:00",
            "rate limit; retry after 2026-11-22T10:00:00Z",
            "rate limit, try again in 1e400 days",
            "rate limit, try again in 3 fortnights",
            "rate limit: retry after 3 attempts",
            "rate limit (100|90) try later",
            "rate limit. Try again at 3:15 PM.",
        ] {
            assert_eq!(RateLimit::of(message, None), Some(RateLimit { reset: None }), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_words_are_a_reason_to_panic(message in "(rate limit |try again in |\\||[0-9.]{1,5}|[hms ]|\\PC)*") {
            wait(&message);
        }
    }
}
