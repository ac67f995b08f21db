//! Parts of a time, as functions that return how many words the part has.

use super::{
    amounts::compound,
    clock::{ClockTime, NAMED, is_clock_like},
    date::DayOfYear,
    days::{Days, is_day_or_month, is_day_range},
    shapes::{is_hour_shaped, is_whole},
    time_sign::{is_day_part, is_ordinal, is_time, qualifiers},
    word::Word,
};
use crate::{
    Zone,
    interval::time_words::{is_compact_like, is_number_like},
};

/// Abbreviations of time zones. Only the first few are no other words in small letters.
const ZONES: &[&str] = &[
    "UTC", "GMT", "CET", "CEST", "EET", "EEST", "BST", "IST", "JST", "EST", "EDT", "ET", "CST", "CDT", "CT",
    "MST", "MDT", "PST", "PDT", "PT", "AEST", "AEDT", "MSK", "WET", "HKT", "SGT", "NZST",
];

/// Words before `time` that name a zone.
const ZONE_WORDS: &[&str] =
    &["local", "my", "our", "server", "system", "eastern", "pacific", "central", "mountain"];

/// Days without a date of their own.
pub(super) const HOLIDAYS: &[&str] =
    &["christmas", "xmas", "easter", "thanksgiving", "halloween", "holidays", "vacation", "new"];

const MEALS: &[&str] = &["breakfast", "brunch", "lunch", "tea", "dinner", "supper"];

/// Returns whether a word names a moment of the day: `dawn`, `teatime`.
pub(super) fn is_moment(word: &Word) -> bool {
    word.is(&["dawn", "daybreak", "sunrise", "dusk", "sunset", "nightfall"])
        || word
            .text
            .strip_suffix("time")
            .is_some_and(|stem| MEALS.contains(&stem) || ["bed", "day", "night", "noon"].contains(&stem))
}

/// Returns the length of a preposition and the name of a moment: `at teatime`, `before lunch`, `on the hour`, `in spring`.
/// Where `at` begins a text, each word behind it is such a name: `at kickoff`. `at the office` is a place.
pub(super) fn named(words: &[Word], begins: bool) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    let the = usize::from(rest.first()?.is(&["the"]));
    let name = rest.get(the)?;
    let next = |names: &[&str]| rest.get(the + 1).is_some_and(|word| word.is(names));
    let is_bound = name.is(&["least", "most"]);
    let is_bare = begins && the == 0 && !is_bound && name.typed.chars().all(char::is_alphabetic);
    let is_season = name.is(&["spring", "summer", "autumn", "winter"]) && (begins || name.typed == name.text);
    let is_frame = first.is(&["at", "by", "before", "after", "until", "till", "around"]);
    let is_named = is_moment(name)
        || name.is(MEALS)
        || (name.is(HOLIDAYS) && !name.is(&["new"]))
        || (the == 1 && name.is(&["weekend"]))
        || (the == 0 && name.is(&["night", "eod"]));
    // `at the crack of dawn`.
    if first.is(&["at"]) && the == 1 && next(&["of"]) && rest.get(3).is_some_and(is_moment) {
        return Some(5);
    }
    let is_part = name.is(&["half", "quarter"]) && next(&["hour"])
        || name.is(&["closing", "opening"]) && next(&["time"]);
    let is_hour = first.is(&["at", "on"]) && (is_part || the == 1 && name.is(&["hour", "minute"]));
    let is_found = (first.is(&["at"]) && is_bare)
        || (is_frame && (is_named || is_season))
        || (first.is(&["in"]) && (is_season || (name.is(&["due"]) && next(&["course"]))))
        || is_hour;
    let is_longer = is_part || next(&["course"]) || (name.is(MEALS) && next(&["time"]));
    is_found.then_some(2 + the + usize::from(is_longer))
}

