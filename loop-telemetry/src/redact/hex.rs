//! Secrets in hexadecimal digits, as `xxd`, `hexdump`, `od` and `openssl` print them.
//!
//! A row of a dump begins with an offset, and ends with the bytes as signs. Neither is part of what the digits say; but
//! where a secret goes on in the next row, these signs say it as well, and are taken out with it.

use std::collections::VecDeque;

use super::{
    automaton::{Automaton, ROOT},
    found::Found,
    unit::Sign,
};

/// Secrets with fewer digits are found only where nothing separates these: `31 32 33` is a list of numbers.
const LEAST_SEPARATED: usize = 16;
/// The first so many digits stand together in all that is printed, and have to: otherwise each `a` of a text would be
/// one.
const TOGETHER: usize = 2;
/// What separates digits.
pub(super) const SEPARATORS: [char; 4] = [' ', ':', '-', ','];
/// So many digits has an offset; `od` prints seven.
const OFFSET: std::ops::RangeInclusive<usize> = 7..=8;
/// What stands behind the digits of a row is not longer. Bytes.
const MOST_SIGNS: usize = 256;

/// How a row of a dump looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dump {
    /// `00000010: 6875 6e74  hunt`
    Colon,
    /// `00000010  68 75 6e 74  |hunt|`
    Spaces,
}

impl Dump {
    /// The dump of which a line that begins so is a row.
    pub(super) fn of(line: impl Iterator<Item = u8>) -> Option<Self> {
        let (mut digits, mut line) = (0, line);
        loop {
            match line.next()? {
                digit if digit.is_ascii_hexdigit() => digits += 1,
                b':' if OFFSET.contains(&digits) => return Some(Self::Colon),
                b' ' if OFFSET.contains(&digits) => return Some(Self::Spaces),
                // Something stands before the row: a space, or the name of a file.
                _ => digits = 0,
            }
        }
    }
}

/// Where in a row of a dump a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Row {
    #[default]
    Digits,
    /// Behind the digits, from this place on.
    Signs(usize),
    /// Before those of the next row. If that is no offset, the line's end was perhaps two of the signs, such as `\n`,
    /// which began at this place.
    Offset(Option<usize>),
}

/// A digit and its place.
type Digit = (u8, (usize, usize));

/// How far secrets have been seen in digits.
#[derive(Debug, Default)]
pub(super) struct Hex {
    node: u32,
    starts: VecDeque<usize>,
    /// A zero between two bytes, before which it is not known whether it is that of `0x`.
    zero: Option<(usize, usize)>,
    /// The last sign was a space.
    in_space: bool,
    row: Row,
    /// Digits that may be an offset.
    offset: Vec<Digit>,
    /// Where the last row of a dump ended.
    row_ended: usize,
    /// The rest of the line, from this place on, says again what was taken out.
    covers: Option<usize>,
}

/// What digits are looked at with, and where it is put down.
pub(super) struct Digits<'a> {
    pub(super) finder: &'a Automaton,
    pub(super) found: &'a mut Found,
}

impl Hex {
    pub(super) fn is_idle(&self) -> bool {
        self.node == ROOT && self.row == Row::Digits && self.covers.is_none()
    }

