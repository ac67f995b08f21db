//! Which words are words of time.

use super::{
    amounts::ordinal,
    atoms,
    clock::{NAMED, is_clock_like},
    cron_fields,
    days::{Days, is_day_or_month, is_day_range, is_month},
    edge::{edge, is_period_only},
    shapes::{is_decimal, is_hyphenated, is_span, starts_with_number},
    word::Word,
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like, number};

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
        "midday",
        "midnight",
        "o'clock",
        "o’clock",
    ];
    let word = &words[at];
    let rest = &words[at + 1..];
    match word.text.trim_start_matches('@') {
        text if ALWAYS.contains(&text) => true,
        "every" | "each" => is_repeated(rest) || is_day_of_month(words, at),
        "at" | "" if word.is(&["at", "@"]) && is_hour(rest) => true,
        "in" if is_hour(rest)
            || is_about_an_amount(rest)
            || is_vague_amount(rest)
            || is_in_a_day_part(words, at) =>
        {
            true
        }
        _ if is_day_or_month(word) || is_day_range(&word.text) => true,
        _ if is_month(word) && rest.first().is_some_and(starts_with_number) => true,
        _ => edge(words, at) > 0 || cron_fields::is_in_the_middle(&words[at..]),
    }
}

/// Returns whether a word names a part of the day: `morning`.
pub(super) fn is_day_part(word: &Word) -> bool {
    word.is(DAY_PARTS)
}

/// Returns whether a word is a place in a row: `3rd`, `third`, `last`.
pub(super) fn is_ordinal(word: &Word) -> bool {
    word.is(&["last"]) || ordinal(&word.text).is_some()
}

/// Returns the day of a month that a word means: `24`, `24th`.
pub(super) fn ordinal_number(word: &Word) -> Option<u8> {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|end| word.text.strip_suffix(end));
    number.unwrap_or(&word.text).parse().ok().filter(|day| (1..=31).contains(day))
}

/// Returns how often something happens, and in which unit, with the number of words: `twice a day`, `once per week`, `3
/// times an hour`.
pub(super) fn frequency(words: &[Word]) -> Option<(f64, usize)> {
    let first = words.first()?;
    let (count, length) = match first.text.as_str() {
        "once" => (1.0, 1),
        "twice" => (2.0, 1),
        "thrice" => (3.0, 1),
        text => match text.strip_suffix('x').and_then(|digits| digits.parse().ok()) {
            Some(count) => (count, 1),
            None if words.get(1)?.is(&["times", "time"]) => (super::amounts::amount(text)?, 2),
            None if words.get(1)?.is(&["per"]) => (super::amounts::amount(text)?, 1),
            None => return None,
        },
    };
    let next = words.get(length)?;
    if next.is(&["daily", "hourly", "weekly", "monthly", "yearly"]) {
        return Some((count, length + 1));
    }
    let has_unit = next.is(&["a", "an", "per", "every", "each", "the"])
        && words.get(length + 1).is_some_and(Word::is_unit);
    (has_unit && count > 0.0).then_some((count, length + 2))
}

/// Returns how many words before a unit or a day only qualify it: `other`, `few`, `couple of`, `single`, `third`.
pub(super) fn qualifiers(words: &[Word]) -> usize {
    const NAMES: &[&str] = &[
        "single", "several", "some", "many", "of", "a", "an", "the", "next", "odd", "even", "working",
        "business", "calendar", "quarter", "about", "around", "roughly", "exactly", "or", "so", "to",
        "under", "less", "more", "over", "than",
    ];
    let is_qualifier = |word: &&Word| {
        word.is(NAMES)
            || super::amounts::amount(&word.text).is_some()
            || is_ordinal(word)
            || is_span(&word.text)
    };
    let count = words.iter().take(4).take_while(is_qualifier).count();
    // `second` is a unit itself, unless a unit follows it.
    if words.get(count).is_some_and(names_a_time) { count } else { 0 }
}

/// Returns whether a word names a unit, a day, or a part of one.
fn names_a_time(word: &Word) -> bool {
    word.is_unit() || is_day_part(word) || is_month(word) || Days::of(word).is_some()
}

