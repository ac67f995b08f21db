//! Secrets in numbers, as `xxd`, `hexdump`, `od`, `openssl` and programs that print lists of bytes write them.
//!
//! Hexadecimal digits in the order of the bytes are one lane. It takes digit by digit, since a text may hold any number of
//! them without a separator. [`Words`] are the lanes of all other numbers.
//!
//! A row of a dump begins with an offset, and ends with the bytes as signs. Neither is part of what the digits say; but
//! where a secret goes on in the next row, these signs say it as well, and are taken out with it.

use super::{
    automaton::Automaton,
    filter::{Beginnings, Precedes},
    found::Found,
    rows::{Dump, MOST_SIGNS, Offset, Row},
    trail::{Trail, is_sequence},
    unit::Sign,
    words::Words,
};

/// Secrets with fewer digits are found only where nothing separates these: `31 32 33` is a list of numbers.
const LEAST_SEPARATED: usize = 16;
/// The first so many digits stand together in all that is printed, and have to: otherwise each `a` of a text would be
/// one.
const TOGETHER: usize = 2;
/// What separates digits, beside the end of a line.
pub(super) const SEPARATORS: [char; 13] = [' ', ',', ':', '-', ';', '\'', '"', '[', ']', '(', ')', '{', '}'];

/// Whether a sign separates digits.
pub(super) fn is_separator(sign: char) -> bool {
    sign == '\n' || SEPARATORS.contains(&sign)
}

/// What separates numbers.
pub(super) fn separators() -> impl Iterator<Item = u8> {
    SEPARATORS.iter().map(|separator| *separator as u8)
}

/// How a text may begin that has this form, of hexadecimal digits.
pub(super) fn beginnings(form: &[u8], to: &mut Beginnings) {
    let after: Vec<u8> = separators().chain([form[TOGETHER]]).collect();
    to.add_in_both_cases(Precedes::Anything, &String::from_utf8_lossy(&form[..TOGETHER]), &after);
}

/// A digit and its place.
type Digit = (u8, (usize, usize));

/// How far secrets have been seen in numbers.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    digits: Trail,
    words: Words,
    /// A zero between two bytes, before which it is not known whether it is that of `0x`.
    zero: Option<(usize, usize)>,
    /// So many spaces precede the next sign, and so many signs that are neither letters nor digits.
    spaces: usize,
    gap: usize,
    row: Row,
    /// Digits that may be an offset.
    offset: Vec<Digit>,
    is_offset: Offset,
    /// Where the last row of a dump ended, and the last line that is no row.
    row_ended: usize,
    line_ended: usize,
    /// The rest of the line, from this place on, says again what was taken out.
    covers: Option<usize>,
}

/// What numbers are looked at with, and where it is put down.
pub(super) struct Search<'a> {
    /// Finds forms in hexadecimal digits, and in bytes.
    pub(super) digits: &'a Automaton,
    pub(super) bytes: &'a Automaton,
    pub(super) found: &'a mut Found,
}

impl Numbers {
    pub(super) fn is_idle(&self) -> bool {
        self.digits.is_idle() && self.words.is_idle() && self.row == Row::Digits && self.covers.is_none()
    }

