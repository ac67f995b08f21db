//! Which words are words of time.

use super::{
    clock::{ClockTime, NAMED, is_clock_like},
    cron_fields,
    date::DayOfYear,
    days::{Days, is_day_or_month, is_day_range, is_month},
    moments::{amount, date},
    neighbours,
    shapes::{is_decimal, is_hyphenated, is_leading, is_span, is_time_shaped, is_whole, starts_with_number},
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
        "every" | "each" => is_repeated(rest),
        "at" | "" if word.is(&["at", "@"]) && is_hour(rest) => true,
        "in" if is_hour(rest) || is_vague_amount(rest) || is_in_a_day_part(words, at) => true,
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
    const NAMES: &[&str] = &[
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last",
    ];
    let number = ["st", "nd", "rd", "th"].iter().find_map(|end| word.text.strip_suffix(end));
    word.is(NAMES) || number.is_some_and(is_whole)
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
    ];
    let is_qualifier = |word: &&Word| {
        word.is(NAMES) || is_number_like(&word.text) || is_ordinal(word) || is_span(&word.text)
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
    let is_named = next.is(&["quarter", "half"]) || next.is(NAMED) || next.is(PERIODS_ONLY);
    // A number that is not understood, and a word before a unit: `1h30`, `dozen minutes`.
    let is_shaped =
        |text: &str| text.bytes().all(|sign| sign.is_ascii_digit() || b"hms:.,-/".contains(&sign));
    let is_digits = starts_with_number(next) && is_shaped(&next.text);
    let is_unread = (is_digits || number(&next.text).is_some()) && !is_ordinal(next);
    let has_unit = || {
        let is_day = |word: &Word| word.text.len() > 3 && Days::of(word).is_some();
        rest.get(1).is_some_and(|word| word.is_unit() || is_day(word) || is_day_part(word))
    };
    names_a_time(next) || is_amount || is_named || qualifiers(rest) > 0 || is_unread || has_unit()
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
    let is_fraction = |word: &Word| {
        word.text.split_once('/').is_some_and(|(over, under)| is_whole(over) && is_whole(under))
    };
    let is_number = |word: &Word| is_number_like(&word.text) || is_decimal(&word.text) || is_fraction(word);
    let is_unit = |word: &Word| is_unit_like(&word.text);
    words.get(at).is_some_and(is_number) && words.get(at + 1).is_some_and(is_unit)
}

/// Returns the length of a part of a unit: `half an hour`, `quarter of an hour`. Zero if there is no such part.
fn fraction(words: &[Word]) -> usize {
    let length = 1 + words.iter().skip(1).take_while(|word| word.is(&["of", "a", "an"])).count();
    let is_fraction = words[0].is(&["half", "quarter"]) && words.get(length).is_some_and(Word::is_unit);
    if is_fraction && length > 1 { length + 1 } else { 0 }
}

/// Returns the length of a number with a part, and its unit: `two and a half hours`. Other words have
/// the length zero.
fn mixed_number(words: &[Word]) -> usize {
    let is_and = words.get(1).is_some_and(|word| word.is(&["and"]));
    let half = 2 + usize::from(words.get(2).is_some_and(|word| word.is(&["a"])));
    let is_part = words.get(half).is_some_and(|word| word.is(&["half", "quarter"]));
    let is_counted = is_number_like(&words[0].text) && words.get(half + 1).is_some_and(Word::is_unit);
    if is_counted && is_and && is_part { half + 2 } else { 0 }
}

/// Names of periods and of parts of the day, which are a time only at the beginning or the end of a text.
const PERIODS: &[&str] = &[
    "monthly",
    "bimonthly",
    "yearly",
    "annually",
    "nightly",
    "quarterly",
    "biweekly",
    "bi-weekly",
    "fortnightly",
    "bihourly",
    "half-hourly",
    "semiweekly",
    "everyday",
    "minutely",
    "mornings",
    "evenings",
    "nights",
    "afternoons",
    "weeknights",
    "weekends",
    "overnight",
    "eod",
];

/// Words after `every` that are no unit of time elsewhere.
pub(super) const PERIODS_ONLY: &[&str] =
    &["weeknight", "weeknights", "lunchtime", "dawn", "dusk", "sunrise", "sunset"];

/// Returns the length of words that are a time only where they begin or end the text, if they do. Zero if not.
pub(super) fn edge(words: &[Word], at: usize) -> usize {
    let (word, here) = (&words[at], &words[at..]);
    let is_name = PERIODS.contains(&word.text.trim_start_matches('@')) || word.is(&["@reboot"]);
    let is_hyphenated = is_hyphenated(&word.text) && word.text.ends_with("ly");
    let is_written = is_time_shaped(&word.text) || (at == 0 && is_leading(&word.text));
    let is_short =
        is_compact_like(&word.text) || is_clock_like(word) || is_name || is_hyphenated || is_written;
    let lengths = [
        usize::from(is_short || is_short_name(word, at)),
        if is_count(words, at) { 2 } else { 0 },
        fraction(here),
        mixed_number(here),
        frequency(here).map_or(0, |(_, length)| length),
        ClockTime::parse(here).filter(|(time, _)| time.is_exact).map_or(0, |(_, length)| length),
        relative(here).unwrap_or(0),
        dated(here).unwrap_or(0),
        boundary(here).unwrap_or(0),
        cron_fields::cut_short(here),
        if at == 0 { vague(words) } else { 0 },
        if at == 0 { neighbours::continuation(words).filter(|length| *length > 1).unwrap_or(0) } else { 0 },
    ];
    lengths.into_iter().filter(|length| at == 0 || *length == here.len()).max().unwrap_or(0)
}

