//! Times of day: `9`, `9:30`, `8am`, `8 pm`, `noon`.

use std::fmt;

use jiff::{Timestamp, ToSpan as _, civil};

use super::word::Word;
use crate::{TimeError, Zone, parse_time};

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
        let first = words.first()?.text.as_str();
        let named = |hour| Self { hour, minute: 0, is_exact: true, has_half: true };
        match first {
            "noon" => return Some((named(12), 1)),
            "midnight" => return Some((named(0), 1)),
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
        let (hour, is_exact) = (hour.parse::<u8>().ok()?, minute.is_some() || half.is_some());
        let minute = minute.map_or(Some(0), |minute| minute.parse().ok()).filter(|minute| *minute < 60)?;
        let hour = match half {
            Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
            None if hour < 24 => hour,
            _ => return None,
        };
        let has_word = words.get(length).is_some_and(|word| word.is(&["o'clock", "o’clock"]));
        Some((Self { hour, minute, is_exact, has_half: half.is_some() }, length + usize::from(has_word)))
    }

    /// Returns the same time in the evening, if its author did not say which half of the day.
    pub(super) fn in_the_evening(self) -> Self {
        let hour = if !self.has_half && (1..12).contains(&self.hour) { self.hour + 12 } else { self.hour };
        Self { hour, ..self }
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
        let time = civil::Time::constant(0, 0, 0, 0).saturating_add(i64::from(self.hour).hours());
        let time = day.to_datetime(time.saturating_add(i64::from(self.minute).minutes()));
        parse_time(&time.to_string(), zone, now)
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
    let has_half = text.strip_suffix("am").or_else(|| text.strip_suffix("pm"));
    let digits = has_half.unwrap_or(&text);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = digits.split_once(':').is_some_and(|(hour, minute)| is_digits(hour) && is_digits(minute));
    is_time || (has_half.is_some() && is_digits(digits))
}