/// Returns whether the words after `every` are a number, a unit or a day.
fn is_repeated(rest: &[Word]) -> bool {
    let Some(next) = rest.first() else { return false };
    let is_counted = is_decimal(&next.text) || is_hyphenated(&next.text);
    let is_amount =
        is_compact_like(&next.text) || is_clock_like(next) || is_counted || is_day_range(&next.text);
    let is_named = next.is(&["quarter", "half"]) || next.is(NAMED) || is_period_only(next);
    // A number that is not understood, and a word before a unit: `1h30`, `dozen minutes`.
    let is_shaped =
        |text: &str| text.bytes().all(|sign| sign.is_ascii_digit() || b"hms:.,-/".contains(&sign));
    let is_digits = starts_with_number(next) && is_shaped(&next.text);
    let is_unread = (is_digits || number(&next.text).is_some()) && !is_ordinal(next);
    let is_joined = || atoms::is_counted(&next.text) && !is_ordinal(next);
    let has_unit = || {
        let is_day = |word: &Word| word.text.len() > 3 && Days::of(word).is_some();
        let is_amount = |word: &Word| is_compact_like(&word.text) || atoms::is_joined_time(&word.text);
        let is_counted = |word: &Word| starts_with_number(word) && rest.get(2).is_some_and(Word::is_unit);
        rest.get(1).is_some_and(|word| {
            word.is_unit() || is_day(word) || is_day_part(word) || is_amount(word) || is_counted(word)
        })
    };
    names_a_time(next)
        || is_amount
        || is_named
        || qualifiers(rest) > 0
        || is_unread
        || is_joined()
        || has_unit()
}

/// Returns whether the word after `every` is a day of the month: `every 1st and 15th`. In the middle of a text, `every
/// 2nd line` is what the prompt is about.
fn is_day_of_month(words: &[Word], at: usize) -> bool {
    let the = usize::from(words.get(at + 1).is_some_and(|word| word.is(&["the"])));
    let rest = &words[at + 1 + the..];
    let is_place = rest.first().is_some_and(|word| is_ordinal(word) && starts_with_number(word));
    let is_end =
        || rest[0].has_comma || rest.get(1).is_none_or(|word| word.is(&["and", "or", "&", "at", "@"]));
    is_place && (at == 0 || is_end())
}

/// Returns whether the words after `at` or `in` begin with a number. `one` is more often a pronoun.
fn is_hour(rest: &[Word]) -> bool {
    let Some(next) = rest.first() else { return false };
    let is_number = (starts_with_number(next) && !next.text.ends_with('%'))
        || (is_number_like(&next.text) && next.text != "one");
    is_number && !next.is(&["other", "few", "couple"]) || next.is(&["noon", "midnight", "quarter"])
}

/// Returns whether the words after `in` are an amount without a number: `a few minutes`, `the next hour`.
fn is_vague_amount(rest: &[Word]) -> bool {
    let count = qualifiers(rest);
    count > 0 && is_unit_like(&rest[count].text)
}

/// Returns whether the words after `in` are an amount with a sign or a word before it: `>5m`, `ca 5m`, `an hour/two`.
fn is_about_an_amount(rest: &[Word]) -> bool {
    const ABOUT: &[&str] = &["ca", "c", "circa", "approx", "approximately", "maybe", "an", "a"];
    let rest = &rest[usize::from(rest.first().is_some_and(|word| word.is(ABOUT)))..];
    let signs = ['<', '>', '~', '≈', '≤', '≥', '±'];
    rest.first().is_some_and(|word| {
        let number = word.text.trim_start_matches(signs);
        let has_unit = || rest.get(1).is_some_and(Word::is_unit);
        // `in an hour's time`.
        let possessive = word.text.strip_suffix("'s").or_else(|| word.text.strip_suffix("’s"));
        let is_in_time =
            rest.get(1).is_some_and(|next| next.is(&["time"])) && possessive.is_some_and(is_unit_like);
        is_in_time
            || is_compact_like(number)
            || atoms::is_joined_time(&word.text)
            || (is_decimal(number) && has_unit())
    })
}

/// Returns whether a text begins or ends with `in the morning`.
fn is_in_a_day_part(words: &[Word], at: usize) -> bool {
    let is_phrase =
        words.get(at + 1).is_some_and(|word| word.is(&["the"])) && words.get(at + 2).is_some_and(is_day_part);
    is_phrase && (at == 0 || at + 3 == words.len())
}
