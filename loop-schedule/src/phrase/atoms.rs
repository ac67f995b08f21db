//! Words with signs in them, as the names and numbers between the signs: `monday,9`, `5m/10m`, `1hour30`.
//!
//! People join words of time with any sign. A sign must not hide them, because a hidden time is a job that runs every ten
//! minutes.

use super::{
    clock::NAMED,
    days::{Days, is_month},
    time_sign::is_day_part,
    word::Word,
};
use crate::interval::time_words::{is_unit_like, is_unit_word, number};

/// The most bytes of a word of time. Longer words are paths and addresses.
const MOST: usize = 40;

/// Names of times that are one without any number.
const STRONG: &[&str] = &["daily", "hourly", "weekly", "tomorrow", "tonight"];

/// Names that belong to a time, but need another part beside them.
const JOINTS: &[&str] = &[
    "am", "pm", "every", "each", "today", "and", "or", "to", "in", "at", "y", "st", "nd", "rd", "th", "once",
    "twice", "per", "times", "half", "quarter", "a", "an", "after", "before", "until", "only", "ish",
    "interval",
];

/// Returns whether all names and numbers of a word belong to a time. A word without any of them does not.
pub(super) fn are_of_time(text: &str) -> bool {
    let atoms: Vec<_> = atoms(text).collect();
    // `5x`, but not `x86`.
    let is_times = |at: usize| atoms[at] == "x" && at > 0 && is_number(atoms[at - 1]);
    let is_part = |at: usize| is_number(atoms[at]) || is_name(atoms[at]) || is_times(at);
    text.len() <= MOST && !atoms.is_empty() && (0..atoms.len()).all(is_part)
}

/// Returns whether a word joins several names and numbers of a time: `monday/9`, `9/17`, `1hour30`, `>5m`.
pub(super) fn are_joined(text: &str) -> bool {
    are_of_time(text) && (atoms(text).count() > 1 || text.starts_with(|sign: char| !sign.is_alphanumeric()))
}

/// Returns whether a word joins a number and its unit, a day or a time of day with other parts of a time: `5m/10m`,
/// `monday/9`, `18:00/19:00`, `5/day`.
pub(super) fn is_joined_time(text: &str) -> bool {
    are_joined(text)
        && (text.split(is_sign).any(has_unit) || is_rate(text) || names_a_time(text) || has_clock(text))
}

/// Returns whether a word after `every` is a number or a name of time, with or without signs: `5%`, `>5m`, `day/hour`.
pub(super) fn is_counted(text: &str) -> bool {
    let text = text.trim_end_matches("ish").trim_end_matches(is_sign);
    let rest = text.trim_start_matches(char::is_numeric);
    let is_short = rest.len() < text.len() && rest.chars().count() < 2;
    is_short || are_joined(text)
}

/// Returns whether a part without signs has a number before a unit: `5m`, `1hour30`, `½h`.
fn has_unit(part: &str) -> bool {
    let atoms: Vec<_> = atoms(part).collect();
    atoms.windows(2).any(|pair| is_number(pair[0]) && (is_unit_like(pair[1]) || pair[1] == "y"))
}

/// Returns whether a word is an amount or a frequency with signs between its parts: `half-an-hour`, `5/day`, `per/hour`.
fn is_rate(text: &str) -> bool {
    let parts: Vec<_> = atoms(text).collect();
    let [first, .., last] = parts.as_slice() else { return false };
    let is_count = is_number(first) || number(first).is_some();
    let is_unit = is_unit_word(last) || (text.contains('/') && *last == "h");
    is_unit
        && (is_count
            || ["half", "quarter", "an", "once", "twice"].contains(first)
            || text.starts_with("per/"))
}

fn names_a_time(text: &str) -> bool {
    // `tomorrow's` is what the prompt is about.
    if text.ends_with(['s', 'S']) && text.contains(['\'', '’']) {
        return false;
    }
    let is_day = |atom: &str| atom.len() > 2 && word(atom).is_some_and(|it| Days::of(&it).is_some());
    atoms(text).any(|atom| STRONG.contains(&atom) || NAMED.contains(&atom) || is_day(atom))
}

/// Returns whether a word has a time of day between other signs than a colon: `18:00/19:00`, `6pm+`.
fn has_clock(text: &str) -> bool {
    let is_clock = |part: &str| {
        let time = part.strip_suffix("am").or_else(|| part.strip_suffix("pm"));
        let minutes = part.split_once(':').filter(|(_, minutes)| minutes.len() == 2);
        time.is_some_and(is_number)
            || minutes.is_some_and(|(hour, minute)| is_number(hour) && is_number(minute))
    };
    let is_joint = |sign: char| is_sign(sign) && sign != ':';
    text.contains(is_joint) && text.split(is_joint).any(is_clock)
}

fn is_sign(sign: char) -> bool {
    !sign.is_alphanumeric()
}

/// Returns whether a text is made of digits and fractions: `1½`.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_numeric)
}

fn is_name(atom: &str) -> bool {
    let is_of_time =
        |word: Word| is_day_part(&word) || is_month(&word) || word.is(NAMED) || Days::of(&word).is_some();
    is_unit_like(atom)
        || number(atom).is_some()
        || STRONG.contains(&atom)
        || JOINTS.contains(&atom)
        || word(atom).is_some_and(is_of_time)
}

fn word(atom: &str) -> Option<Word> {
    Word::all(atom).into_iter().next()
}

/// Returns the runs of digits and of letters.
fn atoms(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_sign);
        let first = rest.chars().next()?;
        let is_same = |sign: char| sign.is_alphanumeric() && sign.is_numeric() == first.is_numeric();
        let end = rest.find(|sign: char| !is_same(sign)).unwrap_or(rest.len());
        let (atom, after) = rest.split_at(end);
        rest = after;
        Some(atom)
    })
}
