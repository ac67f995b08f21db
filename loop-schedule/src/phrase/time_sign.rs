//! Which words are words of time.

use super::{
    clock::is_clock_like,
    cron_fields,
    days::{Days, is_day_or_month, is_day_range, is_month},
    word::Word,
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like};

/// Times of the day without an hour.
const DAY_PARTS: &[&str] = &["morning", "evening", "afternoon", "night"];

/// Returns whether a word is a word of time, with the words around it.
pub(super) fn is_time(words: &[Word], at: usize) -> bool {
    const ALWAYS: &[&str] = &[
        "daily",
        "hourly",
        "weekly",
        "weekdays",
        "tomorrow",
        "tonight",
        "noon",
        "midnight",
        "o'clock",
        "o’clock",
    ];
    let word = &words[at];
    let rest = &words[at + 1..];
    match word.text.trim_start_matches('@') {
        text if ALWAYS.contains(&text) => true,
        "every" | "each" => is_repeated(rest),
        "at" | "" if word.is(&["at", "@"]) => is_hour(rest),
        "in" => is_hour(rest) || is_vague_amount(rest) || is_in_a_day_part(words, at),
        _ if is_day_or_month(word) || is_day_range(&word.text) => true,
        _ if is_month(word) => rest.first().is_some_and(starts_with_number),
        _ => is_at_edge(words, at) || cron_fields::is_in_the_middle(&words[at..]),
    }
}

/// Returns whether a word names a part of the day: `morning`.
pub(super) fn is_day_part(word: &Word) -> bool {
    word.is(DAY_PARTS)
}

/// Returns whether a word is a place in a row: `3rd`, `third`, `last`.
pub(super) fn is_ordinal(word: &Word) -> bool {
    const NAMES: &[&str] = &[
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last",
    ];
    let number = ["st", "nd", "rd", "th"].iter().find_map(|end| word.text.strip_suffix(end));
    word.is(NAMES) || number.is_some_and(is_whole)
}

/// Returns whether a text is made of digits.
pub(super) fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns how many words before a unit or a day only qualify it: `other`, `few`, `couple of`, `single`, `third`.
pub(super) fn qualifiers(words: &[Word]) -> usize {
    const NAMES: &[&str] = &[
        "single", "several", "some", "many", "of", "a", "an", "the", "next", "odd", "even", "working",
        "business", "calendar", "quarter", "about", "around", "roughly", "exactly",
    ];
    let is_qualifier = |word: &&Word| word.is(NAMES) || is_number_like(&word.text) || is_ordinal(word);
    let count = words.iter().take(4).take_while(is_qualifier).count();
    // `second` is a unit itself, unless a unit follows it.
    if words.get(count).is_some_and(names_a_time) { count } else { 0 }
}

/// Returns whether a word names a unit, a day, or a part of one.
fn names_a_time(word: &Word) -> bool {
    let is_unit = word.text.len() > 1 && is_unit_like(&word.text);
    is_unit || is_day_part(word) || is_month(word) || Days::parse(std::slice::from_ref(word)).is_some()
}

/// Returns whether the words after `every` are a number, a unit or a day.
fn is_repeated(rest: &[Word]) -> bool {
    let Some(next) = rest.first() else { return false };
    let is_amount = is_compact_like(&next.text) || is_decimal(&next.text) || is_day_range(&next.text);
    names_a_time(next) || is_amount || next.is(&["quarter"]) || qualifiers(rest) > 0
}

/// Returns whether the words after `at` or `in` begin with a number. `one` is more often a pronoun.
fn is_hour(rest: &[Word]) -> bool {
    let Some(next) = rest.first() else { return false };
    let is_number = starts_with_number(next) || (is_number_like(&next.text) && next.text != "one");
    is_number && !next.is(&["other", "few", "couple"]) || next.is(&["noon", "midnight", "quarter"])
}

/// Returns whether the words after `in` are an amount without a number: `a few minutes`, `the next hour`.
fn is_vague_amount(rest: &[Word]) -> bool {
    let count = qualifiers(rest);
    count > 0 && is_unit_like(&rest[count].text)
}

/// Returns whether a text begins or ends with `in the morning`.
fn is_in_a_day_part(words: &[Word], at: usize) -> bool {
    let is_phrase =
        words.get(at + 1).is_some_and(|word| word.is(&["the"])) && words.get(at + 2).is_some_and(is_day_part);
    is_phrase && (at == 0 || at + 3 == words.len())
}

/// Returns whether a number in words counts units: `five minutes`, `other day`.
fn is_count(words: &[Word], at: usize) -> bool {
    let is_number = |word: &Word| is_number_like(&word.text) || is_decimal(&word.text);
    let is_unit = |word: &Word| is_unit_like(&word.text);
    words.get(at).is_some_and(is_number) && words.get(at + 1).is_some_and(is_unit)
}

/// Returns whether a number with a unit, a time of day, or the name of a period begins or ends the text here.
fn is_at_edge(words: &[Word], at: usize) -> bool {
    const PERIODS: &[&str] = &[
        "monthly",
        "yearly",
        "annually",
        "nightly",
        "quarterly",
        "biweekly",
        "bi-weekly",
        "fortnightly",
        "everyday",
    ];
    let word = &words[at];
    let is_name = |word: &Word| PERIODS.contains(&word.text.trim_start_matches('@')) || word.is(&["@reboot"]);
    let is_short = is_compact_like(&word.text) || is_clock_like(word) || is_name(word);
    match words.len() - at {
        _ if at == 0 => is_short || is_count(words, 0),
        1 => is_short,
        2 => is_count(words, at),
        _ => false,
    }
}

fn starts_with_number(word: &Word) -> bool {
    word.text.starts_with(|sign: char| sign.is_ascii_digit())
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
}
