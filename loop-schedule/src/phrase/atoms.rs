//! Words with signs in them, as the names and numbers between the signs: `monday,9`, `5m/10m`, `1hour30`.
//!
//! People join words of time with any sign. A sign must not hide them, because a hidden time is a job that runs every ten
//! minutes.

use super::{
    clock::NAMED,
    days::{Days, is_month},
    shapes::is_whole,
    time_sign::is_day_part,
    word::Word,
};
use crate::interval::time_words::{is_unit_like, number};

/// The most bytes of a word of time. Longer words are paths and addresses.
const MOST: usize = 40;

/// Names that belong to a time, and are none by themselves.
const JOINTS: &[&str] = &[
    "am", "pm", "every", "each", "daily", "hourly", "weekly", "today", "tomorrow", "tonight", "and", "or",
    "to", "y", "st", "nd", "rd", "th",
];

/// Returns whether all names and numbers of a word belong to a time. A word without any of them does not.
pub(super) fn are_of_time(text: &str) -> bool {
    let mut atoms = atoms(text).peekable();
    text.len() <= MOST && atoms.peek().is_some() && atoms.all(|atom| is_whole(atom) || is_name(atom))
}

/// Returns whether a word joins several names and numbers of a time: `monday/9`, `9/17`, `1hour30`, `>5m`.
pub(super) fn are_joined(text: &str) -> bool {
    are_of_time(text) && (atoms(text).count() > 1 || text.starts_with(|sign: char| !sign.is_alphanumeric()))
}

/// Returns whether a word joins a number and its unit, or a day, with other parts of a time: `5m/10m`, `monday/9`.
pub(super) fn is_joined_time(text: &str) -> bool {
    let is_counted = |part: &str| {
        let atoms: Vec<_> = atoms(part).collect();
        atoms.windows(2).any(|pair| is_whole(pair[0]) && (is_unit_like(pair[1]) || pair[1] == "y"))
    };
    let names_a_day =
        || atoms(text).any(|atom| atom.len() > 2 && word(atom).is_some_and(|it| Days::of(&it).is_some()));
    are_joined(text) && (text.split(|sign: char| !sign.is_alphanumeric()).any(is_counted) || names_a_day())
}

/// Returns whether a word after `every` is a number or a name of time, with or without signs: `5%`, `>5m`, `day/hour`.
pub(super) fn is_counted(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_short = digits > 0 && text[digits..].chars().count() < 2;
    is_short || are_joined(text)
}

fn is_name(atom: &str) -> bool {
    let is_of_time =
        |word: Word| is_day_part(&word) || is_month(&word) || word.is(NAMED) || Days::of(&word).is_some();
    is_unit_like(atom)
        || number(atom).is_some()
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
        rest = rest.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        let first = rest.chars().next()?;
        let is_same = |sign: char| sign.is_alphanumeric() && sign.is_numeric() == first.is_numeric();
        let end = rest.find(|sign: char| !is_same(sign)).unwrap_or(rest.len());
        let (atom, after) = rest.split_at(end);
        rest = after;
        Some(atom)
    })
}
