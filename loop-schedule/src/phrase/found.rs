//! Words of time in a text that is no schedule, and where they begin and end.

use std::ops::Range;

use super::{
    PhraseError,
    amounts::amount,
    atoms::are_joined,
    clauses,
    clock::is_clock_like,
    continued, cron_fields,
    days::{Days, is_clearly_a_day, is_day_or_month, is_day_range, is_month, joins_days, names_a_date},
    edge::{edge, is_period_only, recurs},
    grammar,
    moments::HOLIDAYS,
    nearest::{form, is_odd_number},
    neighbours,
    same_meaning::MOVING,
    shapes::{hyphenated, is_span, is_whole, starts_with_number},
    spelling::hour_and_minute,
    time_sign::{is_day_part, is_ordinal, is_time, qualifiers},
    vocabulary::are_known,
    word::{Word, joined},
};
use crate::interval::time_words::{is_compact_like, is_unit_like, number};

/// The number of words in which the parts of one time are looked for.
const REACH: usize = 8;

/// Finds words of time. Returns them, and the nearest form of a schedule.
pub(super) fn find(words: &[Word]) -> Option<(String, Option<String>)> {
    let at = (0..words.len()).find(|at| is_time(words, *at) || has_stars(&words[*at..]))?;
    // `nightly at 2` begins with `nightly`, and `christmas eve at 18:00` with a day.
    let at = beginning(words, at);
    let at = at - usize::from(at > 0 && names_a_date(&words[at - 1..]));
    let here = &words[at..words.len().min(at + REACH)];
    let least = match cron_fields::is_in_the_middle(here) {
        true => cron_fields::FIELDS,
        false if has_stars(here) => cron_fields::FIELDS - 1,
        false => edge(words, at),
    };
    let end = with_continuations(words, at, at + length(here).max(least));
    let at = neighbours::count_before(words, at).unwrap_or(at);
    let Range { start: at, end } = clauses::around(words, at, end);
    let found = &words[at..end];
    let window = &words[at..words.len().min(at + REACH.max(found.len()))];
    // A number that is not understood can be the one that matters.
    let is_odd = window.iter().take(found.len() + 1).any(is_odd_number);
    let is_moved = at > 0
        && (words[at - 1].is(MOVING)
            || words[at - 1].is(&["not", "never", "starting", "beginning"])
            || has_stars(here));
    let has_form = !is_moved && !is_odd && are_known(found);
    let nearest = has_form.then(|| form(found).or_else(|| form(window))).flatten();
    Some((joined(found), nearest))
}

/// Returns whether words begin with the end of an expression whose first field nobody understands: `R * * * *`.
fn has_stars(words: &[Word]) -> bool {
    words.get(..cron_fields::FIELDS - 1).is_some_and(|fields| fields.iter().all(|word| word.typed == "*"))
}

/// Returns where the words directly before a time begin that belong to it: `nightly` in `nightly at 2`.
fn beginning(words: &[Word], mut at: usize) -> usize {
    loop {
        let before = |back: usize| at.checked_sub(back).map(|at| &words[at]);
        let is_listed = |word: &Word| is_ordinal(word) || word.is(&["today", "tonight", "tomorrow", "now"]);
        let is_linked =
            before(1).is_some_and(|word| word.is(&["and", "&", "or"])) && before(2).is_some_and(is_listed);
        // `every weds at 9`, and `mon..fri at 9`.
        let is_repeated =
            words[at].is(&["at", "@"]) && (1..=3).filter_map(before).any(|word| word.is(&["every", "each"]));
        let is_unread = words[at].is(&["at", "@"])
            && before(1).is_some_and(|word| {
                word.text.contains(|sign: char| !sign.is_alphanumeric())
                    || joins_days(&word.text)
                    || is_short_in_capitals(word)
            })
            && at == 1;
        let is_article = is_ordinal(&words[at]) && before(1).is_some_and(|word| word.is(&["every", "each"]));
        match before(1) {
            Some(_) if is_linked => at -= 2,
            Some(_) if is_repeated || is_unread => at -= 1,
            Some(word) if is_article || begins_a_time(word) => at -= 1,
            _ => return at,
        }
    }
}

