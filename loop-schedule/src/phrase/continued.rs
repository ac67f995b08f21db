//! Words directly behind a schedule that continue its time: `30` in `every day at 9 30`, `x3` in `hourly x3`.
//!
//! A prompt may begin with any word, but a number, a day or a part of the day behind a time is far more often the rest
//! of the time. A job without it fires at other times, so the text is refused. A colon begins the prompt in any case.

use super::{
    atoms::are_joined,
    days::{Days, is_clearly_a_day, is_day_range},
    edge::is_conjunction,
    grammar::Spec,
    moments::{amount, day_part},
    neighbours,
    shapes::{is_hour_shaped, is_span, is_whole},
    spelling::is_minutes_of,
    word::Word,
};
use crate::interval::time_words::number;

/// Words that may stand between a time and its continuation.
const FILLERS: &[&str] = &[
    "-", "–", "—", "~", "at", "@", "by", "on", "near", "about", "around", "roughly", "circa", "only", "just",
    "exactly", "",
];

/// Returns how many words behind a schedule belong to its time. Zero if the prompt begins there. An expression has no
/// spec.
pub(super) fn after(words: &[Word], length: usize, spec: Option<&Spec>) -> usize {
    let (schedule, rest) = words.split_at(length);
    // After an interval, `3 tests` is what to do. Behind a time of day it may be minutes.
    let is_interval = spec.is_some_and(Spec::is_interval);
    match neighbours::after(rest) {
        _ if is_interval && is_count_of_things(rest) => 0,
        0 => loose(&schedule[length - 1], spec, rest).unwrap_or(0),
        more => more,
    }
}

/// Returns the length of a continuation that only its own shape announces.
fn loose(last: &Word, spec: Option<&Spec>, rest: &[Word]) -> Option<usize> {
    let fillers = rest.iter().take(3).take_while(|word| word.is(FILLERS)).count();
    let here = &rest[fillers..];
    let next = here.first()?;
    let whole = |is: bool, length: usize| is.then_some(fillers + length);
    let is_interval = spec.is_some_and(Spec::is_interval);
    let continues_hour = number(&last.text).is_some();
    let is_daily = last.is(&["day", "days", "daily", "everyday"]);
    let is_word = number(&next.text).is_some() && (fillers > 0 || !next.is(&["one"]));
    let is_number = is_hour_shaped(&next.text) || (is_word && (is_daily || continues_hour || !is_interval));
    let is_vague = next.is(&["today", "tonight", "tomorrow", "yesterday", "forever"]) || is_fires(&next.text);
    let is_once = next.is(&["once"]) && !is_conjunction(here);
    // `17` in `every day at 9/17`, and `9/17` in `every day 9/17`.
    let is_joined = are_joined(&next.text) || (is_after_at(&rest[..fillers]) && has_digit(&next.text));
    whole(is_number || is_joined, 1)
        .or_else(|| whole(is_vague || is_once, 1))
        .or_else(|| whole(names_a_day(next), 1))
        .or_else(|| day_part(here).filter(|_| is_daily || !fits(last, spec, next)).map(|it| fillers + it))
}

/// Returns whether the word behind an interval in short units is more of it: `30` in `1h 30 look`.
pub(super) fn is_number_alone(words: &[Word]) -> bool {
    let [last, rest @ ..] = words else { return false };
    let is_part = rest.first().is_some_and(|next| is_minutes_of(last, next) && !next.has_colon);
    is_part && !last.has_colon && !is_count_of_things(rest)
}

/// Returns whether words are a number of things: `3 tests`, `3-4 files`, `5 minutes of fuzzing`.
fn is_count_of_things(words: &[Word]) -> bool {
    let is_amount = amount(words).is_some_and(|it| words.get(it).is_some_and(|word| word.is(&["of"])));
    let is_number = |word: &Word| is_whole(&word.text) || is_span(&word.text) || number(&word.text).is_some();
    let is_plural =
        |word: &Word| word.text.len() > 3 && word.text.ends_with('s') && !word.text.ends_with("ss");
    let is_thing = |word: &Word| is_plural(word) && !word.is_unit() && !word.is(&["times", "fires"]);
    is_amount || (words.first().is_some_and(is_number) && words.get(1).is_some_and(is_thing))
}

/// Returns whether a word is a number of fires: `x3`.
pub(super) fn is_fires(text: &str) -> bool {
    let count = text.strip_prefix(['x', '×', '/']).or_else(|| text.strip_suffix(['x', '×']));
    count.is_some_and(is_whole)
}

fn is_after_at(fillers: &[Word]) -> bool {
    fillers.last().is_some_and(|word| word.is(&["at", "@"]))
}

/// Returns whether a word has a digit and is no share: `9|17`, `h9`.
fn has_digit(text: &str) -> bool {
    text.contains(|sign: char| sign.is_ascii_digit()) && !text.ends_with('%')
}

fn names_a_day(word: &Word) -> bool {
    is_day_range(&word.text) || (Days::of(word).is_some() && is_clearly_a_day(word))
}

/// Returns whether a part of the day says nothing new: `morning` after `at 8`. After a day it does, and after an
/// interval of hours it is what the prompt is about.
fn fits(last: &Word, spec: Option<&Spec>, part: &Word) -> bool {
    let hour = match spec {
        _ if last.is(&["today", "tomorrow"]) || names_a_day(last) => return false,
        Some(Spec::Days(_, time) | Spec::At(time) | Spec::On(_, time)) => time.hour,
        Some(Spec::Today(time) | Spec::Tomorrow(time)) => time.hour,
        Some(Spec::Tonight(time)) => time.in_the_evening().hour,
        Some(Spec::Every(_) | Spec::In(_)) | None => return true,
    };
    match part.text.trim_end_matches('s') {
        "morning" => hour < 12,
        "afternoon" | "evening" => hour >= 12,
        "night" => !(6..18).contains(&hour),
        _ => true,
    }
}
