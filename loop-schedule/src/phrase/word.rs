//! The words of a text, and where they begin.

use super::{label, shapes::is_whole};
use crate::interval::time_words::{is_number_like, is_unit_like, is_unit_word};

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its position in the text, in bytes.
    pub(super) start: usize,
    /// Its position behind the last letter, in bytes.
    pub(super) end: usize,
    /// The word as typed, without punctuation around it.
    pub(super) typed: String,
    /// The same in lower case.
    pub(super) text: String,
    /// Whether a colon follows it.
    pub(super) has_colon: bool,
    /// Whether a comma follows it.
    pub(super) has_comma: bool,
    /// Whether it ends with an apostrophe, as `minutes'` does.
    pub(super) is_possessive: bool,
}

impl Word {
    /// Splits a text at white space, `every10m`, `@9am` and `rate(5` before the digit, and `1/2h` behind it.
    pub(super) fn all(input: &str) -> Vec<Self> {
        let start = |word: &str| word.as_ptr() as usize - input.as_ptr() as usize;
        let words = input.split_whitespace().flat_map(hyphenated_words).flat_map(assigned).flat_map(|word| {
            let (head, rest) = word.split_at(glued_head(word));
            let (rest, unit) = rest.split_at(glued_unit(rest));
            [head, rest, unit].into_iter().filter(|part| !part.is_empty())
        });
        words.map(|word| Self::new(word, start(word))).collect()
    }

    fn new(word: &str, start: usize) -> Self {
        let is_opening = |sign: char| matches!(sign, '(' | '[' | '{') || is_quote(sign);
        let seen: String = word.chars().filter(|sign| !is_invisible(*sign)).collect();
        let typed = match without_emphasis(&seen).trim_end_matches(is_closing).trim_start_matches(is_opening)
        {
            number if start == 0 && is_in_minutes(&seen) => number.trim_end_matches('′').to_owned() + "min",
            // A field of a cron expression.
            "" if seen == "?" => seen.clone(),
            typed => typed.to_owned(),
        };
        // Cloud services write `rate(5 minutes)`.
        let text = match &*typed {
            "rate(" => "every".to_owned(),
            "+" => "&".to_owned(),
            _ => typed.to_lowercase(),
        };
        let (has_colon, has_comma) = (word.ends_with(':'), word.ends_with(','));
        let is_possessive = word.ends_with(['\'', '’']);
        Self { start, end: start + word.len(), typed, text, has_colon, has_comma, is_possessive }
    }

    /// Returns whether it is one of these words.
    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    /// Returns whether it looks like a unit of time, of several letters.
    pub(super) fn is_unit(&self) -> bool {
        is_unit_word(&self.text)
    }

    /// Returns whether it begins with a capital letter.
    pub(super) fn is_capital(&self) -> bool {
        self.typed.starts_with(|letter: char| letter.is_uppercase())
    }
}

/// Returns whether a sign is a quotation mark of some language.
pub(super) fn is_quote(sign: char) -> bool {
    "\"'`“”„‟‘’‚‛«»‹›「」『』".contains(sign)
}

/// Returns whether a sign has no width. Copied text has some of them, and a time with one is still a time.
fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Splits a word whose parts are a schedule: `every-5-minutes`, `half-hour`. Other words stay whole.
fn hyphenated_words(word: &str) -> impl Iterator<Item = &str> {
    let signs = ['-', '_'];
    let (first, rest) = word.split_once(signs).unwrap_or((word, ""));
    let is = |names: &[&str]| names.iter().any(|name| first.eq_ignore_ascii_case(name));
    let rest = rest.trim_end_matches(is_closing);
    let is_time = |part: &str| is_number_like(part) || is_unit_word(part);
    let is_schedule = is(&["every", "each"]) && rest.to_lowercase().split(signs).all(is_time);
    let is_part = is(&["half", "quarter"]) && is_unit_word(&rest.to_lowercase());
    word.split(move |sign| (is_schedule || is_part) && signs.contains(&sign))
}

/// Splits a word at the sign behind the name of a schedule: `cron=0`.
fn assigned(word: &str) -> impl Iterator<Item = &str> {
    let end = word.find('=').map_or(0, |at| at + 1);
    let is_name =
        label::NAMES.iter().any(|name| word[..end].trim_matches(['-', '=']).eq_ignore_ascii_case(name));
    let (name, value) = word.split_at(if is_name { end } else { 0 });
    [name, value].into_iter().filter(|part| !part.is_empty())
}

/// Removes the signs with which Markdown marks words: `**every`. In `*/5` and `1-5,*`, the star is a field.
fn without_emphasis(word: &str) -> &str {
    let is_sign = |sign: char| matches!(sign, '*' | '_');
    let begun = word.trim_start_matches(is_sign);
    let word = if begun.starts_with(char::is_alphanumeric) { begun } else { word };
    let ended = word.trim_end_matches(|sign| is_sign(sign) || (is_closing(sign) && sign != ','));
    if ended.ends_with(char::is_alphanumeric) { ended } else { word }
}

/// Returns the length of a head that is written together with a number: 5 in `every10m`, 0 in `every`.
fn glued_head(word: &str) -> usize {
    const HEADS: [&str; 5] = ["every", "each", "@", "rate(", "cron("];
    let length =
        |head: &str| word.get(..head.len()).filter(|start| start.eq_ignore_ascii_case(head)).map(str::len);
    let is_number = |length: &usize| {
        let is_first = |sign: char| sign.is_ascii_digit() || (sign == '*' && word[..*length].ends_with('('));
        word[*length..].starts_with(is_first)
    };
    // `every=5m`.
    let with_signs = |length: usize| {
        let rest = &word[length..];
        length + rest.len() - rest.trim_start_matches([':', '=']).len()
    };
    HEADS.into_iter().find_map(length).map(with_signs).filter(is_number).unwrap_or(0)
}

/// Returns the position of a unit that is written together with a fraction: 3 in `1/2h`. Other words have no such unit.
fn glued_unit(word: &str) -> usize {
    let unit = word.find(|sign: char| sign.is_ascii_alphabetic()).unwrap_or(word.len());
    let is_fraction =
        word[..unit].split_once('/').is_some_and(|(over, under)| is_whole(over) && is_whole(under));
    if is_fraction && is_unit_like(word[unit..].trim_end_matches(is_closing)) { unit } else { word.len() }
}

/// Returns whether a word is a number of minutes with an apostrophe or a prime: `15'`.
fn is_in_minutes(word: &str) -> bool {
    word.strip_suffix(['\'', '’', '′']).is_some_and(is_whole)
}

/// Returns whether a sign can close a word.
fn is_closing(sign: char) -> bool {
    ",.;:!?=…)]}".contains(sign) || is_quote(sign)
}

/// Returns words as one text, with the commas between them.
pub(super) fn joined(words: &[Word]) -> String {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        text += &word.typed;
        if at + 1 < words.len() {
            text += if word.has_comma { ", " } else { " " };
        }
    }
    text
}
