//! The nearest form of a schedule to words of time that are not one.

use super::{
    PhraseError,
    amounts::{amount, calendar, compound, per},
    clock::{ClockTime, is_clock_like},
    cron_fields,
    days::{Days, is_day_or_month, is_day_range},
    grammar::{self, Spec},
    time_sign::{is_day_part, is_ordinal, is_time, qualifiers},
    word::{Word, joined},
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like, number};

/// The form if no other is near.
const DEFAULT: &str = "every 10m";

/// The number of words in which the parts of one time are looked for.
const REACH: usize = 8;

/// The range of intervals that every job can keep, in minutes.
const MINUTES: std::ops::RangeInclusive<f64> = 1.0..=44_640.0;

/// Finds words of time. Returns them, and the nearest form of a schedule.
pub(super) fn find(words: &[Word]) -> Option<(String, String)> {
    let at = (0..words.len()).find(|at| is_time(words, *at))?;
    let here = &words[at..words.len().min(at + REACH)];
    Some((joined(&here[..length(here)]), form(here)))
}

/// Returns the error for a schedule with a time that does not belong to it.
pub(super) fn error(words: &[Word]) -> PhraseError {
    PhraseError::NotUnderstood { phrase: joined(words), nearest: form(&words[..words.len().min(REACH)]) }
}

/// Returns the nearest form that works.
fn form(words: &[Word]) -> String {
    // `at 9am` in `every other day at 9am` would fire once.
    let has_form = words[0].is(&["every", "each", "daily", "hourly", "weekly", "tomorrow", "tonight"])
        || is_day_or_month(&words[0])
        || is_day_range(&words[0].text);
    let inside = || grammar::inside(words);
    let found = if has_form { None } else { inside() }.unwrap_or_else(|| nearest(words));
    Some(found)
        .filter(|form| works(form))
        .or_else(inside)
        .filter(|form| works(form))
        .unwrap_or_else(|| DEFAULT.to_owned())
}

/// Returns how many words belong to the time.
fn length(words: &[Word]) -> usize {
    let is_more = |word: &Word| {
        is_number_like(&word.text)
            || is_unit_like(&word.text)
            || is_compact_like(&word.text)
            || is_clock_like(word)
            || is_day_or_month(word)
            || is_day_part(word)
            || is_day_range(&word.text)
            || is_ordinal(word)
            || Days::parse(std::slice::from_ref(word)).is_some()
            || word.is(&["at", "noon", "midnight", "other", "single", "half", "quarter", "past", "o'clock"])
    };
    let start = match words[0].is(&["every", "each", "in"]) {
        true => qualifiers(&words[1..]),
        false => 0,
    };
    let more = start + words[1 + start..].iter().take_while(|word| is_more(word)).count();
    let ends_with_at = words[..=more].last().is_some_and(|word| more > 0 && word.is(&["at"]));
    1 + more - usize::from(ends_with_at)
}

/// Returns whether a form is a schedule that can be kept, and nothing else.
fn works(form: &str) -> bool {
    let words = Word::all(form);
    let can_be_kept = |spec: &Spec| match spec {
        Spec::Every(interval) | Spec::In(interval) => interval.as_ref().is_ok_and(|interval| {
            let minutes = interval.period().as_secs_f64() / 60.0;
            MINUTES.contains(&minutes)
        }),
        _ => true,
    };
    let is_phrase = || {
        grammar::at_start(&words)
            .is_ok_and(|found| found.is_some_and(|it| it.length == words.len() && can_be_kept(&it.spec)))
    };
    cron_fields::at_start(form, &words).is_ok_and(|found| found.is_some()) || is_phrase()
}

/// Returns a form that is close to words of time. It may not be a schedule.
fn nearest(words: &[Word]) -> String {
    let first = words[0].text.trim_start_matches('@');
    let second = words.get(1).map_or("", |word| word.text.as_str());
    let time = clock(words);
    match first {
        "tomorrow" => format!("tomorrow at {time}"),
        "tonight" => "tonight at 9".to_owned(),
        "noon" | "midnight" => format!("at {first}"),
        "weekdays" => format!("weekdays at {time}"),
        "daily" | "hourly" | "weekly" => first.to_owned(),
        "monthly" | "yearly" | "annually" | "quarterly" => calendar(first).to_owned(),
        "nightly" => "every day at 23:00".to_owned(),
        "everyday" => "every day".to_owned(),
        "biweekly" | "bi-weekly" | "fortnightly" => "every 2 weeks".to_owned(),
        "at" => format!("at {time}"),
        "in" if words.iter().take(3).any(is_day_part) => format!("at {time}"),
        "in" => after(&words[1..]),
        "every" | "each" => repeated(&words[1..], &time),
        _ if is_clock_like(&words[0]) || second == "o'clock" => format!("at {time}"),
        _ if is_day_or_month(&words[0]) || is_day_range(first) => on_days(words, &time),
        _ if is_unit_like(second) => every(first, second),
        _ if is_compact_like(first) => compound(first).map_or_else(|| DEFAULT.to_owned(), interval),
        _ => cron(words),
    }
}

