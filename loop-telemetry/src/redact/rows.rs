//! The rows of a dump. A row begins with an offset and may end with the bytes as characters. Neither is part of the
//! data.

/// The number of digits of an offset: `od -Ax` prints six, `od` and `hexdump` seven, `xxd` eight.
const OFFSET: std::ops::RangeInclusive<usize> = 6..=8;
/// The longest text after the digits of a row, and the longest gap within a value, in bytes.
pub(super) const MOST_SIGNS: usize = 256;

/// The layout of a dump's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dump {
    /// `00000010: 6875 6e74  hunt`
    Colon,
    /// `00000010  68 75 6e 74  |hunt|`
    Spaces,
}

impl Dump {
    /// Returns the dump that a line belongs to, by its beginning.
    pub(super) fn of(line: impl Iterator<Item = u8>) -> Option<Self> {
        let mut offset = Offset::default();
        for byte in line {
            if offset.takes(byte) {
                continue;
            }
            match byte {
                b':' if offset.is_whole(byte) => return Some(Self::Colon),
                b' ' if offset.is_whole(byte) => return Some(Self::Spaces),
                // Something precedes the row: a space, or the name of a file.
                _ => offset = Offset { is_indented: true, ..Offset::default() },
            }
        }
        None
    }
}

/// Digits at the start of a line that may be an offset.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Offset {
    digits: usize,
    /// The number of leading zeros.
    zeros: usize,
    /// Whether something precedes it in the line.
    pub(super) is_indented: bool,
}

impl Offset {
    /// Takes a character if it is one more digit.
    pub(super) fn takes(&mut self, sign: u8) -> bool {
        let is_digit = sign.is_ascii_hexdigit() && self.digits < *OFFSET.end();
        if is_digit {
            self.zeros += usize::from(self.zeros == self.digits && sign == b'0');
            self.digits += 1;
        }
        is_digit
    }

    /// Returns whether the digits are an offset if this character follows. Data also comes in words of six octal or
    /// eight hexadecimal digits, so an offset of this length needs a colon, its column, or the zeros of a small number.
    pub(super) fn is_whole(self, next: u8) -> bool {
        let is_likely = match self.digits {
            6 => !self.is_indented || self.zeros > 1,
            7 => true,
            digits => OFFSET.contains(&digits) && self.zeros > 0,
        };
        next == b':' && OFFSET.contains(&self.digits) || next == b' ' && is_likely
    }
}

/// The part of a dump that is read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Row {
    #[default]
    Digits,
    /// After the digits, from this position on.
    Signs(usize),
    /// Before the digits of the next row. If no offset follows, the line end may have been two of the characters, such
    /// as `\n`, which began at this position.
    Offset(Option<usize>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_known_by_its_offset() {
        for (line, dump) in [
            ("00000010: 6875", Some(Dump::Colon)),
            ("name 00000010: 6875", Some(Dump::Colon)),
            ("00000010  68 75", Some(Dump::Spaces)),
            ("  0000020 062564", Some(Dump::Spaces)),
            ("000010 68 75", Some(Dump::Spaces)),
            (" 062564 062564", None),
            ("2d79656b 34333231", None),
            ("6b65792d", None),
            ("ab: 12", None),
        ] {
            assert_eq!(Dump::of(line.bytes()), dump, "{line:?}");
        }
    }
}