/// Returns whether a word is the short name of a day or a month: `dec`, and `wed` at the end. `sat`, `sun`, `mar` and
/// `may` have another meaning more often.
fn is_short_name(word: &Word, at: usize) -> bool {
    const MONTHS: &[&str] = &["jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"];
    word.is(MONTHS) || (at > 0 && word.is(&["wed"]))
}

/// Returns whether a word alone says that something repeats: `nightly`, `mondays`.
pub(super) fn recurs(word: &Word) -> bool {
    let text = word.text.trim_start_matches('@');
    (PERIODS.contains(&text) && !word.is(&["eod", "overnight"])) || Days::recur(word)
}

/// Returns whether `once` joins two clauses: `once the build is green, tag it`.
pub(super) fn is_conjunction(words: &[Word]) -> bool {
    const SUBJECTS: &[&str] = &[
        "the", "a", "an", "it", "its", "this", "that", "these", "those", "all", "your", "our", "my", "you",
        "we",
    ];
    const VERBS: &[&str] =
        &["is", "are", "has", "have", "was", "were", "passes", "pass", "finishes", "works"];
    words.get(1).is_some_and(|word| word.is(SUBJECTS))
        || words.iter().skip(2).take(2).any(|word| word.is(VERBS))
}

/// Returns the length of a time without a number that begins a text: `today`, `once`, `weekday mornings`.
fn vague(words: &[Word]) -> usize {
    let is_next = |is: &dyn Fn(&Word) -> bool| words.get(1).is_some_and(is);
    let is_part = |word: &Word| is_day_part(word) || PERIODS.contains(&word.text.as_str());
    match words[0].text.as_str() {
        "once" if !is_conjunction(words) => 1,
        "now" if is_next(&|word| word.is(&["that"])) => 0,
        "now" | "today" | "soon" | "immediately" | "asap" | "yesterday" => 1,
        _ if Days::of(&words[0]).is_some() && is_next(&is_part) => 2,
        _ => 0,
    }
}

/// Returns the length of a time relative to now: `this afternoon`, `next week`, `5 minutes from now`.
fn relative(words: &[Word]) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    let is_next = |is: &dyn Fn(&Word) -> bool| rest.first().is_some_and(is);
    match first.text.as_str() {
        "the" if is_next(&|word| word.is(&["day"])) => relative(rest).filter(|it| *it == 3).map(|it| it + 1),
        "day" if is_next(&|word| word.is(&["after"])) && rest.get(1)?.is(&["tomorrow"]) => Some(3),
        "business" | "working" if is_next(&|word| word.is(&["days"])) => Some(2),
        _ if is_next(&|word| word.is(&["o'clock", "o’clock"])) => Some(2),
        "this" if is_next(&is_day_part) => Some(2),
        "within" => amount(rest).map(|length| length + 1),
        "in" if is_next(&|word| word.is(&["a"])) => {
            rest.get(1)?.is(&["moment", "bit", "while", "jiffy", "sec"]).then_some(3)
        }
        "later" if is_next(&|word| word.is(&["today", "tonight"])) => Some(2),
        "next" if is_next(&|word| word.is(&["week", "month", "year", "weekend", "morning"])) => Some(2),
        "at" if is_next(&|word| word.is(&["night", "dawn", "dusk", "sunrise", "sunset", "lunchtime"])) => {
            Some(2)
        }
        _ => {
            let length = amount(words)?;
            let rest = &words[length..];
            match rest.first()?.text.as_str() {
                "from" if rest.get(1)?.is(&["now", "today"]) => Some(length + 2),
                "later" | "hence" => Some(length + 1),
                _ => None,
            }
        }
    }
}

/// Returns the length of a date: `on the 1st`, `2026-12-24`, `24 December`.
fn dated(words: &[Word]) -> Option<usize> {
    let on = usize::from(words.first()?.is(&["on"]));
    let rest = &words[on..];
    let first = &rest.first()?.text;
    let is_year = |part: &str| part.len() == 4 && is_whole(part);
    let is_numeric =
        first.split(['.', '/']).count() == 3 && first.split(['.', '/']).next_back().is_some_and(is_year);
    let is_written =
        is_numeric || first.get(..10).is_some_and(|date| DayOfYear::parse(&Word::all(date)).is_some());
    let found = if on == 1 { date(rest) } else { DayOfYear::parse(rest).map(|(_, length)| length) };
    found.or_else(|| is_written.then_some(1)).map(|length| on + length)
}

/// Returns the length of the first or last moment of a period: `end of month`, `at the end of every day`.
fn boundary(words: &[Word]) -> Option<usize> {
    let skip = |at: usize, names: &[&str]| at + usize::from(words.get(at).is_some_and(|word| word.is(names)));
    let at = skip(skip(0, &["at", "on"]), &["the"]);
    let edge = words.get(at)?;
    let edge = edge.is(&["end", "start", "beginning", "last", "top"]) || is_ordinal(edge);
    let at = skip(at + 1, &["day", "thing", "weekday", "workday", "business", "working"]);
    let at = skip(at, &["day"]) + usize::from(words.get(at).and_then(Days::of).is_some());
    let of = words.get(at)?.is(&["of", "in"]);
    let at = skip(at + 1, &["the", "each", "every"]);
    let unit = words.get(at).filter(|unit| unit.is_unit() || is_day_part(unit))?;
    (edge && of && !unit.text.is_empty()).then_some(at + 1)
}
