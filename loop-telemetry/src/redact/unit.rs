//! Decodes the characters of a text: `h` can also be `%68`, `\x68`, `\150` or `\u0068`.

/// One character of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Char(char),
    /// A byte that is not part of any character.
    Byte(u8),
    /// A backslash that only means that the next character is literal.
    Nothing,
}

impl Sign {
    /// Returns whether a person sees it, or a line ends with it. Invisible characters may cut a secret without a trace.
    pub(super) fn is_visible(self) -> bool {
        match self {
            Self::Char(sign) => !is_invisible(sign),
            // Old terminals treat these as control characters.
            Self::Byte(byte) => !matches!(byte, 0x80..=0x9f),
            Self::Nothing => false,
        }
    }

    /// Returns its bytes.
    pub(super) fn bytes(self, room: &mut [u8; 4]) -> &[u8] {
        match self {
            Self::Char(sign) => sign.encode_utf8(room).as_bytes(),
            Self::Byte(byte) => {
                room[0] = byte;
                &room[..1]
            }
            Self::Nothing => &[],
        }
    }
}

/// Returns whether a character has no width, or is a control character other than a line end:
/// `Default_Ignorable_Code_Point` of Unicode.
pub(crate) const fn is_invisible(sign: char) -> bool {
    match sign {
        // Nearly all characters: faster than the list.
        '\n' | ' '..='~' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' => true,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// A character, and the way in which it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// The decoded character.
    pub(super) sign: Sign,
    /// The length of the written form, in bytes.
    pub(super) length: usize,
    /// Whether it is an escape.
    pub(super) is_escape: bool,
}

/// Returns whether an escape can begin with this byte.
pub(super) const fn begins_escape(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'&')
}

/// Returns the first character of a nonempty text. Returns `None` if the character depends on bytes after the text,
/// unless this `is_all`.
pub(super) fn first_unit(text: &[u8], is_all: bool) -> Option<Unit> {
    if text[0] < 0x80 && !begins_escape(text[0]) {
        return Some(Unit { sign: Sign::Char(text[0].into()), length: 1, is_escape: false });
    }
    if text[0] >= 0x80 {
        return wide(text, is_all);
    }
    let mut cursor = Cursor { text, at: 0, is_short: false };
    let escape = cursor.escape();
    if cursor.is_short && !is_all {
        return None;
    }
    Some(match (escape, text[0]) {
        (Some(sign), _) => Unit { sign, length: cursor.at, is_escape: true },
        (None, b'\\') => Unit { sign: Sign::Nothing, length: 1, is_escape: true },
        (None, other) => Unit { sign: Sign::Char(other.into()), length: 1, is_escape: false },
    })
}

/// A sign of several bytes.
fn wide(text: &[u8], is_all: bool) -> Option<Unit> {
    let unit = |sign, length| Some(Unit { sign, length, is_escape: false });
    let beginning = &text[..text.len().min(4)];
    let (valid, error) = match str::from_utf8(beginning) {
        Ok(valid) => (valid, None),
        Err(error) => (str::from_utf8(&beginning[..error.valid_up_to()]).unwrap_or_default(), Some(error)),
    };
    match (valid.chars().next(), error) {
        (Some(sign), _) => unit(Sign::Char(sign), sign.len_utf8()),
        (None, Some(error)) if error.error_len().is_none() && !is_all => None,
        (None, _) => unit(Sign::Byte(text[0]), 1),
    }
}

/// The maximum number of digits of a number in braces or in markup, and the maximum length of a name in markup.
const MOST_DIGITS: usize = 7;
/// The maximum nesting of markup.
const MOST_WITHIN: usize = 8;
/// Characters that every program escapes in markup, with their names.
const ENTITIES: [(&str, char); 6] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", ' ')];

/// Reads an escape.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether the text ended too early.
    is_short: bool,
}

