//! Finds secrets in numbers, as `xxd`, `hexdump`, `od`, `openssl` and programs that print lists of bytes write them.
//!
//! Hexadecimal digits in the order of the bytes have [one lane](Digits). It takes one digit at a time, because a text
//! may contain any number of digits without a separator. [`Words`] are the lanes of all other numbers.
//!
//! The first digits of a text may be an escape: in `\x6b6579`, JSON and programs read one byte, and a database reads
//! three. So there is a second lane, which differs from the first one at escapes: it takes the digits, and the first
//! lane takes the characters that they stand for.
//!
//! A row of a dump begins with an offset, and ends with the bytes as characters. Neither is part of the data. But if a
//! secret continues in the next row, these characters show it too, so we remove them with it.

use super::{
    automaton::Automaton,
    digits::{Digits, Escape, Known, TOGETHER},
    filter::{Beginnings, Precedes},
    found::Found,
    rows::{Dump, MOST_SIGNS, Offset, Row},
    unit::Sign,
    words::Words,
};

/// The separators of digits, besides a line end.
pub(super) const SEPARATORS: [char; 17] =
    [' ', ',', ':', '-', ';', '_', '.', '/', '=', '\'', '"', '[', ']', '(', ')', '{', '}'];

/// Returns whether a character separates digits.
pub(super) fn is_separator(sign: char) -> bool {
    IS_SEPARATOR.get(sign as usize).is_some_and(|is_one| *is_one)
}

const IS_SEPARATOR: [bool; 128] = {
    let (mut is_separator, mut at) = ([false; 128], 0);
    is_separator[b'\n' as usize] = true;
    while at < SEPARATORS.len() {
        is_separator[SEPARATORS[at] as usize] = true;
        at += 1;
    }
    is_separator
};

/// Returns the separators of numbers.
pub(super) fn separators() -> impl Iterator<Item = u8> {
    SEPARATORS.iter().map(|separator| *separator as u8)
}

/// Adds the beginnings of texts with this form of hexadecimal digits.
pub(super) fn beginnings(form: &[u8], to: &mut Beginnings) {
    let third = form[TOGETHER];
    let after: Vec<u8> = separators().chain([third, third.to_ascii_uppercase(), b'\\', b'%']).collect();
    to.add_in_both_cases(Precedes::Anything, &String::from_utf8_lossy(&form[..TOGETHER]), &after);
}

/// A digit and its position.
type Digit = (u8, (usize, usize));

/// The progress of candidates in numbers.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    digits: Digits,
    /// The same with the digits of escapes; idle if it has seen no more than `digits`.
    escaped: Digits,
    words: Words,
    /// The number of spaces before the next character, and the number of characters that are neither letters nor
    /// digits.
    spaces: usize,
    gap: usize,
    row: Row,
    /// Digits that may be an offset.
    offset: Vec<Digit>,
    is_offset: Offset,
    /// The ends of the last row of a dump, and of the last line that is not a row.
    row_ended: usize,
    line_ended: usize,
    /// The position from which the rest of the line repeats removed text.
    covers: Option<usize>,
}

/// The patterns of the search, and the list for its results.
pub(super) struct Search<'a> {
    /// Finds forms in hexadecimal digits, and in bytes.
    pub(super) digits: &'a Automaton,
    pub(super) bytes: &'a Automaton,
    pub(super) found: &'a mut Found,
}

impl Numbers {
    pub(super) fn is_idle(&self) -> bool {
        self.digits.is_idle()
            && self.escaped.is_idle()
            && self.words.is_idle()
            && self.row == Row::Digits
            && self.covers.is_none()
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let candidates =
            [self.digits.first_candidate(), self.escaped.first_candidate(), self.words.first_candidate()];
        candidates.into_iter().flatten().min()
    }

    /// Drops the word that has not ended.
    pub(super) fn forget_word(&mut self) {
        self.words.forget_word();
    }

