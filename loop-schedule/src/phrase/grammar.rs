//! The forms of a schedule that are understood.

use super::{
    PhraseError, clauses,
    clock::{ClockTime, NAMED},
    continued,
    date::DayOfYear,
    days::Days,
    found, neighbours,
    shapes::is_whole,
    time_sign::qualifiers,
    word::{Word, joined},
};
use crate::{
    Interval, IntervalError, IntervalUnit,
    duration::{self, DurationError},
    interval::time_words::{number, unit},
};
use std::time::Duration;

/// A schedule as written, before a clock resolves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spec {
    Every(Result<Interval, IntervalError>),
    In(Result<Duration, PhraseError>),
    Days(Days, ClockTime),
    At(ClockTime),
    On(DayOfYear, ClockTime),
    Today(ClockTime),
    Tonight(ClockTime),
    Tomorrow(ClockTime),
}

impl Spec {
    pub(super) const fn is_interval(&self) -> bool {
        matches!(self, Self::Every(_) | Self::In(_))
    }
}

/// A schedule at the start of some words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) spec: Spec,
    /// How many words it has.
    pub(super) length: usize,
}

impl Match {
    fn new(spec: Spec, length: usize) -> Self {
        Self { spec, length }
    }

    /// Returns false for an hour of a night that could be early or late.
    fn is_clear(&self) -> bool {
        !matches!(self.spec, Spec::Tonight(time) if !time.is_clear_at_night())
    }
}

/// Finds a schedule at the beginning.
///
/// # Errors
/// It continues with a time that does not belong to it: `every hour at 9`.
pub(super) fn at_start(words: &[Word]) -> Result<Option<Match>, PhraseError> {
    if let Some((amount, length)) = compact(words) {
        return match continued::is_number_alone(&words[length - 1..]) {
            true => Err(found::error(words, 0, length + 1)),
            false => Ok(Some(Match::new(Spec::Every(amount.parse()), length))),
        };
    }
    let Some(found) = phrase(words) else { return Ok(None) };
    if words[found.length - 1].has_colon {
        return Ok(Some(found));
    }
    match continued::after(words, found.length, Some(&found.spec)) {
        0 if !is_listed(words, found.length) => Ok(Some(found)),
        _ => Err(found::error(words, 0, found.length)),
    }
}

/// Returns whether another day or time of day is linked to a schedule: `today at 5pm and tomorrow at 9am`.
fn is_listed(words: &[Word], length: usize) -> bool {
    let is_linked =
        words[length - 1].has_comma || words.get(length).is_some_and(|word| word.is(&["and", "or", "&"]));
    is_linked && clauses::around(words, 0, length).end > length
}

/// Finds a schedule at the end: the longest, with the number of its first word. Words of thanks may follow it.
///
/// # Errors
/// The words before it belong to the same time: `friday at 18:00`.
pub(super) fn at_end(words: &[Word]) -> Result<Option<(usize, Spec)>, PhraseError> {
    const THANKS: &[&str] = &["please", "pls", "thanks", "thank", "you"];
    let thanks = words.iter().rev().take_while(|word| word.is(THANKS)).count();
    let words = &words[..words.len() - thanks];
    let found = (1..words.len()).find_map(|start| {
        let found = phrase(&words[start..])?;
        (start + found.length == words.len()).then_some((start, found.spec))
    });
    let Some((start, spec)) = found else { return Ok(None) };
    let first = clauses::around(words, start, words.len()).start;
    match neighbours::before(words, start, &spec).or_else(|| (first < start).then_some(first)) {
        Some(first) => Err(found::error_at_end(words, first)),
        None => Ok(Some((start, spec))),
    }
}

/// Parses the schedule that some words begin with.
pub(super) fn phrase(words: &[Word]) -> Option<Match> {
    let (first, rest) = words.split_first()?;
    if let Some((spec, length)) = on_a_date(words).or_else(|| from_now(words)) {
        return Some(Match::new(spec, length));
    }
    let one_word = |found: Option<Match>| found.map(|found| Match::new(found.spec, found.length + 1));
    let at_time =
        |spec: fn(ClockTime) -> Spec| clock(rest).map(|(time, length)| Match::new(spec(time), length + 1));
    match first.text.as_str() {
        "every" | "each" => every(rest),
        "once" if rest.first()?.is(&["every", "each", "at", "@", "today", "tomorrow", "tonight"]) => {
            one_word(phrase(rest))
        }
        "hourly" => Some(Match::new(Spec::Every("1h".parse()), 1)),
        "daily" => days_at(Days::ALL, rest).or_else(|| whole_days(1)),
        "weekly" => whole_days(7),
        "in" => after(rest),
        "at" | "@" => at(rest),
        "today" => at_time(Spec::Today),
        "tomorrow" => at_time(Spec::Tomorrow),
        "tonight" => at_time(Spec::Tonight).filter(Match::is_clear),
        "on" => {
            let (days, length) = recurring_days(rest)?;
            days_at(days, &rest[length..]).map(|found| Match::new(found.spec, found.length + length))
        }
        _ if let Some((time, length)) = ClockTime::parse(words).filter(|(time, _)| time.is_exact) => {
            on_days(time, &words[length..]).map(|(spec, more)| Match::new(spec, length + more))
        }
        _ => {
            let (days, length) = recurring_days(words)?;
            days_at(days, &words[length..]).map(|found| Match::new(found.spec, found.length + length - 1))
        }
    }
}

