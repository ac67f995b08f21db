//! Whether a form keeps the numbers and the names of the words that it is proposed for.
//!
//! The law of all proposals: each number, day, month and unit of the refused words is in the form, or in an interval of
//! the same length. A form without one of them fires at other times, and people copy it without reading it twice.

use super::{
    amounts::{amount, total},
    atoms::is_joined_time,
    clock::ClockTime,
    continued::is_fires,
    cron_fields,
    days::{Days, is_clearly_a_day, is_month, month},
    edge::recurs,
    grammar::{self, Spec},
    moments::HOLIDAYS,
    same_meaning::LIMITS,
    shapes::{is_whole, starts_with_number},
    time_sign::{frequency, is_ordinal},
    vocabulary::is_notation,
    word::Word,
};
use crate::interval::time_words::{is_compact_like, number};
use std::time::Duration;

/// Words that no form means.
const NEVER: &[&str] = &[
    "yesterday",
    "before",
    "within",
    "under",
    "than",
    "over",
    "eve",
    "bimonthly",
    "moment",
    "bit",
    "while",
    "max",
    "maximum",
    "jitter",
    "±",
    "+-",
    "+/-",
    "unless",
    "never",
    "don't",
    "starting",
    "beginning",
    "overmorrow",
];

/// Words that no form of a single fire or of an interval means.
const BOUNDS: &[&str] =
    &["not", "until", "till", "by", "except", "without", "minus", "since", "for", "overnight"];

/// Words that no form of a single fire means. `from now` is one.
const MOVED: &[&str] = &["from", "now"];

/// Returns whether a form keeps all numbers, days, months and units.
pub(super) fn keeps(words: &[Word], form: &str) -> bool {
    let is_cron = cron_fields::at_start(form, &Word::all(form)).is_ok_and(|found| found.is_some());
    let spec = grammar::phrase(&Word::all(form)).map(|found| found.spec).filter(|_| !is_cron);
    let repeats = matches!(spec, None | Some(Spec::Every(_) | Spec::Days(..)));
    let is_once = |at: usize| {
        let is_counted =
            frequency(&words[at..]).is_some() || words.get(at + 1).is_some_and(|it| it.is(&["every"]));
        words[at].is(&["once"]) && !is_counted && repeats
    };
    let is_single = matches!(
        spec,
        Some(Spec::At(_) | Spec::On(..) | Spec::Today(_) | Spec::Tomorrow(_) | Spec::Tonight(_))
    );
    let is_moved = |at: usize| {
        let is_to = words[at].is(&["to"]) && matches!(spec, Some(Spec::Every(_)));
        is_to || (is_single && words[at].is(MOVED))
    };
    let is_frequent = (0..words.len()).any(|at| frequency(&words[at..]).is_some());
    let is_lost = |at: usize| {
        let word = &words[at];
        let is_holiday = word.is(HOLIDAYS) && !word.is(&["new"]);
        let is_bound = spec.as_ref().is_some_and(|spec| !matches!(spec, Spec::Days(..)))
            && word.is(BOUNDS)
            && !(at == 0 && word.is(&["for"]));
        word.is(NEVER)
            || is_moved(at)
            || (at > 0 && word.is(&["per"]) && !is_frequent)
            || is_contradiction(words, at)
            || is_bound
            || is_holiday
            || (is_fires(&word.text) && frequency(&words[at..]).is_none())
            || is_once(at)
            || (at > 0 && word.is(&["after"]))
    };
    let loses_tomorrow =
        words.iter().any(|word| word.is(&["tomorrow", "tonight"]) && !form.contains(word.text.as_str()));
    if (0..words.len()).any(is_lost) || loses_tomorrow || !keeps_months(words, form) {
        return false;
    }
    match spec {
        _ if is_frequent => true,
        Some(Spec::Every(Ok(interval))) => keeps_length(words, form, interval.period()),
        Some(Spec::In(Ok(duration))) => keeps_length(words, form, duration),
        Some(Spec::Days(days, _)) => keeps_days(words, days) && keeps_numbers(words, form, is_cron),
        _ => keeps_numbers(words, form, is_cron),
    }
}

