//! The forms of a schedule that are understood.

use super::{
    PhraseError,
    clock::ClockTime,
    days::Days,
    nearest, neighbours,
    time_sign::qualifiers,
    word::{Word, joined},
};
use crate::{
    Interval, IntervalError, IntervalUnit,
    interval::time_words::{number, split_number, unit},
};

/// A schedule as written, before a clock resolves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spec {
    Every(Result<Interval, IntervalError>),
    In(Result<Interval, IntervalError>),
    Days(Days, ClockTime),
    At(ClockTime),
    Tonight(ClockTime),
    Tomorrow(ClockTime),
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
}

/// Finds a schedule at the beginning.
///
/// # Errors
/// It continues with a time that does not belong to it: `every hour at 9`.
pub(super) fn at_start(words: &[Word]) -> Result<Option<Match>, PhraseError> {
    if let Some(interval) = words.first().and_then(|word| compact(&word.text, &word.typed)) {
        return Ok(Some(Match::new(Spec::Every(interval), 1)));
    }
    let Some(found) = phrase(words) else { return Ok(None) };
    if words[found.length - 1].has_colon {
        return Ok(Some(found));
    }
    match neighbours::after(&words[found.length..]) {
        0 => Ok(Some(found)),
        more => Err(nearest::error(&words[..words.len().min(found.length + more)])),
    }
}

/// Finds a schedule at the end: the longest, with the number of its first word.
///
/// # Errors
/// The words before it belong to the same time: `Dec 24 at 18:00`.
pub(super) fn at_end(words: &[Word]) -> Result<Option<(usize, Spec)>, PhraseError> {
    let found = (1..words.len()).find_map(|start| {
        let found = phrase(&words[start..])?;
        (start + found.length == words.len()).then_some((start, found.spec))
    });
    let Some((start, spec)) = found else { return Ok(None) };
    match neighbours::before(words, start, &spec) {
        Some(first) => Err(nearest::error(&words[first..])),
        None => Ok(Some((start, spec))),
    }
}

/// Parses the schedule that some words begin with.
fn phrase(words: &[Word]) -> Option<Match> {
    let (first, rest) = words.split_first()?;
    match first.text.as_str() {
        "every" | "each" => every(rest),
        "hourly" => Some(Match::new(Spec::Every(Interval::new(1, IntervalUnit::Hours)), 1)),
        "daily" => days_at(Days::ALL, rest).or_else(|| whole_days(1)),
        "weekly" => whole_days(7),
        "in" => after(rest),
        "at" | "@" => at(rest),
        "tomorrow" => clock(rest).map(|(time, length)| Match::new(Spec::Tomorrow(time), length + 1)),
        "tonight" => clock(rest).map(|(time, length)| Match::new(Spec::Tonight(time), length + 1)),
        "on" => {
            let (days, length) = recurring_days(rest)?;
            days_at(days, &rest[length..]).map(|found| Match::new(found.spec, found.length + length))
        }
        _ => {
            let (days, length) = recurring_days(words)?;
            days_at(days, &words[length..]).map(|found| Match::new(found.spec, found.length + length - 1))
        }
    }
}

fn whole_days(days: u64) -> Option<Match> {
    Some(Match::new(Spec::Every(Interval::new(days, IntervalUnit::Days)), 1))
}

/// Parses days that recur without `every`: `weekdays`, `mondays`.
fn recurring_days(words: &[Word]) -> Option<(Days, usize)> {
    let (days, length) = Days::parse(words)?;
    words[..length]
        .iter()
        .all(|word| word.text.ends_with('s') || word.is(&["and", "&"]))
        .then_some((days, length))
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
    // In `every second day`, the second is no unit.
    let is_counted = rest.first()?.is(&["second"]) && qualifiers(rest) > 0;
    let (interval, length) = amount(rest).filter(|_| !is_counted)?;
    Some(Match::new(Spec::Every(interval), length + 1))
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
        let (unit, factor) = whole_unit(&rest.get(1)?.text).filter(|_| rest[1].text.len() > 1)?;
        return Some(Match::new(Spec::In(Interval::new(factor, unit)), 3));
    }
    let is_unit = unit(&rest[0].text).is_some();
    let (interval, length) = amount(rest).filter(|_| !is_unit)?;
    Some(Match::new(Spec::In(interval), length + 1))
}