impl Cursor<'_> {
    fn peek(&mut self) -> Option<u8> {
        let next = self.text.get(self.at).copied();
        self.is_short |= next.is_none();
        next
    }

    fn next(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Reads a number with this many digits.
    fn digits(&mut self, count: usize, radix: u32) -> Option<u32> {
        (0..count).try_fold(0, |number, _| Some(number * radix + char::from(self.next()?).to_digit(radix)?))
    }

    fn escape(&mut self) -> Option<Sign> {
        let (first, second) = (self.next()?, self.peek()?);
        let sign = |sign| Some(Sign::Char(sign));
        match (first, second) {
            (b'&', _) => self.entity(),
            (_, b'u') => {
                self.at += 1;
                self.utf16(first)
            }
            (b'%', _) => {
                self.at = 0;
                self.by_bytes()
            }
            (_, b'U') => {
                self.at += 1;
                self.digits(8, 16).and_then(char::from_u32).map(Sign::Char)
            }
            (_, b'x' | b'0'..=b'7') => {
                self.at = 0;
                self.by_bytes().or_else(|| {
                    self.at = 2;
                    self.in_braces()
                })
            }
            (_, letter) => {
                self.at += 1;
                match letter {
                    b'n' => sign('\n'),
                    b't' => sign('\t'),
                    b'r' => sign('\r'),
                    b'e' | b'E' => sign('\u{1b}'),
                    b'a' | b'b' | b'f' | b'v' => sign('\u{7}'),
                    _ => None,
                }
            }
        }
    }

    /// Reads the number in `\u{6b}`, and in `\x{6b}`.
    fn in_braces(&mut self) -> Option<Sign> {
        let number = (self.next()? == b'{').then(|| self.number(16, b'}')).flatten()?;
        char::from_u32(number).map(Sign::Char)
    }

    /// Reads a number and the character that ends it.
    fn number(&mut self, radix: u32, end: u8) -> Option<u32> {
        let (mut number, from) = (0, self.at);
        while self.at - from <= MOST_DIGITS {
            match self.next()? {
                next if next == end => return (self.at - from > 1).then_some(number),
                digit => number = number * radix + char::from(digit).to_digit(radix)?,
            }
        }
        None
    }

    /// Reads the text after `&` in markup. Nested markup has several `amp;`.
    fn entity(&mut self) -> Option<Sign> {
        let mut last = None;
        for _ in 0..MOST_WITHIN {
            let before = self.at;
            match self.entity_once() {
                Some('&') => last = Some((self.at, '&')),
                Some(sign) => return Some(Sign::Char(sign)),
                None => {
                    self.at = before;
                    break;
                }
            }
        }
        let (at, sign) = last?;
        self.at = at;
        Some(Sign::Char(sign))
    }

    fn entity_once(&mut self) -> Option<char> {
        if self.peek()? == b'#' {
            self.at += 1;
            let is_hex = matches!(self.peek()?, b'x' | b'X');
            self.at += usize::from(is_hex);
            return self.number(if is_hex { 16 } else { 10 }, b';').and_then(char::from_u32);
        }
        let from = self.at;
        while self.peek()?.is_ascii_lowercase() && self.at - from < MOST_DIGITS {
            self.at += 1;
        }
        let name = &self.text[from..self.at];
        let (_, sign) = ENTITIES.iter().find(|(entity, _)| entity.as_bytes() == name)?;
        (self.next()? == b';').then_some(*sign)
    }

    /// Reads the text after `\u` or `%u`.
    fn utf16(&mut self, first: u8) -> Option<Sign> {
        if first == b'\\' && self.peek()? == b'{' {
            return self.in_braces();
        }
        let high = self.digits(4, 16)?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high).map(Sign::Char);
        }
        // In nested JSON there are several backslashes.
        let mut most = 8;
        while most > 0 && self.peek()? == first {
            (self.at, most) = (self.at + 1, most - 1);
        }
        let low = (self.next()? == b'u').then(|| self.digits(4, 16)).flatten()?;
        let low = (0xdc00..0xe000).contains(&low).then(|| low - 0xdc00)?;
        char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low).map(Sign::Char)
    }

    /// Reads a character that is written as its bytes: `%C3%A9`, `\xc3\xa9`, `\303\251`.
    fn by_bytes(&mut self) -> Option<Sign> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(Sign::Char(first.into()));
        }
        let (mut bytes, after_first) = (vec![first], self.at);
        let length = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        while bytes.len() < length
            && let Some(byte) = self.byte()
        {
            bytes.push(byte);
        }
        if let Some(sign) = str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            return Some(Sign::Char(sign));
        }
        self.at = after_first;
        Some(Sign::Byte(first))
    }

    fn byte(&mut self) -> Option<u8> {
        match (self.next()?, self.peek()?) {
            (b'%', _) => u8::try_from(self.digits(2, 16)?).ok(),
            (b'\\', b'x') => {
                self.at += 1;
                u8::try_from(self.digits(2, 16)?).ok()
            }
            (b'\\', b'0'..=b'7') => {
                let mut number = 0;
                let end = self.at + 3;
                while self.at < end
                    && let Some(digit) = self.peek().and_then(|digit| char::from(digit).to_digit(8))
                    && number * 8 + digit < 256
                {
                    number = number * 8 + digit;
                    self.at += 1;
                }
                u8::try_from(number).ok()
            }
            _ => None,
        }
    }
}