/// Returns whether a word names another time than the words before it: `9th` after `at`, `AM/PM`, `tonight in the
/// morning`.
pub(super) fn is_contradiction(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    let is_place = at > 0 && words[at - 1].is(&["at", "@"]) && is_ordinal(word) && starts_with_number(word);
    let is_dawn = word.is(&["morning"]) && words[..at].iter().any(|word| word.is(&["tonight"]));
    let has_zone = is_clock_zone(&word.text);
    let is_read = is_notation(word)
        || Days::of(word).is_some()
        || is_month(word)
        || recurs(word)
        || word.text.starts_with('@');
    let is_joined = is_joined_time(&word.text) && !is_read;
    is_joined
        || joins_numbers(&word.text)
        || is_place
        || is_dawn
        || has_zone
        || (word.text.contains("am") && word.text.contains("pm"))
}

/// Returns whether an amount is as long as the words say.
fn keeps_length(words: &[Word], form: &str, length: Duration) -> bool {
    match total(words) {
        Some(total) => (total - length.as_secs_f64() / 60.0).abs() < 1e-6,
        None => !words.iter().any(Word::is_unit) && keeps_numbers(words, form, false),
    }
}

/// Returns whether each number is in a form. Hours may be those of the afternoon, or the last of a range.
fn keeps_numbers(words: &[Word], form: &str, is_cron: bool) -> bool {
    let kept: Vec<_> = Word::all(form).iter().flat_map(|word| numbers(&word.text)).collect();
    let has = |number: u64| kept.contains(&number);
    let is_hour = |hour: u64| {
        let is_end = is_cron && form.contains('-') && (has(hour + 11) || hour > 0 && has(hour - 1));
        has(hour) || has(hour + 12) || is_end
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let clock = ClockTime::parse(&words[at..]).filter(|(time, length)| time.is_exact || *length > 1);
        if let Some((time, length)) = clock {
            if !(is_hour(time.hour.into()) && (time.minute == 0 || has(time.minute.into()))) {
                return false;
            }
            at += length;
            continue;
        }
        let is_lost = word.is(&["past"]) && !is_cron;
        let named = || amount(&word.text).filter(|number| number.fract() == 0.0 && !is_vague(word));
        let is_minute = word.text.strip_prefix(':').is_some_and(is_whole);
        let is_number = starts_with_number(word) || is_minute || is_compact_like(&word.text);
        let wanted = match is_number {
            true => numbers(&word.text),
            false => named().map(|it| it as u64).into_iter().collect(),
        };
        if is_lost || !wanted.into_iter().all(is_hour) {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns whether a word is an hour with a zone: `9utc`.
fn is_clock_zone(text: &str) -> bool {
    let hour = ["utc", "gmt"].iter().find_map(|zone| text.strip_suffix(zone));
    hour.is_some_and(|hour| hour.ends_with(|sign: char| sign.is_ascii_digit()))
}

/// Returns whether a word joins numbers that are spelt out: `nine/five`.
fn joins_numbers(text: &str) -> bool {
    let mut parts = text.split(|sign: char| !sign.is_alphanumeric());
    parts.clone().count() > 1 && number(text).is_none() && parts.any(|part| number(part).is_some())
}

/// Words that count, but that a form may say without a number: `first day of the month`, `every other month`.
fn is_vague(word: &Word) -> bool {
    is_ordinal(word) || word.is(&["one", "other", "few", "several", "couple"])
}

/// Returns the numbers in a word of a schedule.
fn numbers(text: &str) -> Vec<u64> {
    match text {
        "noon" | "midday" => vec![12],
        "midnight" => vec![0],
        // The minutes of `9:00` are no number that somebody wrote.
        _ => text
            .trim_end_matches(":00")
            .split(|sign: char| !sign.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect(),
    }
}

/// Returns whether each month beside a number is in a form.
fn keeps_months(words: &[Word], form: &str) -> bool {
    let field = form.split(' ').nth(3).unwrap_or_default();
    let is_number = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(starts_with_number);
    (0..words.len()).all(|at| {
        let Some(number) = month(&words[at]) else { return true };
        let is_name = is_number(at.checked_sub(1)) || is_number(Some(at + 1));
        let is_kept = || form.to_lowercase().contains(&words[at].text[..3]) || field == number.to_string();
        !is_name || is_kept() || form.contains(&format!("-{number:02}-"))
    })
}

/// Returns whether each day is one of a form's, unless the words exclude some.
fn keeps_days(words: &[Word], days: Days) -> bool {
    let is_limited = words.iter().any(|word| word.is(LIMITS));
    is_limited
        || words
            .iter()
            .filter(|word| is_clearly_a_day(word))
            .filter_map(Days::of)
            .all(|day| day.without(days).is_none())
}
