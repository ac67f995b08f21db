//! Days and times of day, in any order and number: `every tuesday at 8 and friday at 10`, `9am daily`.
//!
//! The words are read as parts, each a day or a time of day. Words that are not all parts have no reading, so what is read
//! has lost nothing.

use super::{
    clock::{ClockTime, NAMED},
    date::DayOfYear,
    days::{Days, is_clearly_a_day, is_day_range},
    nearest::clock,
    time_sign::{frequency, is_day_part},
    word::Word,
};
use crate::interval::time_words::{is_unit_like, number};

/// Words between parts.
pub(super) const LINKS: &[&str] =
    &["at", "@", "on", "and", "&", "or", "also", "then", "plus", "the", "once", "sharp", "-", "–"];

/// The days of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Weekly(Days),
    On(DayOfYear),
    Today,
    Tonight,
    Tomorrow,
    /// The next time that a clock shows it.
    Next,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Day(When),
    Time(ClockTime),
}

/// The meaning of words about days and times of day.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) parts: Vec<Part>,
    /// Whether the words say that it repeats: `every`, `mondays`.
    pub(super) recurs: bool,
    /// Whether it repeats on each day: `daily`, `every morning`.
    pub(super) is_daily: bool,
    /// Whether the words name each day: `daily`. Other days would contradict them.
    pub(super) names_each_day: bool,
    /// Whether it repeats in each week: `weekly`.
    is_weekly: bool,
    /// Whether `on`, `next` or `this` is before a day, which may then be a date.
    pub(super) is_dated: bool,
    /// Whether the only times are parts of the day: `every morning`.
    is_vague: bool,
    /// The fires of a day: 2 for `twice a day`.
    pub(super) fires: Option<usize>,
}

impl Reading {
    /// Reads some words. `None` if one of them is neither a day nor a time of day.
    pub(super) fn of(words: &[Word]) -> Option<Self> {
        let (mut reading, mut at) = (Self::default(), 0);
        while at < words.len() {
            at += reading.part(words, at)?;
        }
        Some(reading)
    }

    /// Reads the part at a position. Returns how many words it has.
    fn part(&mut self, words: &[Word], at: usize) -> Option<usize> {
        let (here, word) = (&words[at..], &words[at]);
        let is_next = |names: &[&str]| words.get(at + 1).is_some_and(|next| next.is(names));
        if let Some((count, length)) = frequency(here) {
            let unit = &words[at + length - 1];
            self.recurs = true;
            self.is_daily |= unit.is(&["day", "daily"]);
            self.is_weekly |= unit.is(&["week", "weekly"]) && count == 1.0;
            self.fires = self.is_daily.then_some(count as usize);
            return (self.is_daily || self.is_weekly).then_some(length);
        }
        if word.is(&["daily", "everyday"]) || (word.is(&["every", "each"]) && is_next(&["day"])) {
            (self.recurs, self.is_daily, self.names_each_day) = (true, true, true);
            return Some(if word.is(&["daily", "everyday"]) { 1 } else { 2 });
        }
        if word.is(&["weekly"]) || (word.is(&["every", "each"]) && is_next(&["week"])) {
            (self.recurs, self.is_weekly) = (true, true);
            return Some(if word.is(&["weekly"]) { 1 } else { 2 });
        }
        if word.is(&["every", "each"]) {
            self.recurs = true;
            let rest = &here[1..];
            let is_part = rest.first().is_some_and(|next| is_day_part(next) || next.is(NAMED));
            self.is_daily |= is_part;
            return (is_part || Days::parse(rest).is_some()).then_some(1);
        }
        let relative = match word.text.as_str() {
            "today" => Some(When::Today),
            "tonight" => Some(When::Tonight),
            "tomorrow" => Some(When::Tomorrow),
            _ => None,
        };
        if let Some((day, length)) = relative
            .map(|day| (day, 1))
            .or_else(|| DayOfYear::parse(here).map(|(day, length)| (When::On(day), length)))
        {
            self.parts.push(Part::Day(day));
            return Some(length);
        }
        if let Some((days, length)) = days(here) {
            self.recurs |= here[..length].iter().any(Days::recur);
            self.is_dated |= at > 0 && words[at - 1].is(&["on", "next", "this"]);
            self.parts.push(Part::Day(When::Weekly(days)));
            return Some(length);
        }
        if let Some((time, length)) = time(words, at) {
            self.is_vague = false;
            self.parts.push(Part::Time(time));
            return Some(length);
        }
        self.day_part(words, at).or_else(|| word.is(LINKS).then_some(1))
    }