/// Parses a time of day on a date: `on December 24 at 18:00`, `2026-12-24 18:00`, `at 18:00 on 24 Dec`.
fn on_a_date(words: &[Word]) -> Option<(Spec, usize)> {
    let on = usize::from(words.first()?.is(&["on", "at"]));
    if let Some((date, time)) = words.get(on)?.text.split_once('t')
        && let (Some((day, 1)), Some((time, 1))) = (
            DayOfYear::parse(&Word::all(date)),
            ClockTime::parse(&Word::all(time)).filter(|(time, _)| time.is_exact),
        )
    {
        return Some((Spec::On(day, time), on + 1));
    }
    if let Some((day, length)) = DayOfYear::parse(&words[on..]) {
        let (time, more) = clock(&words[on + length..])?;
        return Some((Spec::On(day, time), on + length + more));
    }
    let (time, length) = clock(words)?;
    let on = usize::from(words.get(length)?.is(&["on"]));
    let (day, more) = DayOfYear::parse(&words[length + on..])?;
    Some((Spec::On(day, time), length + on + more))
}

/// Parses an amount of time before `from now`.
fn from_now(words: &[Word]) -> Option<(Spec, usize)> {
    let article = usize::from(words.first()?.is(&["a", "an"]));
    let (amount, length) = amount(&words[article..])?;
    let length = article + length;
    let is_whole = words.get(length)?.is(&["from"]) && words.get(length + 1)?.is(&["now"]);
    is_whole.then(|| (in_(&amount), length + 2))
}

fn whole_days(days: u64) -> Option<Match> {
    Some(Match::new(Spec::Every(format!("{days}d").parse()), 1))
}

/// Parses days that recur without `every`: `weekdays`, `mondays`.
fn recurring_days(words: &[Word]) -> Option<(Days, usize)> {
    let (days, length) = Days::parse(words)?;
    let words = &words[..length];
    let recur = words.iter().any(|word| word.is(&["to", "through", "thru", "-", "–"]))
        || words.iter().all(|word| Days::recur(word) || word.is(&["and", "&"]));
    recur.then_some((days, length))
}

/// Parses what follows `every`.
fn every(rest: &[Word]) -> Option<Match> {
    if let Some((days, length)) = Days::parse(rest) {
        let found = days_at(days, &rest[length..])?;
        return Some(Match::new(found.spec, found.length + length));
    }
    if rest.first()?.is(&["day"])
        && let Some(found) = days_at(Days::ALL, &rest[1..])
    {
        return Some(Match::new(found.spec, found.length + 1));
    }
    if rest.first()?.is(NAMED) {
        return days_at(Days::ALL, rest);
    }
    // In `every second day`, the second is no unit.
    let is_counted = rest.first()?.is(&["second"]) && qualifiers(rest) > 0;
    let (amount, length) = amount(rest).filter(|_| !is_counted)?;
    Some(Match::new(Spec::Every(amount.parse()), length + 1))
}

/// Parses a time of day after days. Counts the word before as well.
fn days_at(days: Days, words: &[Word]) -> Option<Match> {
    let (time, length) = clock(words)?;
    Some(Match::new(Spec::Days(days, time), length + 1))
}

/// Parses what follows `in`.
fn after(rest: &[Word]) -> Option<Match> {
    let is_one = rest.first()?.is(&["a", "an"]);
    if is_one {
        let (amount, _) = amount(&rest[1..]).filter(|(_, length)| *length == 1 && rest[1].is_unit())?;
        return Some(Match::new(in_(&amount), 3));
    }
    let is_unit = unit(&rest[0].text).is_some();
    let (amount, length) = amount(rest).filter(|_| !is_unit)?;
    // `in ten minutes' time`.
    let is_verb =
        rest.get(length + 1).is_some_and(|word| word.is(&["the", "a", "an", "it", "each", "all", "how"]));
    let is_possessive = rest[length - 1].is_possessive || !(is_verb || rest[length - 1].has_comma);
    let has_time = is_possessive && rest.get(length).is_some_and(|word| word.is(&["time"]));
    Some(Match::new(in_(&amount), length + 1 + usize::from(has_time)))
}

/// Parses what follows `at`. An hour alone may be in the morning or in the evening, so it needs a day.
fn at(rest: &[Word]) -> Option<Match> {
    let (time, length) = ClockTime::parse(rest)?;
    match on_days(time, &rest[length..]) {
        Some((spec, _)) if spec == Spec::Tonight(time) && !time.is_clear_at_night() => None,
        Some((spec, words)) => Some(Match::new(spec, 1 + length + words)),
        None => time.is_exact.then(|| Match::new(Spec::At(time), 1 + length)),
    }
}