/// Returns the form for words after `every`.
fn repeated(rest: &[Word], time: &str) -> String {
    let count = qualifiers(rest);
    let (qualifiers, rest) = rest.split_at(count);
    let Some(unit) = rest.first() else { return DEFAULT.to_owned() };
    let is_work = qualifiers.iter().any(|word| word.is(&["working", "business"]));
    let amount = qualifiers.iter().find(|word| amount(&word.text).is_some() || is_ordinal(word));
    match unit.text.as_str() {
        "day" | "days" if is_work => format!("weekdays at {time}"),
        "month" | "months" | "year" | "years" | "quarter" if !is_unit_like(second(rest)) => {
            calendar(&unit.text).to_owned()
        }
        "quarter" => every("quarter", second(rest)),
        "fortnight" | "fortnights" => "every 2 weeks".to_owned(),
        _ if is_day_part(unit) => format!("every day at {time}"),
        _ if Days::parse(rest).is_some() || is_day_range(&unit.text) => on_days(rest, time),
        _ if is_compact_like(&unit.text) => compound(&unit.text).map_or_else(|| DEFAULT.to_owned(), interval),
        "day" if amount.is_none() && rest[1..].iter().any(|word| word.is(&["at"]) || is_clock_like(word)) => {
            format!("every day at {time}")
        }
        _ => amount.map_or_else(
            || format!("every {}", unit.text.trim_end_matches('s')),
            |it| every(&it.text, &unit.text),
        ),
    }
}

fn second(words: &[Word]) -> &str {
    words.get(1).map_or("", |word| word.text.as_str())
}

/// Returns the form for days: `monday`, `mon-fri`, `tue/thu`.
fn on_days(words: &[Word], time: &str) -> String {
    let text = words[0].text.trim_end_matches("'s");
    if let Some((first, last)) = text.split_once('-').filter(|_| is_day_range(text)) {
        let is_week = (first.get(..3), last.get(..3)) == (Some("mon"), Some("fri"));
        return if is_week { format!("weekdays at {time}") } else { format!("every {first} at {time}") };
    }
    let days = text.replace(['/', ','], " and ");
    let days = if is_day_range(text) { days } else { days.trim_end_matches('s').to_owned() };
    format!("every {days} at {time}")
}

/// Returns the form for words after `in`.
fn after(rest: &[Word]) -> String {
    let number = rest.iter().take(3).find_map(|word| amount(&word.text));
    let unit = rest.iter().take(4).find(|word| word.text.len() > 1 && is_unit_like(&word.text));
    let minutes = match unit {
        Some(unit) => per(&unit.text).map(|per| number.unwrap_or(1.0) * per),
        None => number.or_else(|| rest.first().and_then(|word| compound(&word.text))),
    };
    match minutes.map(f64::round).filter(|minutes| MINUTES.contains(minutes)) {
        Some(minutes) => format!("in {minutes} minutes"),
        None => "in 20 minutes".to_owned(),
    }
}

/// Returns five numbers that look like an expression, wherever they are.
fn cron(words: &[Word]) -> String {
    match cron_fields::is_in_the_middle(words) {
        true => words.iter().take(5).map(|word| word.typed.as_str()).collect::<Vec<_>>().join(" "),
        false => DEFAULT.to_owned(),
    }
}

/// Returns the time of day in some words: an exact one, or an hour after `at`. Nine in the morning without one.
fn clock(words: &[Word]) -> String {
    let is_late = words.iter().any(|word| word.is(&["evening", "night", "tonight"]));
    let found = (0..words.len()).find_map(|at| {
        let is_after_at = at > 0 && words[at - 1].is(&["at", "@"]);
        let dotted = || ClockTime::parse(&Word::all(&words[at].text.replace('.', ":")));
        let found = ClockTime::parse(&words[at..]).or_else(|| dotted().filter(|_| is_after_at));
        let named = || ClockTime::parse(&Word::all(&number(&words[at].text)?.to_string()));
        let found = found.or_else(|| named().filter(|_| is_after_at));
        found.map(|(time, _)| time).filter(|time| time.is_exact || is_after_at)
    });
    let time = found.map(|time| if is_late { time.in_the_evening() } else { time });
    time.map_or_else(|| "9:00".to_owned(), |time| time.to_string())
}

/// Returns the form for a number of units, as it is written if that works.
fn every(number: &str, unit: &str) -> String {
    let Some((number_of, per)) = amount(number).zip(per(unit)) else { return calendar(unit).to_owned() };
    let written = format!("every {number} {unit}");
    if works(&written) {
        return written;
    }
    let plural = if unit.ends_with('s') { unit.to_owned() } else { format!("{unit}s") };
    let counted = format!("every {number_of} {plural}");
    if works(&counted) { counted } else { interval(number_of * per) }
}

/// Returns the form for an interval of this many minutes.
fn interval(minutes: f64) -> String {
    match minutes {
        ..1.0 => "every 1m".to_owned(),
        _ if MINUTES.contains(&minutes) => format!("every {minutes:.0}m"),
        _ => calendar("month").to_owned(),
    }
}