    /// Reads `morning`, `in the evening`. It says which half of the day the time before it means, or the one behind it.
    fn day_part(&mut self, words: &[Word], at: usize) -> Option<usize> {
        let is = |at: usize, name: &str| words.get(at).is_some_and(|word| word.is(&[name]));
        let start = match () {
            () if is(at, "in") => 1 + usize::from(is(at + 1, "the")),
            () => usize::from(is(at, "this")),
        };
        let part = words.get(at + start).filter(|word| is_day_part(word) || is_plural_part(word))?;
        (self.recurs, self.is_daily) = (
            self.recurs || is_plural_part(part),
            self.is_daily || (is_plural_part(part) && self.parts.is_empty()),
        );
        let is_linked = at > 0 && words[at - 1].is(LINKS) && !words[at - 1].is(&["the"]);
        if let Some(Part::Time(time)) = self.parts.last_mut().filter(|_| at > 0 && !is_linked) {
            *time = within(*time, part)?;
            return Some(start + 1);
        }
        let next = at + start + 1;
        let joint = usize::from(words.get(next).is_some_and(|word| word.is(&["at", "@"])));
        if let Some((found, length)) = time(words, next + joint) {
            self.is_vague = false;
            self.parts.push(Part::Time(within(found, part)?));
            return Some(start + 1 + joint + length);
        }
        let usual = clock(std::slice::from_ref(part));
        let is_first = self.times().next().is_none();
        self.is_vague |= is_first;
        self.parts.push(Part::Time(ClockTime::parse(&Word::all(&usual))?.0));
        Some(start + 1)
    }

    pub(super) fn times(&self) -> impl Iterator<Item = ClockTime> {
        self.parts.iter().filter_map(|part| if let Part::Time(time) = part { Some(*time) } else { None })
    }

    pub(super) fn days(&self) -> impl Iterator<Item = When> {
        self.parts.iter().filter_map(|part| match part {
            Part::Day(day) => Some(*day),
            Part::Time(_) => None,
        })
    }

    /// Returns whether it has times of day, and nothing about days.
    pub(super) fn is_time(&self) -> bool {
        self.times().next().is_some() && !self.recurs && self.days().next().is_none()
    }

    /// Returns whether it has days, and no time of day.
    pub(super) fn is_day(&self) -> bool {
        (self.times().next().is_none() || (self.is_vague && self.recurs))
            && (self.recurs || !self.parts.is_empty())
    }

    /// Returns whether it has days and times of day.
    pub(super) fn is_day_and_time(&self) -> bool {
        self.times().next().is_some() && (self.is_daily || self.days().next().is_some())
    }

    /// Returns whether it repeats each week, on no day in particular.
    pub(super) fn is_week(&self) -> bool {
        self.parts.is_empty() && self.is_weekly && !self.is_daily
    }

    /// Returns whether it repeats on certain days of the week.
    pub(super) fn is_on_weekdays(&self) -> bool {
        self.is_day() && self.recurs && self.days().next().is_some()
    }
}

/// Returns the days that words begin with. `sat` is one before a time of day.
fn days(words: &[Word]) -> Option<(Days, usize)> {
    let (days, length) = Days::parse(words)?;
    let is_timed =
        || words.get(length).is_some_and(|word| word.is(&["at", "@"])) || time(words, length).is_some();
    (is_clearly_a_day(&words[0]) || is_day_range(&words[0].text) || is_timed()).then_some((days, length))
}

/// Returns the time of day at a position. An hour alone needs a word before it.
fn time(words: &[Word], at: usize) -> Option<(ClockTime, usize)> {
    let here = words.get(at..)?;
    let named = || ClockTime::parse(&Word::all(&number(&here.first()?.text)?.to_string()));
    let (time, length) = ClockTime::parse(here).or_else(named)?;
    let is_amount = here.get(length).is_some_and(|word| is_unit_like(&word.text));
    // `two` in `every day or two` is no hour.
    let is_vague =
        at > 1 && words[at - 1].is(&["or"]) && !words[..at].iter().any(|word| word.is(&["at", "@"]));
    (time.is_exact || length > 1 || (at > 0 && !is_amount && !is_vague)).then_some((time, length))
}

fn is_plural_part(word: &Word) -> bool {
    word.is(&["mornings", "afternoons", "evenings", "nights"])
}

/// Returns a time in the half of the day that a part of it names. `None` if it is in the other half.
fn within(time: ClockTime, part: &Word) -> Option<ClockTime> {
    match part.text.trim_end_matches('s') {
        "morning" => (time.hour < 12).then_some(time),
        "night" if time.hour < 6 => Some(time),
        _ => Some(time.in_the_evening()).filter(|time| time.hour >= 12 || time.hour == 0),
    }
}
