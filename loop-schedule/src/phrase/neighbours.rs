//! Words beside a schedule that change its meaning: `every hour` in `every hour between 9 and 17`.

use super::{
    clock::is_clock_like,
    days::{Days, is_day_or_month, is_day_range},
    grammar::Spec,
    time_sign::{is_day_part, is_ordinal, is_time, is_whole, qualifiers},
    word::Word,
};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like};

/// Abbreviations of time zones. A schedule has its zone beside it, and would fire at another time.
const ZONES: &[&str] = &[
    "UTC", "GMT", "CET", "CEST", "EET", "EEST", "BST", "IST", "JST", "EST", "EDT", "CST", "CDT", "MST",
    "MDT", "PST", "PDT",
];

/// Returns how many words after a schedule belong to its time; none if the prompt begins there.
pub(super) fn after(rest: &[Word]) -> usize {
    let (Some(first), next) = (rest.first(), rest.get(1..).unwrap_or_default()) else { return 0 };
    let is_next = |is: &dyn Fn(&Word) -> bool| next.first().is_some_and(is);
    let is_hour = |word: &Word| is_point(word) || is_number_like(&word.text) || word.is(&["half", "quarter"]);
    match first.text.as_str() {
        "at" | "@" if is_next(&is_hour) => 2,
        "and" | "or" | "&" if is_next(&|word| is_point(word) || is_date(word)) => 2,
        "and" | "or" | "&"
            if is_next(&|word| word.is(&["at", "on", "every", "each"])) && is_time_after(next) =>
        {
            3
        }
        "on" | "except" | "only" | "but" if is_next(&is_date) => 2,
        "between" | "from" | "until" | "till" | "to"
            if is_next(&|word| is_hour(word) && word.text != "one" || is_date(word)) =>
        {
            2
        }
        "for" if next.len() > 1 && is_number_like(&next[0].text) && is_unit_like(&next[1].text) => 3,
        "of" if is_next(&|word| word.is(&["the", "each", "every"])) => 2,
        "in" if is_next(&|word| word.is(&["the"])) && next.get(1).is_some_and(is_day_part) => 3,
        "next" | "this" if is_next(&|word| is_unit_like(&word.text) || is_day_part(word)) => 2,
        "every" | "each" if is_time(rest, 0) => 2 + qualifiers(next),
        _ if is_clock_like(first) || is_day_part(first) || ZONES.contains(&first.typed.as_str()) => 1,
        "noon" | "midnight" => 1,
        _ if is_date(first) && is_next(&|word| is_point(word) || word.is(&["at", "@"])) => 2,
        _ => 0,
    }
}

/// Returns whether `at 9`, `on mondays` or `every hour` begins here.
fn is_time_after(words: &[Word]) -> bool {
    is_time(words, 0) || words.get(1).is_some_and(is_date)
}

/// Returns where the time of a schedule at the end begins, if that is before the schedule: `Dec 24 at 18:00`.
///
/// A word that says how often something happens begins a new time, so what stands before it is the prompt.
pub(super) fn before(words: &[Word], start: usize, spec: &Spec) -> Option<usize> {
    if words[start].is(&["every", "each", "hourly", "daily", "weekly"]) {
        return None;
    }
    let is_part = |word: &Word| {
        const LINKS: &[&str] =
            &["and", "or", "after", "before", "until", "till", "by", "except", "other", "next"];
        let is_amount = is_unit_like(&word.text) && word.text.len() > 1 || is_compact_like(&word.text);
        let is_often = word.is(&["daily", "hourly", "weekly", "tomorrow", "tonight", "every", "each", "on"]);
        word.is(LINKS) || is_often || is_amount || is_date(word) || is_day_part(word) || is_clock_like(word)
    };
    let is_counted = |at: usize| {
        let is_month = at > 0 && is_day_or_month(&words[at - 1]);
        (is_month || is_unit_like(&words[at + 1].text)) && is_number_like(&words[at].text)
    };
    let is_part = |at: usize| is_part(&words[at]) || is_counted(at);
    let first = (0..start).rev().take_while(|at| is_part(*at)).last();
    let is_once = matches!(spec, Spec::At(_) | Spec::In(_) | Spec::Tomorrow(_) | Spec::Tonight(_));
    first.or_else(|| (is_once && is_time(words, 0)).then_some(0))
}

/// Returns whether a word names days: `friday`, `mon-fri`, `24th`, `2026-12-24`.
fn is_date(word: &Word) -> bool {
    let is_day = Days::parse(std::slice::from_ref(word)).is_some() || is_day_or_month(word);
    let parts: Vec<_> = word.text.split(['-', '/', '.']).collect();
    let is_numeric = parts.len() == 3 && parts.iter().all(|part| is_whole(part));
    let is_place = is_ordinal(word) && word.text.starts_with(|sign: char| sign.is_ascii_digit());
    is_day || is_day_range(&word.text) || is_numeric || is_place
}

/// Returns whether a word is a time of day, or an hour.
fn is_point(word: &Word) -> bool {
    is_clock_like(word) || word.is(&["noon", "midnight"]) || (is_whole(&word.text) && word.text.len() <= 2)
}
