//! Whether a form means the same as the words that it is proposed for.
//!
//! A form that drops `until friday` or repeats what was meant once is worse than none: people copy it.

use super::{
    clock::{ClockTime, is_clock_like},
    compose, cron_fields,
    days::{Days, is_clearly_a_day},
    edge::recurs,
    grammar::{self, Spec},
    moments::{amount, place, schedule, zone},
    time_sign::{frequency, is_day_part, is_ordinal},
    word::{Word, joined},
};
use crate::interval::time_words::is_number_like;

/// Words before days and hours that do not count, or only count.
pub(super) const LIMITS: &[&str] = &[
    "except",
    "excluding",
    "without",
    "minus",
    "but",
    "not",
    "outside",
    "skip",
    "between",
    "from",
    "during",
    "only",
];

/// Words after which a time is not when the job fires.
pub(super) const MOVING: &[&str] = &[
    "after", "before", "by", "coming", "for", "from", "of", "over", "since", "than", "through", "till", "to",
    "under", "until",
];

/// Returns whether a form keeps all parts of the words, and repeats only if they do.
pub(super) fn means_the_same(words: &[Word], form: &str, time: &str) -> bool {
    let spec = grammar::phrase(&Word::all(form)).map(|found| found.spec);
    let is_cron = cron_fields::at_start(form, &Word::all(form)).is_ok_and(|found| found.is_some());
    let spec = spec.filter(|_| !is_cron);
    let repeats = matches!(spec, None | Some(Spec::Every(_) | Spec::Days(..)));
    if repetition(words).is_some_and(|expected| expected != repeats) || has_more(words) {
        return false;
    }
    let has = |names: &[&str]| words[1..].iter().any(|word| word.is(names));
    let has_day = (0..words.len()).any(|at| day(words, at).is_some());
    let times = compose::times(words);
    let is_range = (1..words.len()).any(|at| is_end_of_hours(words, at));
    if is_range && !(is_cron && form.contains('-')) {
        return false;
    }
    match spec {
        // The day of a calendar begins at nine.
        None => times == 0 || !form.starts_with("0 9 1 ") || time == "9:00",
        Some(Spec::Every(_)) => {
            let (begins, length) = (joined(words).to_lowercase().starts_with(form), Word::all(form).len());
            let is_cut = begins && words.get(length..).is_some_and(|rest| amount(rest).is_some());
            times == 0 && !is_cut && !has_day && !has(&["at", "@", "on", "in"])
        }
        Some(Spec::In(_)) => times == 0 && !has_day,
        Some(Spec::Days(..) | Spec::On(..)) => times <= 1,
        Some(Spec::Tomorrow(_)) => times <= 1 && !has_day && !has(&["after"]),
        Some(_) => times <= 1 && !has_day && !has(&["week", "month", "year"]),
    }
}

/// Returns whether words repeat, or happen once. `None` if they do not say it.
fn repetition(words: &[Word]) -> Option<bool> {
    let is_often = |at: usize| {
        let is_repeated = words[at].is(&["every", "each", "daily", "hourly", "weekly", "everyday"]);
        is_repeated || recurs(&words[at]) || frequency(&words[at..]).is_some()
    };
    if (0..words.len()).any(is_often) {
        return Some(true);
    }
    let is_single = |at: usize| {
        let is_next = words[at].is(&["on", "next", "this"]);
        let is_named = words[at].is(&["today", "tomorrow", "tonight", "now", "later", "hence"]);
        is_named
            || (is_next
                && words.get(at + 1).is_some_and(|next| day(words, at + 1).is_some() || is_day_part(next)))
    };
    let is_once = words[0].is(&["in", "after", "next"]) || (0..words.len()).any(is_single);
    is_once.then_some(false)
}

/// Returns whether some words have a part that no form has: an end, a zone, a number of fires, every second monday.
fn has_more(words: &[Word]) -> bool {
    let is_more = |at: usize| {
        let (word, rest) = (&words[at], &words[at + 1..]);
        let is_counted = at > 0 && {
            let before = &words[at - 1];
            is_number_like(&before.text) || is_ordinal(before)
        };
        let is_time = ClockTime::parse(&words[at..]).is_some();
        (is_counted && day(words, at).is_some())
            || (word.is(&["for"]) && amount(rest).is_some())
            || (word.is(&["in"]) && at > 0 && place(rest).is_some())
            || (word.is(&["twice", "thrice", "times", "runs", "fires"]) && frequency(words).is_none())
            || (at > 0 && zone(&words[at..]).is_some())
            || (is_clock_like(word) && !is_time)
            || is_another_schedule(&words[at..])
    };
    compose::start_or_end(words) < words.len() || (0..words.len()).any(is_more)
}

/// Returns whether a word links two times of day: `to` in `9am to 5pm`, but not in `quarter to nine`.
fn is_end_of_hours(words: &[Word], at: usize) -> bool {
    let is_link = words[at].is(&["to", "until", "till", "through", "-", "–"]);
    let is_before_the_hour = ClockTime::parse(&words[at - 1..]).is_some_and(|(_, length)| length > 2);
    is_link && !is_before_the_hour && ClockTime::plain(&words[at + 1..]).is_some()
}

/// Returns whether another schedule follows the first: `and daily`, `then every hour`.
fn is_another_schedule(words: &[Word]) -> bool {
    let links = words.iter().take_while(|word| word.is(&["and", "or", "then", "also", "plus", "&"])).count();
    links > 0 && schedule(&words[links..]).is_some()
}

fn day(words: &[Word], at: usize) -> Option<(Days, usize)> {
    Days::parse(&words[at..]).filter(|_| is_clearly_a_day(&words[at]))
}
