//! Misspelt words of time: `evry 5 minutes`, `tomorow at 8`.
//!
//! A typing error must not turn a schedule into a prompt that runs every ten minutes, or into another schedule. So a
//! text is also read with its misspelt words corrected. Where that changes its time, the text is refused.
//!
//! Many words are one letter away from a word of time, so the words around a word decide whether it can be one: `5
//! huors` is, and `the huors` is not. Words of the language are never corrected on their own: `dairy`, `very`.

use super::{amounts::amount, shapes::starts_with_number, word::Word};
use crate::interval::time_words::{is_compact_like, is_number_like, is_unit_like};

/// Where a word of time is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anywhere.
    Any,
    /// Before a number with a unit, a unit or a day. Elsewhere, it must be no other word.
    BeforeTime,
    /// After a number or `every`.
    AfterCount,
    /// Between `every` or `in` and a unit.
    BeforeUnit,
    /// Beside a number in digits.
    BesideNumber,
    /// After `at`, `every` or a day.
    AfterAt,
}

/// Words of time. The first place that fits a word decides.
const WORDS: &[(Place, &[&str])] = &[
    (Place::BeforeTime, &["every", "each"]),
    (
        Place::AfterCount,
        &[
            "second",
            "seconds",
            "minute",
            "minutes",
            "mins",
            "hour",
            "hours",
            "day",
            "days",
            "week",
            "weeks",
            "month",
            "months",
            "year",
            "years",
            "weekday",
            "morning",
            "evening",
            "afternoon",
            "night",
        ],
    ),
    (
        Place::BeforeUnit,
        &[
            "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "ninety", "other", "couple",
        ],
    ),
    (
        Place::BesideNumber,
        &["january", "february", "march", "april", "august", "september", "october", "november", "december"],
    ),
    (Place::AfterAt, &["noon"]),
    (
        Place::Any,
        &[
            "hourly",
            "daily",
            "weekly",
            "weekday",
            "weekdays",
            "tomorrow",
            "tonight",
            "midday",
            "midnight",
            "sunday",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sundays",
            "mondays",
            "tuesdays",
            "wednesdays",
            "thursdays",
            "fridays",
            "saturdays",
        ],
    ),
];

/// Spellings that are further from the word than a typing error, and abbreviations.
const ALIASES: &[(&str, &str)] = &[
    ("tonite", "tonight"),
    ("midnite", "midnight"),
    ("tmrw", "tomorrow"),
    ("tmr", "tomorrow"),
    ("tomo", "tomorrow"),
    ("mn", "min"),
    ("mns", "mins"),
    ("mnts", "minutes"),
    ("hs", "hours"),
];

/// Words of the language that are close to a word of time.
const OTHERS: &str = "very ever emery evert ache dairy daisy dally gaily weakly meekly sundae sundry today saturate \
    saturated moon soon neon noun nook boon goon loon none mono tours yours pours fours hoars minuses \
    mouth mouths moth moths monthly seeks reeks weeds geeks leeks peeks bears tears gears pears hears \
    dears nears wears ears match matches starch search much warning warnings mourning eight light right \
    might fight sight tight nights weekend weekends seconds yearly nightly mondays module";

/// A text with corrected words.
#[derive(Debug)]
pub(super) struct Corrected {
    pub(super) text: String,
    /// The words as typed, and as corrected.
    changes: Vec<(String, String)>,
}

impl Corrected {
    /// Corrects the misspelt words of time. `None` if there are none.
    pub(super) fn of(input: &str) -> Option<Self> {
        let (mut text, mut changes) = (input.to_owned(), Vec::new());
        // A corrected word can be what shows that another one is a time: `evry huor`.
        for _ in 0..3 {
            let words = Word::all(&text);
            let Some((at, right)) = (0..words.len()).find_map(|at| Some((at, correct(&words, at)?))) else {
                break;
            };
            let word = &words[at];
            let start = word.start + text[word.start..word.end].find(&word.typed)?;
            let typed = word.typed.clone();
            text.replace_range(start..start + typed.len(), &right);
            changes.push((typed, right));
        }
        (!changes.is_empty()).then_some(Self { text, changes })
    }

    /// Returns a part of the corrected text as it was typed.
    pub(super) fn as_typed(&self, part: &str) -> String {
        self.changes
            .iter()
            .fold(format!(" {part} "), |part, (typed, right)| {
                part.replacen(&format!(" {right} "), &format!(" {typed} "), 1)
            })
            .trim()
            .to_owned()
    }
}

