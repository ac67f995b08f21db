//! Times at both ends of a text: `at 9am check the deploy every day`, `on mondays check it every hour`.
//!
//! A schedule at one end ends the search, and the rest is the prompt. But a time of day at one end and a day at the other
//! are one time. A job of one of them would fire at other times, so the text is refused. A colon begins the prompt in any
//! case.

use super::{
    PhraseError,
    clock::ClockTime,
    continued,
    grammar::{self, Spec},
    nearest,
    neighbours::continuation,
    reading::Reading,
    time_sign::is_day_part,
    word::{Word, joined},
};
use crate::interval::time_words::is_compact_like;

/// The sign for the words between two parts of a time.
pub(super) const GAP: &str = " … ";

/// The number of words in which a part of a time is looked for.
const REACH: usize = 8;

/// A part of a time that lacks another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fragment {
    /// An interval of less than a day: `every hour`.
    Interval,
    /// Days without a time of day: `every day`, `tomorrow`.
    Day,
    /// Days that repeat: `on weekdays`, `mondays`.
    Weekdays,
    /// Each week, on any day: `weekly`.
    Week,
    /// Times of day: `at 9am`.
    Time,
    /// Both, which is a whole time: `on monday at 9`.
    DayAndTime,
    /// Hours between which an interval applies: `between 9am and 5pm`.
    Hours,
}

impl Fragment {
    /// Finds the longest part at the beginning. Returns how many words it has.
    fn at_start(words: &[Word]) -> Option<(Self, usize)> {
        let most = words.len().min(REACH);
        (1..=most).rev().find_map(|length| Self::of(&words[..length]).map(|found| (found, length)))
    }

    /// Finds the longest part at the end. Returns where it begins.
    fn at_end(words: &[Word]) -> Option<(Self, usize)> {
        let first = words.len().saturating_sub(REACH);
        (first..words.len()).find_map(|start| Self::of(&words[start..]).map(|found| (found, start)))
    }

    fn of(words: &[Word]) -> Option<Self> {
        let (first, last) = (words.first()?, words.last()?);
        if first.is(&["and", "or", "&", "the", "then", "also", "once", "-"])
            || last.is(&["at", "on", "and", "or", "the"])
        {
            return None;
        }
        let reading = Reading::of(words);
        let is_named = first.is(&["on", "every", "each", "daily", "everyday", "weekly", "tomorrow"]);
        match reading {
            Some(reading) if reading.is_time() => return Some(Self::Time),
            Some(reading) if reading.is_on_weekdays() => return Some(Self::Weekdays),
            Some(reading) if reading.is_week() => return Some(Self::Week),
            Some(reading) if reading.is_day() && is_named => return Some(Self::Day),
            Some(reading) if reading.is_day_and_time() => return Some(Self::DayAndTime),
            _ => {}
        }
        let is_short =
            |spec: Spec| matches!(spec, Spec::Every(Ok(interval)) if interval.period().as_secs() < 86_400);
        let found = grammar::phrase(words).filter(|found| found.length == words.len());
        if found.is_some_and(|found| is_short(found.spec)) && first.is(&["every", "each", "hourly"]) {
            return Some(Self::Interval);
        }
        // `between 3 and 9` may be lines of a file.
        let is_timed = || {
            let is_exact = |at| ClockTime::plain(&words[at..]).is_some_and(|(time, _)| time.is_exact);
            (1..words.len())
                .any(|at| is_exact(at) || is_day_part(&words[at]) || words[at].text.starts_with(':'))
        };
        let is_frame = first.is(&["between", "from", "during", "until", "till", "at"]);
        (is_frame && continuation(words) == Some(words.len()) && is_timed()).then_some(Self::Hours)
    }

    /// Returns whether two parts are one time.
    fn completes(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Time, Self::Day | Self::Weekdays)
                | (Self::Day | Self::Weekdays, Self::Time)
                | (Self::Interval, Self::Weekdays | Self::Hours)
                | (Self::Weekdays | Self::Hours, Self::Interval)
                | (Self::Week, Self::Day | Self::Weekdays | Self::Time | Self::DayAndTime)
                | (Self::Day, Self::DayAndTime)
        )
    }
}

/// Returns the error for a text whose time is at both ends, or at one end and in the middle.
pub(super) fn error(words: &[Word]) -> Option<PhraseError> {
    let head = Fragment::at_start(words);
    let length = head.map_or(0, |(_, length)| length);
    let is_separate = words[..length].iter().any(|word| word.has_colon);
    if is_separate || (head.is_some() && continued::after(words, length, None) > 0) {
        return None;
    }
    let tail = Fragment::at_end(&words[length..]).map(|(tail, start)| (tail, length + start));
    let end = tail.map_or(words.len(), |(_, start)| start);
    // Without other words between them, the two ends are one time.
    if end <= length {
        return None;
    }
    let parts = match (head, tail) {
        (Some((head, _)), Some((tail, _))) if head.completes(tail) => [&words[..length], &words[end..]],
        (Some((Fragment::Day | Fragment::Weekdays, _)), _) => [&words[..length], clock(&words[length..end])?],
        // `30m` is a whole schedule, and the rest is the prompt.
        (None, Some((Fragment::Day | Fragment::Weekdays, _))) if !is_compact_like(&words[0].text) => {
            [clock(&words[..end])?, &words[end..]]
        }
        _ => return None,
    };
    let nearest = nearest::form(&parts.concat());
    Some(PhraseError::NotUnderstood { phrase: parts.map(joined).join(GAP), nearest })
}

/// Returns the time of day in the middle of some words: `at 9am`.
fn clock(words: &[Word]) -> Option<&[Word]> {
    // One that is directly beside the other part is no middle.
    (1..words.len()).find_map(|at| {
        let (time, length) = ClockTime::parse(&words[at + 1..]).filter(|_| words[at].is(&["at", "@"]))?;
        (time.is_exact && at + length + 1 < words.len()).then(|| &words[at..=at + length])
    })
}
