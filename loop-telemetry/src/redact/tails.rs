//! Finds the ends of secrets whose beginnings are missing.

use std::{
    collections::{BTreeSet, HashSet},
    ops::Range,
};

use super::{
    ansi::Ansi,
    forms::{LEAST, folded},
    numbers::is_separator,
    scan::Scanner,
    unit::{Sign, first_unit},
};

/// The maximum number of characters for each hexadecimal digit, with prefixes, quotes and separators: `"0x6b", ` and a
/// line end with an indentation.
const SIGNS_PER_DIGIT: usize = 8;

/// The maximum length of an escaped character, in bytes: `\\ud83d\\ude00`.
pub(super) const LONGEST_ESCAPE: usize = 12;

/// All short parts of the forms. The first bytes of a text show whether it can begin with the rest of a secret.
#[derive(Debug, Default)]
pub(super) struct Tails(HashSet<[u8; LEAST]>);

impl Tails {
    /// Returns the tails of these forms.
    pub(super) fn of<'a>(forms: impl Iterator<Item = &'a Vec<u8>>) -> Self {
        let parts = |form: &'a Vec<u8>| form.windows(LEAST).skip(1).filter_map(|part| part.try_into().ok());
        Self(forms.flat_map(parts).collect())
    }

    fn may_begin(&self, seen: &Seen) -> bool {
        seen.bytes.first_chunk().is_some_and(|first| self.0.contains(first))
    }
}

/// The visible part of a text's start, with the end of each byte in the text.
#[derive(Debug, Default)]
struct Seen {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Seen {
    fn of(text: &[u8], is_decoded: bool, most: usize) -> Self {
        let (mut seen, mut ansi, mut at) = (Self::default(), Ansi::default(), 0);
        while at < text.len()
            && seen.bytes.len() < most
            && let Some(unit) = first_unit(&text[at..], true)
        {
            let written = at..at + unit.length;
            at = written.end;
            match (is_decoded, unit.is_escape) {
                (false, true) => written.for_each(|at| seen.add(Sign::Char(text[at].into()), at..at + 1)),
                (true, _) if ansi.takes(unit.sign) => {}
                _ if unit.sign.is_visible() => seen.add(unit.sign, written),
                _ => {}
            }
        }
        seen
    }

    fn add(&mut self, sign: Sign, written: Range<usize>) {
        for byte in sign.bytes(&mut [0; 4]) {
            self.bytes.push(folded(*byte));
            self.ends.push(written.end);
        }
    }

    /// Returns the view of the reading that [leaves backslashes out](Forms::bare).
    fn literally(text: &[u8], most: usize) -> Self {
        let (mut seen, mut at) = (Self::default(), 0);
        while seen.bytes.len() < most
            && let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty())
            && let Some(unit) = first_unit(rest, true)
        {
            let is_left_out = |sign| matches!(sign, Sign::Char('\n' | '\'' | '"' | '\\'));
            // Shells escape each character with a meaning. In JSON, characters other than letters and digits may be
            // escapes.
            let is_sign = !matches!(unit.sign, Sign::Char(sign) if sign.is_ascii_alphanumeric());
            let is_decoded = !unit.is_escape || rest[0] == b'&' || rest.get(1) == Some(&b'u') && is_sign;
            let parts = if is_decoded { at..at + 1 } else { at..at + unit.length };
            for part in parts {
                let (sign, end) = match is_decoded {
                    true => (unit.sign, at + unit.length),
                    false => (Sign::Char(text[part].into()), part + 1),
                };
                if sign.is_visible() && !is_left_out(sign) {
                    seen.add(sign, part..end);
                }
            }
            at += unit.length;
        }
        seen
    }

    /// Returns only the hexadecimal digits at the start.
    fn digits(self) -> Self {
        let mut digits = Self::default();
        for (byte, end) in self.bytes.into_iter().zip(self.ends) {
            match byte {
                b'x' if digits.bytes.last() == Some(&b'0') => {
                    digits.bytes.pop();
                    digits.ends.pop();
                }
                digit if digit.is_ascii_hexdigit() => {
                    digits.bytes.push(digit.to_ascii_lowercase());
                    digits.ends.push(end);
                }
                // Folding turned a space into a plus.
                b'+' => {}
                other if is_separator(other.into()) => {}
                _ => break,
            }
        }
        digits
    }

    /// Returns how many bytes at the start are the end of a form, and how many are anywhere in it behind its first
    /// byte.
    fn rest_of(&self, form: &[u8]) -> (usize, usize) {
        // How many of the seen bytes are at the end of the form so far, by the algorithm of Knuth, Morris and Pratt.
        let seen = &self.bytes[..self.bytes.len().min(form.len() - 1)];
        let mut back = vec![0; seen.len()];
        let mut length = 0;
        for at in 1..seen.len() {
            while length > 0 && seen[at] != seen[length] {
                length = back[length - 1];
            }
            length += usize::from(seen[at] == seen[length]);
            back[at] = length;
        }
        let (mut length, mut longest) = (0, 0);
        for byte in &form[1..] {
            while length > 0 && (length == seen.len() || seen[length] != *byte) {
                length = back[length - 1];
            }
            length += usize::from(seen.get(length) == Some(byte));
            longest = longest.max(length);
        }
        (length, longest)
    }
}

impl Scanner {
    /// Returns how many bytes at the start of a text are the end of a known secret, if any are. With `is_cut_behind`, a
    /// text that is completely in the middle of a secret counts, too.
    pub(super) fn rest_of_a_secret(&self, text: &[u8], is_cut_behind: bool) -> Option<usize> {
        let (forms, tails) = (self.forms(), self.tails());
        let rest = |forms: &BTreeSet<Vec<u8>>, read: &dyn Fn(usize) -> Seen| {
            // Most texts do not begin like a secret.
            if !tails.may_begin(&read(LEAST)) {
                return None;
            }
            let seen = read(forms.iter().map(Vec::len).max()?);
            let end = |length: usize| (length >= LEAST).then(|| seen.ends[length - 1]);
            let rests: Vec<_> = forms.iter().map(|form| seen.rest_of(form)).collect();
            let longest = rests.iter().map(|(_, anywhere)| *anywhere).max()?;
            match end(longest) {
                // The last escape may be cut.
                Some(at) if is_cut_behind && at + LONGEST_ESCAPE > text.len() => Some(text.len()),
                _ => end(rests.iter().map(|(at_end, _)| *at_end).max()?),
            }
        };
        let written = rest(&forms.text, &|most| Seen::of(text, false, most));
        let decoded = rest(&forms.text, &|most| Seen::of(text, true, most));
        let literal = rest(&forms.bare, &|most| Seen::literally(text, most));
        let digits = rest(&forms.hex, &|most| Seen::of(text, true, SIGNS_PER_DIGIT * most).digits());
        [written, decoded, literal, digits].into_iter().flatten().max()
    }
}