/// Returns the word of time that a word is meant to be.
fn correct(words: &[Word], at: usize) -> Option<String> {
    let word = &words[at];
    // `5mintues` is a number and a unit.
    let letters = word.text.find(|sign: char| !sign.is_ascii_digit())?;
    let (digits, name) = word.text.split_at(letters);
    let is_plain = name.len() > 1 && name.bytes().all(|sign| sign.is_ascii_alphabetic());
    if !is_plain || is_known(&word.text) || is_known(name) {
        return None;
    }
    if !digits.is_empty() {
        let unit = alias(name).or_else(|| closest(name, WORDS[1].1))?;
        return is_unit_like(unit).then(|| format!("{digits} {unit}"));
    }
    if let Some(right) = alias(name)
        && (!is_unit_like(right) || is_counted(words, at))
    {
        return Some(right.to_owned());
    }
    let fitting = WORDS.iter().filter(|(place, _)| fits(*place, words, at));
    let named = |(place, names): &(Place, &[&'static str])| match place {
        // No other word of the language is that close here.
        Place::AfterAt => names.iter().copied().find(|right| errors(name, right) == 1),
        _ => closest(name, names),
    };
    fitting.filter_map(named).next().map(str::to_owned)
}

fn alias(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(typed, _)| *typed == name).map(|(_, right)| *right)
}

/// Returns whether a word is spelt as a word of time is.
fn is_known(text: &str) -> bool {
    is_unit_like(text) || amount(text).is_some() || WORDS.iter().any(|(_, names)| names.contains(&text))
}

/// Returns whether a place is that of a word. A word of the language needs more around it.
fn fits(place: Place, words: &[Word], at: usize) -> bool {
    let is_other = OTHERS.split_whitespace().any(|other| words[at].text == other);
    let before = at.checked_sub(1).map(|at| &words[at]);
    let next = words.get(at + 1);
    let is_before = |names: &[&str]| before.is_some_and(|word| word.is(names));
    match place {
        Place::Any => !is_other,
        Place::BeforeTime => !is_other || begins_with_time(&words[at + 1..]),
        Place::AfterCount => {
            let is_repeated =
                || is_before(&["every", "each"]) || at > 1 && words[at - 2].is(&["every", "each", "in"]);
            is_counted(words, at) && (!is_other || is_repeated())
        }
        Place::BeforeUnit => is_before(&["every", "each", "in"]) && next.is_some_and(Word::is_unit),
        Place::BesideNumber => {
            !is_other && (before.is_some_and(starts_with_number) || next.is_some_and(starts_with_number))
        }
        Place::AfterAt => {
            !is_other && is_before(&["at", "every", "each", "today", "tomorrow", "day", "daily"])
        }
    }
}

/// Returns whether a number or `every` is before a word.
fn is_counted(words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| &words[at]);
    before.is_some_and(|word| word.is(&["every", "each"]) || is_number_like(&word.text))
}

/// Returns whether words begin with a number and a unit, a unit or a day.
fn begins_with_time(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let is_unit = || words.get(1).is_some_and(Word::is_unit);
    let is_day = super::days::Days::of(first).is_some();
    first.is_unit() || is_day || is_compact_like(&first.text) || (is_number_like(&first.text) && is_unit())
}

/// Returns the name with the fewest typing errors in a word: one, or two in a long name. A short name only has letters
/// that are swapped or doubled.
fn closest(word: &str, names: &[&'static str]) -> Option<&'static str> {
    // A letter too many or too few is one error, and no word has more than two.
    let is_as_long = |name: &&&str| word.len().abs_diff(name.len()) <= 2;
    let near = names.iter().filter(is_as_long).filter_map(|name| {
        let errors = errors(word, name);
        let is_near = match name.len() {
            0..=4 => errors == 1 && is_swapped_or_doubled(word, name),
            5..=7 => errors == 1,
            _ => errors <= 2 && (errors == 1 || word.starts_with(&name[..1])),
        };
        is_near.then_some((errors, *name))
    });
    let is_other_number = |name: &str| name.ends_with('s') != word.ends_with('s');
    near.min_by_key(|(errors, name)| (*errors, is_other_number(name))).map(|(_, name)| name)
}

/// Returns whether two words have the same letters, one of which may be doubled.
fn is_swapped_or_doubled(word: &str, name: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<_> = text.bytes().collect();
        letters.sort_unstable();
        letters
    };
    let (mut doubled, swapped) = (word.as_bytes().to_vec(), sorted(word) == sorted(name));
    doubled.dedup();
    let mut single = name.as_bytes().to_vec();
    single.dedup();
    swapped || (doubled == single && word.len() > name.len())
}

/// Returns the number of letters that are wrong, missing, too many, or swapped with the next.
fn errors(word: &str, name: &str) -> usize {
    let (word, name) = (word.as_bytes(), name.as_bytes());
    let width = name.len() + 1;
    let mut table = vec![0; (word.len() + 1) * width];
    for row in 0..=word.len() {
        for column in 0..width {
            let at = row * width + column;
            table[at] = match (row, column) {
                (0, more) | (more, 0) => more,
                _ => {
                    let is_same = word[row - 1] == name[column - 1];
                    let replaced = table[at - width - 1] + usize::from(!is_same);
                    let is_swap = row > 1
                        && column > 1
                        && (word[row - 1], word[row - 2]) == (name[column - 2], name[column - 1]);
                    let swapped = if is_swap { table[at - 2 * width - 2] + 1 } else { usize::MAX };
                    replaced.min(table[at - width] + 1).min(table[at - 1] + 1).min(swapped)
                }
            };
        }
    }
    table[table.len() - 1]
}