    /// Takes a visible character. `in_word` tells whether a letter or a digit precedes it. `dump` returns the dump that
    /// the line belongs to.
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
            // Otherwise we would hold it back, however long it is.
            self.end(&mut to);
        } else if !self.is_beside_digits(sign, place, &mut to) {
            self.take_content(sign, place, in_word, dump, &mut to);
        }
        if sign == '\n' {
            // If the line end completes a word, the coverage extends to it.
            self.covers = None;
            self.digits.let_go(place.1);
            self.escaped.let_go(place.1);
            self.words.let_go(place.1);
        }
    }

    /// Returns whether a value may begin with the last digit, and none has begun before.
    pub(super) fn has_begun_here(&self) -> bool {
        self.digits.has_begun_here() || self.escaped.has_begun_here()
    }

    /// Drops a value that would begin with the last digit.
    pub(super) fn begin_without(&mut self) {
        self.digits.begin_without();
        self.escaped.begin_without();
    }

    /// Takes the digits of an octal escape that may have one more digit: `\015` and `3`.
    pub(super) fn take_octal(&mut self, digits: &[u8], from: usize, to: &mut Search<'_>) {
        let found = self.words.take_octal(digits, from, to.bytes);
        self.put_found(found, to);
    }

    /// Returns the digits before an escape. Take the escape's character next, and then [its digits](Self::take_escape).
    pub(super) fn before_escape(&mut self) -> Digits {
        if self.escaped.is_idle() { self.digits.clone() } else { std::mem::take(&mut self.escaped) }
    }

    /// Takes the digits of an escape that continue these.
    pub(super) fn take_escape(&mut self, escape: &Escape<'_>, mut before: Digits, to: &mut Search<'_>) {
        if self.row == Row::Digits {
            let found = before.take_escape(escape, self.known(to));
            self.escaped = before;
            self.put_found(found, to);
        }
    }

    /// Takes a character that is visible only if escapes are not decoded.
    pub(super) fn take_hidden(&mut self, sign: Sign, place: (usize, usize), to: &mut Search<'_>) {
        if let Sign::Char(sign) = sign
            && !self.escaped.is_idle()
        {
            let found = self.escaped.take(sign, place, self.known(to));
            self.put_found(found, to);
        }
    }

    /// Drops all candidates.
    pub(super) fn end(&mut self, to: &mut Search<'_>) {
        self.put_zero(to);
        self.digits.reset();
        self.escaped.reset();
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
        let is_begun = self.digits.is_begun() || self.words.is_begun();
        let is_part = sign.is_ascii_hexdigit() || matches!(sign, 'x' | 'X') || is_separator(sign);
        let ends_row = is_begun
            && match sign {
                '\n' => dump().is_some(),
                ' ' => spaces == 1 && dump() == Some(Dump::Colon),
                // Two spaces precede the characters in every such dump.
                _ => spaces > 1 && !is_part && dump().is_some(),
            };
        if ends_row {
            return self.pass(sign, place, to);
        }
        let found = self.words.take(sign, place, in_word, to.bytes);
        self.put_found(found, to);
        let known = self.known(to);
        let found = self.digits.take(sign, place, known);
        self.put_found(found, to);
        if !self.escaped.is_idle() {
            let found = self.escaped.take(sign, place, known);
            self.put_found(found, to);
        }
        if sign == '\n' {
            self.line_ended = place.1;
        }
    }

    /// Ends the digits of a row.
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

    /// Returns whether a character of a row is not one of its digits.
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

    fn put_zero(&mut self, to: &mut Search<'_>) {
        let known = self.known(to);
        for found in [self.digits.put_zero(known), self.escaped.put_zero(known)] {
            self.put_found(found, to);
        }
    }

    const fn known<'a>(&self, to: &Search<'a>) -> Known<'a> {
        Known { finder: to.digits, line_ended: self.line_ended }
    }

    fn put_found(&mut self, found: Option<(usize, usize)>, to: &mut Search<'_>) {
        let Some((from, end)) = found else { return };
        to.found.add(from, end);
        self.covers = (from <= self.row_ended && self.row_ended > 0).then_some(end);
    }
}