/// Parses the days behind a time of day: `tomorrow`, `every weekday`, `on mondays`.
fn on_days(time: ClockTime, words: &[Word]) -> Option<(Spec, usize)> {
    let (first, rest) = words.split_first()?;
    let recurring =
        |words: &[Word]| recurring_days(words).map(|(days, length)| (Spec::Days(days, time), length));
    match first.text.as_str() {
        "today" => Some((Spec::Today(time), 1)),
        "tomorrow" => Some((Spec::Tomorrow(time), 1)),
        "tonight" => Some((Spec::Tonight(time), 1)),
        "daily" => Some((Spec::Days(Days::ALL, time), 1)),
        "every" | "each" if rest.first()?.is(&["day"]) => Some((Spec::Days(Days::ALL, time), 2)),
        "every" | "each" => Days::parse(rest).map(|(days, length)| (Spec::Days(days, time), length + 1)),
        "on" => recurring(rest).map(|(spec, length)| (spec, length + 1)),
        _ => recurring(words),
    }
}

/// Parses a time of day with or without `at`. A bare hour needs the `at`.
pub(super) fn clock(words: &[Word]) -> Option<(ClockTime, usize)> {
    if words.first()?.is(&["at", "@"]) {
        return ClockTime::parse(&words[1..]).map(|(time, length)| (time, length + 1));
    }
    ClockTime::parse(words).filter(|(time, _)| time.is_exact)
}

/// Parses an amount of time: `20m`, `20 minutes`, `five minutes`, `minute`. Returns it as `20m`.
fn amount(words: &[Word]) -> Option<(String, usize)> {
    let first = words.first()?;
    if let Some(found) = compact(words) {
        return Some(found);
    }
    let written = |sign: &str, count: u64, (unit, factor): (IntervalUnit, u64)| {
        format!("{sign}{}{}", count.saturating_mul(factor), unit.letter())
    };
    if let Some(unit) = whole_unit(&first.text).filter(|_| first.text.len() > 1) {
        return Some((written("", 1, unit), 1));
    }
    let unit = whole_unit(&words.get(1)?.text)?;
    let digits = first.text.trim_start_matches(['-', '−']);
    let sign = if digits.len() < first.text.len() { "-" } else { "" };
    let count = match is_whole(digits) {
        true => digits.parse().unwrap_or(u64::MAX),
        false if first.is(&["zero"]) => 0,
        false => number(&first.text)?,
    };
    Some((written(sign, count, unit), 2))
}

/// Returns the fire after an amount of time.
fn in_(amount: &str) -> Spec {
    Spec::In(match duration::parse(amount) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Ok(_) | Err(DurationError::Negative) => Err(PhraseError::Now),
        Err(DurationError::TooLong) => Err(PhraseError::AfterTheEnd),
        Err(DurationError::Unreadable) => {
            Err(IntervalError::Malformed { interval: amount.to_owned() }.into())
        }
    })
}

/// Returns a unit that people write out; a week is seven days.
fn whole_unit(text: &str) -> Option<(IntervalUnit, u64)> {
    match text {
        "week" | "weeks" => Some((IntervalUnit::Days, 7)),
        _ => unit(text).map(|unit| (unit, 1)),
    }
}

/// Parses numbers with the letters of units: `20m`, `1h30m`, `1h 30m`, `1.5h`. `M` may mean months.
fn compact(words: &[Word]) -> Option<(String, usize)> {
    let typed = |at: usize| words.get(at).map(|word| word.typed.as_str()).filter(|typed| is_compact(typed));
    let first = typed(0)?;
    // A smaller unit continues the amount: `1h 30m`, but not `5m 5m`.
    let second = typed(1)
        .filter(|second| unit_of(second) < unit_of(first) && !words[0].has_comma && !words[0].has_colon);
    let text = second.map_or_else(|| first.to_owned(), |second| format!("{first}{second}"));
    Some((text, 1 + usize::from(second.is_some())))
}

/// Returns whether a text is numbers with the letters of units, all of them small.
fn is_compact(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_digit())
        && text.ends_with(['s', 'm', 'h', 'd'])
        && text.bytes().all(|sign| sign.is_ascii_digit() || b".smhd".contains(&sign))
        && !matches!(duration::parse(text), Err(DurationError::Unreadable))
}

/// Returns the seconds in the last unit of a text.
fn unit_of(text: &str) -> u64 {
    let letter = text.get(text.len() - 1..).and_then(IntervalUnit::of_letter);
    letter.map_or(0, IntervalUnit::seconds)
}

/// Returns the schedule that some words contain anywhere, as typed.
pub(super) fn inside(words: &[Word]) -> Option<String> {
    let mut starts = 1..words.len();
    starts.find_map(|start| phrase(&words[start..]).map(|found| joined(&words[start..start + found.length])))
}