    /// Where the first thing begins that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.digits.first_candidate().into_iter().chain(self.words.first_candidate()).min()
    }

    /// Forgets the word that has not ended.
    pub(super) fn forget_word(&mut self) {
        self.words.forget_word();
    }

    /// Takes a sign that is seen. It is `in_word` if a letter or a digit precedes it; `dump` tells of which dump the line
    /// is.
    pub(super) fn take(
        &mut self,
        sign: Sign,
        place: (usize, usize),
        in_word: bool,
        dump: impl Fn() -> Option<Dump>,
        mut to: Search<'_>,
    ) {
        let sign = match sign {
            Sign::Char(sign) => sign,
            // In the text column of a dump, `%a0` is three characters, not one byte.
            Sign::Byte(_) | Sign::Nothing => char::REPLACEMENT_CHARACTER,
        };
        if let Some(from) = self.covers {
            self.covers = self.covers.filter(|_| sign != '\n' && place.1 - from < MOST_SIGNS);
            if self.covers.is_some() {
                to.found.go_on(place.0, place.1);
            }
        }
        self.gap = if sign.is_ascii_alphanumeric() { 0 } else { self.gap + 1 };
        if self.gap > MOST_SIGNS {
            // However long, it would be held back.
            self.end(&mut to);
        } else if !self.is_beside_digits(sign, place, &mut to) {
            self.take_content(sign, place, in_word, dump, &mut to);
        }
        if sign == '\n' {
            // A word that the line's end has ended is covered to there.
            self.covers = None;
            self.digits.let_go(place.1);
            self.words.let_go(place.1);
        }
    }

    /// Takes the digits of an octal escape that may have one digit more: `\015` and `3`.
    pub(super) fn take_octal(&mut self, digits: &[u8], from: usize, to: &mut Search<'_>) {
        let found = self.words.take_octal(digits, from, to.bytes);
        self.put_found(found, to);
    }

    /// Nothing goes on with what was seen.
    pub(super) fn end(&mut self, to: &mut Search<'_>) {
        self.put_zero(to);
        self.digits.reset();
        let found = self.words.end_word(to.bytes);
        self.put_found(found, to);
        self.words.reset();
        self.row = Row::Digits;
    }

    fn take_content(
        &mut self,
        sign: char,
        place: (usize, usize),
        in_word: bool,
        dump: impl Fn() -> Option<Dump>,
        to: &mut Search<'_>,
    ) {
        let spaces = self.spaces;
        self.spaces = if sign == ' ' { spaces + 1 } else { 0 };
        if !sign.is_ascii_alphanumeric() {
            let found = self.words.end_word(to.bytes);
            self.put_found(found, to);
        }
        let is_begun = self.digits.depth() >= TOGETHER || self.words.is_begun();
        let is_part = sign.is_ascii_hexdigit() || matches!(sign, 'x' | 'X') || is_separator(sign);
        let ends_row = is_begun
            && match sign {
                '\n' => dump().is_some(),
                ' ' => spaces == 1 && dump() == Some(Dump::Colon),
                // Two spaces precede the signs, whatever prints them.
                _ => spaces > 1 && !is_part && dump().is_some(),
            };
        if ends_row {
            return self.pass(sign, place, to);
        }
        let found = self.words.take(sign, place, in_word, to.bytes);
        self.put_found(found, to);
        match sign {
            'x' | 'X' if self.zero.take().is_some() => {}
            '0' if self.is_between_bytes() => {
                self.put_zero(to);
                self.zero = Some(place);
            }
            digit if digit.is_ascii_hexdigit() => {
                self.put_zero(to);
                self.step((digit.to_ascii_lowercase() as u8, place), to);
            }
            separator if is_separator(separator) => {
                self.put_zero(to);
                if self.digits.depth() < TOGETHER {
                    self.digits.reset();
                }
                if separator == '\n' {
                    self.line_ended = place.1;
                }
            }
            _ => {
                self.put_zero(to);
                self.digits.reset();
            }
        }
    }

    /// The digits of a row have ended.
    fn pass(&mut self, sign: char, (from, end): (usize, usize), to: &mut Search<'_>) {
        self.put_zero(to);
        let found = self.words.end_word(to.bytes);
        self.put_found(found, to);
        let back = match self.row {
            Row::Signs(begun) if end - from > 1 => Some(begun),
            _ => None,
        };
        self.is_offset = Offset::default();
        self.row = if sign == '\n' { Row::Offset(back) } else { Row::Signs(from) };
        self.row_ended = end;
        if sign == ' ' {
            self.words.end_row();
        }
    }

    /// Whether a sign of a row is none of its digits.
    fn is_beside_digits(&mut self, sign: char, place: (usize, usize), to: &mut Search<'_>) -> bool {
        let byte = u8::try_from(sign).unwrap_or(0);
        match self.row {
            Row::Digits => return false,
            Row::Signs(from) => {
                let found = self.words.take_behind(sign, place, to.bytes);
                self.put_found(found, to);
                match sign {
                    '\n' => self.pass(sign, place, to),
                    _ if place.1 - from > MOST_SIGNS => self.end(to),
                    _ => {}
                }
            }
            Row::Offset(_) if self.is_offset.takes(byte) => self.offset.push((byte, place)),
            Row::Offset(_) if sign == ' ' && self.offset.is_empty() => self.is_offset.is_indented = true,
            Row::Offset(_) if self.is_offset.is_whole(byte) => {
                self.offset.clear();
                (self.row, self.spaces) = (Row::Digits, 0);
            }
            Row::Offset(Some(from)) => {
                self.offset.clear();
                self.row = Row::Signs(from);
                if sign == '\n' {
                    self.pass(sign, place, to);
                }
            }
            Row::Offset(None) => {
                self.row = Row::Digits;
                for (at, (digit, place)) in std::mem::take(&mut self.offset).into_iter().enumerate() {
                    self.take_content(char::from(digit), place, at > 0, || None, to);
                }
                return false;
            }
        }
        true
    }

    fn is_between_bytes(&self) -> bool {
        let depth = self.digits.depth() + usize::from(self.zero.is_some());
        depth >= TOGETHER && depth.is_multiple_of(2)
    }

    fn put_zero(&mut self, to: &mut Search<'_>) {
        if let Some(place) = self.zero.take() {
            self.step((b'0', place), to);
        }
    }

    fn step(&mut self, (digit, (from, end)): Digit, to: &mut Search<'_>) {
        let Some(hit) = self.digits.step(digit, from, to.digits) else { return };
        let is_list = || hit.from <= self.line_ended && is_sequence(&bytes(&hit.bytes()));
        let from = hit.from;
        if end - from == hit.length || hit.length >= LEAST_SEPARATED && !is_list() {
            self.put_found(Some((from, end)), to);
        }
    }

    fn put_found(&mut self, found: Option<(usize, usize)>, to: &mut Search<'_>) {
        let Some((from, end)) = found else { return };
        to.found.add(from, end);
        self.covers = (from <= self.row_ended && self.row_ended > 0).then_some(end);
    }
}

/// The bytes that these digits spell.
fn bytes(digits: &[u8]) -> Vec<u8> {
    let digit =
        |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0);
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, next| byte << 4 | digit(next))).collect()
}
