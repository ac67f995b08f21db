//! Times of day: `9`, `9:30`, `8am`, `8 pm`, `half past nine`, `noon`.

use std::fmt;

use jiff::{Timestamp, ToSpan as _, civil};

use super::word::Word;
use crate::{TimeError, Zone, interval::time_words::number, parse_time};

/// Names of times of day.
pub(super) const NAMED: &[&str] = &["noon", "midday", "midnight"];

/// A time of day, to the minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockTime {
    pub(super) hour: u8,
    pub(super) minute: u8,
    /// Whether its author wrote more than a bare hour.
    pub(super) is_exact: bool,
    /// Whether its author wrote `am`, `pm`, `noon` or `midnight`.
    has_half: bool,
}

impl ClockTime {
    /// Parses the time that these words begin with. Returns how many words it has.
    pub(super) fn parse(words: &[Word]) -> Option<(Self, usize)> {
        Self::around_the_hour(words).or_else(|| Self::plain(words))
    }

    /// Parses a time without minutes before the hour: `9 to 5` is a range here.
    pub(super) fn plain(words: &[Word]) -> Option<(Self, usize)> {
        let first = words.first()?.text.as_str();
        let named = |hour| Self { hour, minute: 0, is_exact: true, has_half: true };
        let sharp =
            |length: usize| length + usize::from(words.get(length).is_some_and(|word| word.is(&["sharp"])));
        match first {
            "noon" | "midday" => return Some((named(12), sharp(1))),
            "midnight" => return Some((named(0), sharp(1))),
            _ => {}
        }
        let half = |word: &str| match word.replace('.', "").as_str() {
            "am" => Some(0),
            "pm" => Some(12),
            _ => None,
        };
        let letters = first.find(|sign: char| sign.is_ascii_alphabetic()).unwrap_or(first.len());
        let (digits, suffix) = first.split_at(letters);
        let (half, length) = match (half(suffix), words.get(1)) {
            (None, _) if !suffix.is_empty() => return None,
            (None, Some(second)) if half(&second.text).is_some() => (half(&second.text), 2),
            (half, _) => (half, 1),
        };
        let (hour, minute) =
            digits.split_once(':').map_or((digits, None), |(hour, minute)| (hour, Some(minute)));
        let is_number = |digits: &str, most: usize| {
            (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(hour, 2) || !minute.is_none_or(|minute| minute.len() == 2 && is_number(minute, 2)) {
            return None;
        }
        let minute_is_written = minute.is_some();
        let (hour, is_exact) = (hour.parse::<u8>().ok()?, minute.is_some() || half.is_some());
        let minute = minute.map_or(Some(0), |minute| minute.parse().ok()).filter(|minute| *minute < 60)?;
        let hour = match half {
            Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
            None if hour < 24 => hour,
            _ => return None,
        };
        if hour == 12 && half.is_none() && words.get(length).is_some_and(|word| word.is(NAMED)) {
            let (time, more) = Self::plain(&words[length..])?;
            return Some((time, length + more));
        }
        let has_word = words.get(length).is_some_and(|word| {
            word.is(&["o'clock", "o’clock"]) || (minute_is_written && word.is(&["hrs", "hours"]))
        });
        let length = sharp(length + usize::from(has_word));
        Some((Self { hour, minute, is_exact, has_half: half.is_some() }, length))
    }

    /// Parses minutes before or after an hour: `half past nine`, `quarter to 9am`.
    fn around_the_hour(words: &[Word]) -> Option<(Self, usize)> {
        let minutes = match words.first()?.text.as_str() {
            "half" => 30,
            "quarter" => 15,
            text => text.parse().ok().or_else(|| number(text)).and_then(|it| u8::try_from(it).ok())?,
        };
        let unit = usize::from(words.get(1).is_some_and(|word| word.is(&["minutes", "min"])));
        let is_before = match words.get(1 + unit)?.text.as_str() {
            "past" => false,
            "to" => true,
            _ => return None,
        };
        // `9 to 5` is a range.
        if unit == 0 && minutes % 5 != 0 {
            return None;
        }
        let hour = words.get(2 + unit).filter(|hour| !hour.text.contains(':'))?;
        let (time, length) = match number(&hour.text) {
            Some(hour @ 1..=12) => {
                let hour = u8::try_from(hour).ok()?;
                (Self { hour, minute: 0, is_exact: true, has_half: false }, 1)
            }
            _ => Self::plain(&words[2 + unit..]).filter(|(time, _)| time.hour <= 12 || time.has_half)?,
        };
        let (hour, minute) = match is_before {
            _ if !(1..60).contains(&minutes) => return None,
            true => ((time.hour + 23) % 24, 60 - minutes),
            false => (time.hour, minutes),
        };
        Some((Self { hour, minute, is_exact: true, ..time }, 2 + unit + length))
    }

    /// Returns the same time in the evening, if its author did not say which half of the day.
    pub(super) fn in_the_evening(self) -> Self {
        let hour = if !self.has_half && (1..12).contains(&self.hour) { self.hour + 12 } else { self.hour };
        Self { hour, ..self }
    }

    /// Returns whether it is clear which half of the day is meant by `tonight`: 3 could be early or late.
    pub(super) fn is_clear_at_night(self) -> bool {
        self.has_half || !matches!(self.hour, 1..=5 | 12)
    }

    /// Returns when the clocks of the zone show it next.
    pub(super) fn next(self, zone: &Zone, now: Timestamp) -> Result<Timestamp, TimeError> {
        parse_time(&format!("{:02}:{:02}", self.hour, self.minute), zone, now)
    }

    /// Returns when the clocks of the zone show it, this many days from today. Midnight is at the end of tonight.
    pub(super) fn on_day(self, days: i64, zone: &Zone, now: Timestamp) -> Result<Timestamp, TimeError> {
        let today = now.to_zoned(zone.rules().clone()).date();
        let ends_today = days == 0 && (self.hour, self.minute) == (0, 0);
        let day = today.saturating_add((days + i64::from(ends_today)).days());
        parse_time(&day.to_datetime(self.civil()).to_string(), zone, now)
    }

    /// Returns the same time of the calendar.
    pub(super) fn civil(&self) -> civil::Time {
        let hour = civil::Time::midnight().saturating_add(i64::from(self.hour).hours());
        hour.saturating_add(i64::from(self.minute).minutes())
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02}", self.hour, self.minute)
    }
}

/// Returns whether a word looks like a time of day, valid or not: `9:30`, `25:00`, `8am`.
pub(super) fn is_clock_like(word: &Word) -> bool {
    let text = word.text.replace('.', "");
    let has_half = ["am", "pm", "a", "p"].iter().find_map(|half| text.strip_suffix(half));
    let digits = has_half.unwrap_or(&text);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = digits.split_once(':').is_some_and(|(hour, minute)| is_digits(hour) && is_digits(minute));
    is_time || (has_half.is_some() && is_digits(digits))
}
