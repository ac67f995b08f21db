//! Near misses.
//!
//! `5M check` runs every ten minutes, since `5M` is not an interval. Without a hint, the person finds out from the
//! bill.

use std::fmt;

use super::time_words;

/// A word in a prompt that looks like a time but was not used as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntervalHint {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It looks like an interval.
    Interval,
    /// It looks like a day or a time of day.
    Calendar,
}

impl IntervalHint {
    /// Returns the words that look like a time.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Searches for a near miss in a text without an interval.
    pub(super) fn find(input: &str) -> Option<Self> {
        let words: Vec<&str> = input.split_whitespace().map(bare).collect();
        let at_start = |first: &[&str]| match first {
            [word, ..] if time_words::is_compact_like(word) => Some(1),
            [number, unit, ..] if time_words::is_number_like(number) && time_words::is_unit_like(unit) => {
                Some(2)
            }
            _ => None,
        };
        if let Some(count) = at_start(&words) {
            return Some(Self { text: words[..count].join(" "), kind: Kind::Interval });
        }
        (0..words.len()).filter(|at| words[*at].eq_ignore_ascii_case("every")).find_map(|at| {
            let (count, kind) = after_every(&words[at + 1..])?;
            Some(Self { text: words[at..=at + count].join(" "), kind })
        })
    }
}

/// Returns how many words after `every` form a time.
fn after_every(words: &[&str]) -> Option<(usize, Kind)> {
    match words {
        [word, ..] if time_words::is_calendar(word) => Some((1, Kind::Calendar)),
        [word, ..] if time_words::is_compact_like(word) || time_words::is_unit_word(word) => {
            Some((1, Kind::Interval))
        }
        [number, unit, ..] if time_words::is_number_like(number) && time_words::is_unit_like(unit) => {
            Some((2, Kind::Interval))
        }
        _ => None,
    }
}

/// Returns a word without the punctuation after it.
fn bare(word: &str) -> &str {
    word.trim_end_matches([',', '.', ';', ':', '!', '?'])
}

impl fmt::Display for IntervalHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match self.kind {
            Kind::Interval => write!(
                f,
                "{text:?} does not count as an interval: write it first as digits and one of s, m, h, d, as in \
                 30m, or last as in every 30 minutes"
            ),
            Kind::Calendar => {
                write!(f, "{text:?} does not count as a time: give an expression of cron, as in 0 9 * * 1")
            }
        }
    }
}