/// Returns the length of a point in time or a day, with the words before it: `the next monday`, `noon`, `5`.
pub(super) fn moment(words: &[Word]) -> Option<usize> {
    let count =
        words.iter().take(2).take_while(|word| word.is(&["the", "next", "this", "about", "around"])).count();
    let rest = &words[count..];
    let first = rest.first()?;
    let is_unit = count > 0 && first.is_unit();
    let is_now = first.is(&["now", "today", "tonight", "tomorrow", "later", "weekdays", "work", "lunch"]);
    let one = (is_unit || is_now).then_some(1);
    let found = one.or_else(|| date(rest)).or_else(|| day_part(rest)).or_else(|| point(rest));
    found.map(|length| count + length)
}

/// Returns the length of a time of day, or an hour alone: `9:30`, `9`, `nine`, `half past 9`, `:15`.
pub(super) fn point(words: &[Word]) -> Option<usize> {
    if let Some((_, length)) = ClockTime::parse(words) {
        return Some(length);
    }
    let first = words.first()?;
    if first.is(&["about", "around", "roughly", "approximately", "exactly"]) {
        return point(&words[1..]).map(|length| length + 1);
    }
    let is_minute = first.text.strip_prefix(':').is_some_and(is_whole);
    let is_hour = is_hour_shaped(&first.text);
    let is_number = is_number_like(&first.text) && !first.is(&["one", "other", "few", "couple"]);
    let is_part = first.is(&["quarter", "half"]);
    (is_clock_like(first) || first.is(NAMED) || is_minute || is_hour || is_number || is_part).then_some(1)
}

/// Returns the length of two hours in one word: `9-17`, `9am-5pm`.
pub(super) fn hour_span(words: &[Word]) -> Option<usize> {
    let (first, last) = words.first()?.text.split_once(['-', '–'])?;
    let is_hour = |text: &str| ClockTime::plain(&Word::all(text)).is_some();
    (is_hour(first) && is_hour(last)).then_some(1)
}

/// Returns the length of a day: `friday`, `mon-fri`, `24th`, `the 1st`, `2026-12-24`, `Dec 24`, `christmas`.
pub(super) fn date(words: &[Word]) -> Option<usize> {
    let the = usize::from(words.first()?.is(&["the"]));
    let words = &words[the..];
    let first = words.first()?;
    if let Some((_, length)) = DayOfYear::parse(words) {
        return Some(the + length);
    }
    let days = Days::parse(words).map(|(_, length)| length);
    let parts: Vec<_> = first.text.split(['-', '/', '.']).collect();
    let is_numeric = parts.len() == 3 && parts.iter().all(|part| is_whole(part));
    let is_place = is_ordinal(first) && first.text.starts_with(|sign: char| sign.is_ascii_digit());
    let is_holiday = first.is(HOLIDAYS) && (!first.is(&["new"]) || words.get(1)?.text.starts_with("year"));
    let is_named =
        is_day_or_month(first) || is_day_range(&first.text) || is_numeric || is_place || is_holiday;
    days.or_else(|| is_named.then_some(1)).map(|length| the + length)
}

/// Returns the length of a part of the day, or of the hours of work: `the morning`, `night`, `business hours`.
pub(super) fn day_part(words: &[Word]) -> Option<usize> {
    let the = usize::from(words.first()?.is(&["the"]));
    let first = words.get(the)?;
    let is_work = first.is(&["business", "working", "work", "office"]);
    let is_hours = is_work && words.get(the + 1)?.is(&["hours", "days", "time"]);
    let is_edge = is_moment(first) || first.is(&["lunch", "mornings", "evenings", "nights", "day"]);
    let is_part = is_day_part(first) || (is_edge && (!first.is(&["day"]) || the == 1));
    (is_part || is_hours).then_some(the + 1 + usize::from(is_hours))
}

