//! Intervals and counts, as people write them.

use std::{num::NonZeroU64, time::Duration};

use jiff::Timestamp;
use loop_manifest::duration::{self, DurationError};
use loop_schedule::{Phrase, PhraseTime, Zone};

/// The default count.
pub const DEFAULT_COUNT: NonZeroU64 = NonZeroU64::new(10).expect("it is not zero");

/// The highest count. It ends loops that were started by mistake.
pub const MAX_COUNT: u64 = 100;

/// The error for a text that is not an interval, or not a count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RepetitionArgumentError {
    /// The text is not a duration.
    #[error(transparent)]
    Interval(#[from] DurationError),
    /// The interval has no length.
    #[error("it has to be more than zero")]
    NoTime,
    /// The count is not a number, or out of bounds.
    #[error("it has to be a whole number from 1 to {MAX_COUNT}")]
    Count,
}

/// Parses an interval. A bare number means seconds.
///
/// # Errors
/// The text is not a duration, or has no length.
pub fn interval(text: &str) -> Result<Duration, RepetitionArgumentError> {
    match duration::parse_or_zero(text) {
        Ok(Duration::ZERO) | Err(DurationError::Negative) => Err(RepetitionArgumentError::NoTime),
        Ok(interval) => Ok(interval),
        Err(why) => Err(why.into()),
    }
}

/// Returns the whole interval if the first word of a prompt continues it: `minutes` after `5`, `30m` after `1h`.
pub fn continued(interval: Duration, word: &str) -> Option<Duration> {
    let word = word.trim_end_matches([',', '.', ':']);
    let is_amount = word.starts_with(|sign: char| sign.is_ascii_digit())
        && word.ends_with(|sign: char| sign.is_ascii_alphabetic());
    if is_amount && let Ok(more) = duration::parse(word) {
        return Some(interval + more);
    }
    // A bare number of seconds was meant as a number of these units.
    let counted = format!("every {} {word}", interval.as_secs());
    match Phrase::parse(&counted, &Zone::utc(), Timestamp::UNIX_EPOCH).ok()? {
        Phrase { time: Some(PhraseTime::Interval(whole)), prompt, .. } if prompt.is_empty() => {
            Some(whole.period())
        }
        _ => None,
    }
}

/// Parses a count.
///
/// # Errors
/// The text is not a whole number from 1 to [`MAX_COUNT`].
pub fn count(text: &str) -> Result<NonZeroU64, RepetitionArgumentError> {
    let count = text.parse().ok().filter(|count: &NonZeroU64| count.get() <= MAX_COUNT);
    count.ok_or(RepetitionArgumentError::Count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases;

    #[test]
    fn durations_are_read_as_people_know_them() {
        let mut counts = 0;
        for (input, expected) in test_cases::of_repetitions("parseDurationString") {
            let read = duration::parse_or_zero(input.as_str().unwrap());
            match expected["nanos"].as_i64() {
                Some(nanos @ 0..) => {
                    assert_eq!(read, Ok(Duration::from_nanos(nanos.unsigned_abs())), "{input}");
                }
                Some(_) => assert_eq!(read, Err(DurationError::Negative), "{input}"),
                None => assert_eq!(read, Err(DurationError::Unreadable), "{input}"),
            }
            counts += 1;
        }
        assert_eq!(counts, 11);
    }

    #[test]
    fn a_word_may_continue_an_interval() {
        let seconds = Duration::from_secs;
        for (count, interval) in [(1, 60), (5, 300), (90, 5_400)] {
            for unit in ["m", "min", "mins", "minutes", "minutes:"] {
                let unit = if count == 1 { unit.replace("minutes", "minute") } else { unit.to_owned() };
                assert_eq!(continued(seconds(count), &unit), Some(seconds(interval)), "{count} {unit}");
            }
            assert_eq!(continued(seconds(count), "30m"), Some(seconds(count + 1_800)));
        }
        for word in ["check", "minutely", "3", "30", "5x", "v2", "30mb", "day's", "3d-models"] {
            assert_eq!(continued(seconds(5), word), None, "{word}");
        }
    }

    #[test]
    fn counts_have_bounds() {
        for text in ["1", "+5", "100"] {
            assert!(count(text).is_ok(), "{text}");
        }
        for text in ["0", "101", "-1", "x", "", "1.5", "99999999999999999999"] {
            assert_eq!(count(text), Err(RepetitionArgumentError::Count), "{text}");
        }
    }

    #[test]
    fn an_interval_is_more_than_nothing() {
        for text in ["0", "0s", "-5m", ""] {
            assert_eq!(interval(text), Err(RepetitionArgumentError::NoTime), "{text}");
        }
        assert_eq!(interval("1ms"), Ok(Duration::from_millis(1)));
    }
}