/// Returns whether a word may be the letters of some days: `MWF`, `TTh`.
fn is_short_in_capitals(word: &Word) -> bool {
    (2..=5).contains(&word.typed.len()) && word.typed.chars().take(2).all(char::is_uppercase)
}

/// Returns whether a word before a time belongs to it.
fn begins_a_time(word: &Word) -> bool {
    let is_numeric = starts_with_number(word) && word.text.contains(['.', '/', '-']);
    let is_minute = word.text.starts_with(':') || word.is(&["past", "quarter"]);
    let is_named = word.is(HOLIDAYS) || word.is(&["eve", "yesterday", "all", "any", "days", "last"]);
    let is_day = Days::of(word).is_some() && is_clearly_a_day(word);
    // `9 daily`.
    let is_number = word.start == 0 && (is_whole(&word.text) || number(&word.text).is_some());
    is_number || is_minute || recurs(word) || is_ordinal(word) || is_day || is_numeric || is_named
}

/// Returns the error for a schedule of some words that others continue.
pub(super) fn error(words: &[Word], start: usize, end: usize) -> PhraseError {
    let part = part(words, start, end);
    PhraseError::NotUnderstood { phrase: joined(part), nearest: form(part).filter(|_| are_known(part)) }
}

/// Returns the error for a schedule at the end that words before it change. The prompt may be between them.
pub(super) fn error_at_end(words: &[Word], start: usize) -> PhraseError {
    let part = part(words, start, words.len());
    PhraseError::NotUnderstood { phrase: joined(part), nearest: form(part) }
}

fn part(words: &[Word], start: usize, end: usize) -> &[Word] {
    let end = with_continuations(words, start, end);
    &words[clauses::around(words, start, end)]
}

/// Returns where a time ends that begins and ends at these words, with all that continues it.
fn with_continuations(words: &[Word], start: usize, mut end: usize) -> usize {
    while end < words.len().min(start + 2 * REACH) {
        let found = grammar::phrase(&words[start..end]);
        match continued::after(words, end, found.as_ref().map(|found| &found.spec)) {
            0 => break,
            more => end = words.len().min(end + more),
        }
    }
    end
}

/// Returns how many words belong to the time.
fn length(words: &[Word]) -> usize {
    let is_more = |word: &Word| {
        amount(&word.text).is_some()
            || is_unit_like(&word.text)
            || is_compact_like(&word.text)
            || is_clock_like(word)
            || is_day_or_month(word)
            || is_day_part(word)
            || is_day_range(&word.text)
            || is_ordinal(word)
            || Days::of(word).is_some()
            || hyphenated(&word.text).is_some()
            || is_span(&word.text)
            || is_month(word)
            || is_period_only(word)
            || hour_and_minute(&word.text).is_some()
            || are_joined(&word.text)
            || word.is(&[
                "at",
                "am",
                "pm",
                "a.m",
                "p.m",
                "alternate",
                "noon",
                "midday",
                "midnight",
                "daily",
                "hourly",
                "interval",
                "intervals",
                "other",
                "single",
                "half",
                "quarter",
                "quarters",
                "past",
                "o'clock",
            ])
    };
    let start = match words[0].is(&["every", "each", "in"]) {
        true => qualifiers(&words[1..]),
        false => 0,
    };
    let more = start + words[1 + start..].iter().take_while(|word| is_more(word)).count();
    // `every N minutes`, `every approx 5m`.
    let between = words[1..].iter().take(3).position(is_more).unwrap_or(0);
    let more = match words[0].is(&["every", "each", "in"]) && more == 0 && between > 0 {
        true => between + words[1 + between..].iter().take_while(|word| is_more(word)).count(),
        false => more,
    };
    let ends_with_at = words[..=more].last().is_some_and(|word| more > 0 && word.is(&["at"]));
    1 + more - usize::from(ends_with_at)
}