/// Returns the length of an amount of time: `2 hours`, `the next 2 hours`, `30m`, `an hour`.
pub(super) fn amount(words: &[Word]) -> Option<usize> {
    let count = words.iter().take(2).take_while(|word| word.is(&["the", "next", "about", "another"])).count();
    let rest = &words[count..];
    let first = rest.first()?;
    if is_compact_like(&first.text) && compound(&first.text).is_some() {
        return Some(count + 1);
    }
    let is_number = first.text.starts_with(|sign: char| sign.is_ascii_digit()) || is_number_like(&first.text);
    let before = match first.is(&["a", "an"]) {
        true => 1 + qualifiers(&rest[1..]),
        false => qualifiers(rest).max(usize::from(is_number)),
    };
    let unit = rest.get(before).filter(|unit| unit.is_unit())?;
    (before > 0 && !unit.text.is_empty()).then_some(count + before + 1)
}

/// Returns the length of two ends: `9 and 17`, `9am to 5pm`, `monday and friday`.
pub(super) fn range(words: &[Word]) -> Option<usize> {
    if let Some(length) = hour_span(words) {
        return Some(length);
    }
    let plain = ClockTime::plain(words).map(|(_, length)| length);
    let first = plain.or_else(|| moment(words)).or_else(|| is_pronoun(words))?;
    let link = words.get(first)?.is(&["and", "to", "until", "till", "through", "-"]);
    let last = moment(&words[first + 1..]).filter(|_| link);
    Some(last.map_or(first, |last| first + 1 + last))
}

/// `one` is a number between two numbers.
fn is_pronoun(words: &[Word]) -> Option<usize> {
    (words.first()?.is(&["one"]) && words.get(1)?.is(&["and", "to"])).then_some(1)
}

/// Returns the length of a number of fires: `5 times`, `3x`.
pub(super) fn times(words: &[Word]) -> Option<usize> {
    let first = words.first()?;
    if first.text.strip_suffix('x').is_some_and(is_whole) {
        return Some(1);
    }
    let is_number = is_whole(&first.text) || is_number_like(&first.text) || first.is(&["many", "several"]);
    (is_number && words.get(1)?.is(&["times", "runs", "fires"])).then_some(2)
}

/// Returns the length of a time zone: `UTC`, `UTC+2`, `Europe/Riga`, `local time`.
pub(super) fn zone(words: &[Word]) -> Option<usize> {
    let first = words.first()?;
    let is_time = words.get(1).is_some_and(|word| word.is(&["time"]));
    let name = first.typed.split(['+', '-']).next().unwrap_or_default();
    let is_short = ZONES.contains(&name) || ["utc", "gmt", "cet"].contains(&name);
    let is_path = first.typed.contains('/') && first.typed.parse::<Zone>().is_ok();
    // `UTC offsets` are what the prompt is about.
    const TOPICS: &[&str] = &["offset", "offsets", "timestamp", "timestamps", "date", "dates", "times"];
    if words.get(1).is_some_and(|word| word.is(TOPICS)) {
        return None;
    }
    if is_short || is_path {
        return Some(1 + usize::from(is_time));
    }
    let is_named = first.is(ZONE_WORDS) || Zone::is_place(&first.typed);
    (is_time && is_named).then_some(2)
}

/// Returns the length of a zone or a city after `in`: `Riga`, `New York time`.
pub(super) fn place(words: &[Word]) -> Option<usize> {
    let the = usize::from(words.first()?.is(&["the"]));
    let named = |length: usize| {
        let name: Vec<_> = words.get(..length)?.iter().map(|word| word.typed.as_str()).collect();
        Zone::is_place(&name.join(" "))
            .then(|| length + usize::from(words.get(length).is_some_and(|word| word.is(&["time"]))))
    };
    zone(&words[the..]).map(|length| the + length).or_else(|| named(2)).or_else(|| named(1))
}

/// Returns the length of another schedule: `every hour`, `at 9`, `hourly`.
pub(super) fn schedule(words: &[Word]) -> Option<usize> {
    let first = words.first()?;
    let often = first.is(&["hourly", "daily", "weekly", "monthly", "nightly", "yearly"]);
    let counted = first.is(&["every", "each"]) && is_time(words, 0);
    (often || counted).then(|| 1 + usize::from(counted) * (1 + qualifiers(&words[1..])))
}
