//! Hexadecimal digits in the order of the bytes, with or without separators.

use super::{
    automaton::Automaton,
    numbers::is_separator,
    trail::{Trail, is_sequence},
};

/// Secrets with fewer digits are found only where nothing separates these: `31 32 33` is a list of numbers.
const LEAST_SEPARATED: usize = 16;
/// The first so many digits stand together in all that is printed, and have to: otherwise each `a` of a text would be
/// one.
pub(super) const TOGETHER: usize = 2;

/// How far values have been seen in digits.
#[derive(Debug, Default, Clone)]
pub(super) struct Digits {
    trail: Trail,
    /// A zero between two bytes, before which it is not known whether it is that of `0x`.
    zero: Option<Place>,
}

type Place = (usize, usize);

/// What digits are looked at with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Finds forms.
    pub(super) finder: &'a Automaton,
    /// Where the last line ended that is no row of a dump. Values over its end may be lists.
    pub(super) line_ended: usize,
}

/// An escape, as it is written from this place on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Escape<'a> {
    pub(super) written: &'a [u8],
    pub(super) from: usize,
    /// It may be one of JSON, of which no part must be left.
    pub(super) is_json: bool,
}

impl Digits {
    pub(super) fn is_idle(&self) -> bool {
        self.trail.is_idle() && self.zero.is_none()
    }

    /// Whether the beginning of a value has been seen.
    pub(super) fn is_begun(&self) -> bool {
        self.trail.depth() >= TOGETHER
    }

    /// Where the first thing begins that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.trail.first_candidate()
    }

    /// Lets go of the few digits that stand before the end of a line.
    pub(super) fn let_go(&mut self, to: usize) {
        self.trail.let_go(to);
    }

    /// Nothing goes on with what was seen.
    pub(super) fn reset(&mut self) {
        self.trail.reset();
    }

    /// Whether a value of which no more has been seen may begin with the last digit.
    pub(super) fn has_begun_here(&self) -> bool {
        self.trail.depth() == 1
    }

    /// No value begins with the last digit.
    pub(super) fn begin_without(&mut self) {
        if self.has_begun_here() {
            self.reset();
        }
    }

    /// Takes a sign. Returns the place of a value.
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

    /// Takes the digits of an escape as they are written, of which they may be the first ones of many: `\x6b65`. Zeros
    /// that fill a number up are none of them: `\u006b65`. Returns the place of a value.
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

    /// Takes a zero of which it was not known whether it is one. Returns the place of a value.
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

/// Both places, and what is between them.
fn joined(first: Option<Place>, second: Option<Place>) -> Option<Place> {
    match (first, second) {
        (Some((from, to)), Some((other, end))) => Some((from.min(other), to.max(end))),
        (first, second) => first.or(second),
    }
}

/// The bytes that these digits spell.
fn bytes(digits: &[u8]) -> Vec<u8> {
    let digit =
        |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0);
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, next| byte << 4 | digit(next))).collect()
}