/// Parses what follows `at`. An hour alone may be in the morning or in the evening, so it needs a day.
fn at(rest: &[Word]) -> Option<Match> {
    let (time, length) = ClockTime::parse(rest)?;
    let after = &rest[length..];
    let more = |spec, words: usize| Some(Match::new(spec, 1 + length + words));
    match after.first().map_or("", |word| word.text.as_str()) {
        "tomorrow" => return more(Spec::Tomorrow(time), 1),
        "tonight" => return more(Spec::Tonight(time), 1),
        "daily" => return more(Spec::Days(Days::ALL, time), 1),
        "every" | "each" => {
            if let Some((days, words)) = Days::parse(&after[1..]) {
                return more(Spec::Days(days, time), words + 1);
            }
            if after.get(1).is_some_and(|word| word.is(&["day"])) {
                return more(Spec::Days(Days::ALL, time), 2);
            }
        }
        "on" => {
            if let Some((days, words)) = recurring_days(&after[1..]) {
                return more(Spec::Days(days, time), words + 1);
            }
        }
        _ => {}
    }
    time.is_exact.then(|| Match::new(Spec::At(time), 1 + length))
}

/// Parses a time of day with or without `at`. A bare hour needs the `at`.
fn clock(words: &[Word]) -> Option<(ClockTime, usize)> {
    if words.first()?.is(&["at", "@"]) {
        return ClockTime::parse(&words[1..]).map(|(time, length)| (time, length + 1));
    }
    ClockTime::parse(words).filter(|(time, _)| time.is_exact)
}

/// Parses an amount of time: `20m`, `20 minutes`, `five minutes`, `minute`.
fn amount(words: &[Word]) -> Option<(Result<Interval, IntervalError>, usize)> {
    let first = words.first()?;
    if let Some(interval) = compact(&first.text, &first.typed) {
        return Some((interval, 1));
    }
    if first.text.len() > 1
        && let Some((unit, factor)) = whole_unit(&first.text)
    {
        return Some((Interval::new(factor, unit), 1));
    }
    let (unit, factor) = whole_unit(&words.get(1)?.text)?;
    if first.text.bytes().all(|byte| byte.is_ascii_digit()) {
        let amount = first.text.parse::<u64>().ok().and_then(|amount| amount.checked_mul(factor));
        let too_long = || Interval::from_digits(&first.text, unit);
        return Some((amount.map_or_else(too_long, |amount| Interval::new(amount, unit)), 2));
    }
    Some((Interval::new(number(&first.text)? * factor, unit), 2))
}

/// Returns a unit that people write out; a week is seven days.
fn whole_unit(text: &str) -> Option<(IntervalUnit, u64)> {
    match text {
        "week" | "weeks" => Some((IntervalUnit::Days, 7)),
        _ => unit(text).map(|unit| (unit, 1)),
    }
}

/// Parses digits with the letter of a unit. `M` may mean months.
fn compact(text: &str, typed: &str) -> Option<Result<Interval, IntervalError>> {
    let (digits, letter) = split_number(text);
    let unit = IntervalUnit::of_letter(letter).filter(|_| !digits.is_empty() && !typed.ends_with('M'))?;
    Some(Interval::from_digits(digits, unit))
}

/// Returns the schedule that some words contain anywhere, as typed.
pub(super) fn inside(words: &[Word]) -> Option<String> {
    let mut starts = 1..words.len();
    starts.find_map(|start| phrase(&words[start..]).map(|found| joined(&words[start..start + found.length])))
}