    /// Where the first thing begins that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.starts.front().copied()
    }

    /// Takes a sign that is seen. A line's end separates digits if `wraps`; `dump` tells of which dump the line is.
    pub(super) fn take(
        &mut self,
        sign: Sign,
        place: (usize, usize),
        wraps: bool,
        dump: impl Fn() -> Option<Dump>,
        mut to: Digits<'_>,
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
        if self.is_beside_digits(sign, place, &mut to) {
            return;
        }
        let was_in_space = std::mem::replace(&mut self.in_space, sign == ' ');
        let is_begun = to.finder.depth(self.node) >= TOGETHER;
        match sign {
            'x' | 'X' if self.zero.take().is_some() => {}
            '0' if self.is_between_bytes(to.finder) => {
                self.put_zero(&mut to);
                self.zero = Some(place);
            }
            digit if digit.is_ascii_hexdigit() => {
                self.put_zero(&mut to);
                self.step((digit.to_ascii_lowercase() as u8, place), &mut to);
            }
            ' ' if was_in_space && is_begun && dump() == Some(Dump::Colon) => self.pass(sign, place, &mut to),
            separator if SEPARATORS.contains(&separator) => self.separate(&mut to),
            _ if is_begun && !SEPARATORS.contains(&sign) && dump().is_some() => {
                self.pass(sign, place, &mut to);
            }
            '\n' if wraps => self.separate(&mut to),
            _ => self.end(&mut to),
        }
    }

    /// Nothing goes on with what was seen.
    pub(super) fn end(&mut self, to: &mut Digits<'_>) {
        self.put_zero(to);
        self.node = ROOT;
        self.starts.clear();
        self.row = Row::Digits;
    }

    /// The digits of a row have ended.
    fn pass(&mut self, sign: char, (from, to): (usize, usize), digits: &mut Digits<'_>) {
        self.put_zero(digits);
        let back = match self.row {
            Row::Signs(begun) if to - from > 1 => Some(begun),
            _ => None,
        };
        self.row = if sign == '\n' { Row::Offset(back) } else { Row::Signs(from) };
        self.row_ended = to;
    }

    /// Whether a sign of a row is none of its digits.
    fn is_beside_digits(&mut self, sign: char, place: (usize, usize), to: &mut Digits<'_>) -> bool {
        match self.row {
            Row::Digits => return false,
            Row::Signs(_) if sign == '\n' => self.pass(sign, place, to),
            Row::Signs(from) if place.1 - from > MOST_SIGNS => self.end(to),
            Row::Signs(_) => {}
            Row::Offset(_) if sign.is_ascii_hexdigit() && self.offset.len() < *OFFSET.end() => {
                self.offset.push((sign.to_ascii_lowercase() as u8, place));
            }
            Row::Offset(_) if sign == ' ' && self.offset.is_empty() => {}
            Row::Offset(_) if matches!(sign, ':' | ' ') && OFFSET.contains(&self.offset.len()) => {
                self.offset.clear();
                (self.row, self.in_space) = (Row::Digits, false);
            }
            Row::Offset(Some(from)) => {
                self.offset.clear();
                self.row = Row::Signs(from);
                if sign == '\n' {
                    self.pass(sign, place, to);
                }
            }
            Row::Offset(None) => {
                self.end(to);
                for digit in std::mem::take(&mut self.offset) {
                    self.step(digit, to);
                }
                return false;
            }
        }
        true
    }

    fn separate(&mut self, to: &mut Digits<'_>) {
        self.put_zero(to);
        if to.finder.depth(self.node) < TOGETHER {
            self.end(to);
        }
    }

    fn is_between_bytes(&self, finder: &Automaton) -> bool {
        let depth = finder.depth(self.node) + usize::from(self.zero.is_some());
        depth >= TOGETHER && depth.is_multiple_of(2)
    }

    fn put_zero(&mut self, to: &mut Digits<'_>) {
        if let Some(place) = self.zero.take() {
            self.step((b'0', place), to);
        }
    }

    fn step(&mut self, (digit, (from, end)): Digit, to: &mut Digits<'_>) {
        self.node = to.finder.step(self.node, digit);
        self.starts.push_back(from);
        let excess = self.starts.len() - to.finder.depth(self.node);
        self.starts.drain(..excess);
        let hit = to.finder.hit(self.node);
        if hit == 0 {
            return;
        }
        let start = self.starts[self.starts.len() - hit];
        if hit >= LEAST_SEPARATED || end - start == hit {
            to.found.add(start, end);
            self.covers = (start < self.row_ended).then_some(end);
        }
    }
}
