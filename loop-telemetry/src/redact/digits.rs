//! Hexadecimal digits in the order of the bytes, with or without separators.

use super::{
    automaton::Automaton,
    numbers::is_separator,
    trail::{Trail, is_sequence},
};

/// Secrets with fewer digits must have no separators: `31 32 33` is a list of numbers.
const LEAST_SEPARATED: usize = 16;
/// The number of first digits that must be adjacent. They are in all known outputs, and otherwise every `a` in a text
/// would be a candidate.
pub(super) const TOGETHER: usize = 2;

/// The progress of candidates in hexadecimal digits.
#[derive(Debug, Default, Clone)]
pub(super) struct Digits {
    trail: Trail,
    /// A zero between two bytes that may belong to `0x`.
    zero: Option<Place>,
}

type Place = (usize, usize);

/// The inputs of the search for digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Finds forms.
    pub(super) finder: &'a Automaton,
    /// The end of the last line that is not a row of a dump. Values that cross it may be lists.
    pub(super) line_ended: usize,
}

/// An escape as written, from this position on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Escape<'a> {
    pub(super) written: &'a [u8],
    pub(super) from: usize,
    /// Whether it may be an escape of JSON, of which no part may remain.
    pub(super) is_json: bool,
}

impl Digits {
    pub(super) fn is_idle(&self) -> bool {
        self.trail.is_idle() && self.zero.is_none()
    }

    /// Returns whether a value may have begun.
    pub(super) fn is_begun(&self) -> bool {
        self.trail.depth() >= TOGETHER
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.trail.first_candidate()
    }

    /// Releases the few digits before the end of a line.
    pub(super) fn let_go(&mut self, to: usize) {
        self.trail.let_go(to);
    }

    /// Drops all candidates.
    pub(super) fn reset(&mut self) {
        self.trail.reset();
    }

    /// Returns whether a value may begin with the last digit, and none has begun before.
    pub(super) fn has_begun_here(&self) -> bool {
        self.trail.depth() == 1
    }

    /// Drops a value that would begin with the last digit.
    pub(super) fn begin_without(&mut self) {
        if self.has_begun_here() {
            self.reset();
        }
    }

    /// Takes a character. Returns the position of a value.
    pub(super) fn take(&mut self, sign: char, place: Place, known: Known<'_>) -> Option<Place> {
        if self.is_idle() && !sign.is_ascii_hexdigit() {
            return None;
        }
        if matches!(sign, 'x' | 'X') && self.zero.take().is_some() {
            return None;
        }
        let found = self.put_zero(known);
        if sign == '0' && self.is_between_bytes() {
            self.zero = Some(place);
        } else if sign.is_ascii_hexdigit() {
            return joined(found, self.step((sign.to_ascii_lowercase() as u8, place), known));
        } else if !is_separator(sign) || !self.is_begun() {
            self.reset();
        }
        found
    }

    /// Takes the digits of an escape as written, because they may be the first of several: `\x6b65`. Skips the zeros
    /// that pad a number: `\u006b65`. Returns the position of a value.
    pub(super) fn take_escape(&mut self, escape: &Escape<'_>, known: Known<'_>) -> Option<Place> {
        let Escape { written, from, is_json } = *escape;
        let (mut rest, mut found, mut whole) = (written, None, is_json.then_some(from));
        while let [byte, after @ ..] = rest {
            let at = from + written.len() - rest.len();
            rest = after;
            let sign = char::from(*byte);
            if matches!(sign, 'u' | 'U') {
                while let [b'0', b'0', digits @ ..] = rest
                    && !digits.is_empty()
                {
                    rest = digits;
                }
            }
            let (sign, begins) = match sign.is_ascii_hexdigit() {
                true => (sign, whole.take().unwrap_or(at)),
                false => (' ', at),
            };
            found = joined(found, self.take(sign, (begins, at + 1), known));
        }
        found
    }

    /// Takes a zero that was held back. Returns the position of a value.
    pub(super) fn put_zero(&mut self, known: Known<'_>) -> Option<Place> {
        let place = self.zero.take()?;
        self.step((b'0', place), known)
    }

    fn is_between_bytes(&self) -> bool {
        self.is_begun() && self.trail.depth().is_multiple_of(2)
    }

    fn step(&mut self, (digit, (from, end)): (u8, Place), known: Known<'_>) -> Option<Place> {
        let hit = self.trail.step(digit, from, known.finder)?;
        let is_list = || hit.from <= known.line_ended && is_sequence(&bytes(&hit.bytes()));
        let is_meant = end - hit.from == hit.length || hit.length >= LEAST_SEPARATED && !is_list();
        is_meant.then_some((hit.from, end))
    }
}

/// Returns both positions, and the text between them.
fn joined(first: Option<Place>, second: Option<Place>) -> Option<Place> {
    match (first, second) {
        (Some((from, to)), Some((other, end))) => Some((from.min(other), to.max(end))),
        (first, second) => first.or(second),
    }
}

/// Returns the bytes that these digits spell.
fn bytes(digits: &[u8]) -> Vec<u8> {
    let digit =
        |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0);
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, next| byte << 4 | digit(next))).collect()
}
