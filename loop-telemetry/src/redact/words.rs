//! Finds values in separated numbers, each of which spells one or several bytes.
//!
//! A [decoder](DECODERS) returns the bytes of a number. Each decoder has its own lane. To support a new spelling, add a
//! decoder, and the [beginnings](beginnings) of a value in it.

use super::{
    automaton::Automaton,
    filter::{Beginnings, Precedes},
    numbers::{is_separator, separators},
    trail::Trail,
};

/// The longest word: `0x` and sixteen digits.
const MOST: usize = 18;
/// The maximum number of bytes of a word.
const MOST_BYTES: usize = 8;

/// The bytes of a word.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes {
    bytes: [u8; MOST_BYTES],
    length: usize,
}

impl Bytes {
    fn of(all: &[u8]) -> Option<Self> {
        let mut bytes = [0; MOST_BYTES];
        bytes.get_mut(..all.len())?.copy_from_slice(all);
        Some(Self { bytes, length: all.len() })
    }
}

/// The ways to read a word. Hexadecimal digits in the order of the bytes have their own lane in
/// [`Numbers`](super::numbers::Numbers), because they need no separators.
const DECODERS: [fn(&str) -> Option<Bytes>; 4] = [little, octal, decimal, binary];
/// The index of [`little`] in [`DECODERS`].
const LITTLE: usize = 0;

/// Decodes hexadecimal digits with the last byte first: `2d79656b`.
fn little(word: &str) -> Option<Bytes> {
    let digits = strip(word, ["0x", "0X"]);
    // Numbers are printed without leading zeros.
    if !digits.len().is_multiple_of(2) && digits.len() == word.len() {
        return None;
    }
    let number = u64::from_str_radix(digits, 16).ok()?;
    Bytes::of(number.to_le_bytes().get(..digits.len().div_ceil(2))?)
}

/// Decodes one byte (`153`, `0153`, `0o153`), or two with the last one first (`062564`).
fn octal(word: &str) -> Option<Bytes> {
    let digits = strip(word, ["0o", "0O"]);
    let number = u16::from_str_radix(digits, 8).ok()?;
    match (digits.len(), u8::try_from(number)) {
        (6, _) => Bytes::of(&number.to_le_bytes()),
        (1..=4, Ok(byte)) => Bytes::of(&[byte]),
        _ => None,
    }
}

/// Decodes one byte, or the character with this number: `107`, `8364`.
fn decimal(word: &str) -> Option<Bytes> {
    if word.len() > 7 || word.len() > 1 && word.starts_with('0') {
        return None;
    }
    let number: u32 = word.parse().ok()?;
    match u8::try_from(number) {
        Ok(byte) => Bytes::of(&[byte]),
        Err(_) => Bytes::of(char::from_u32(number)?.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Decodes one byte: `01101011`, `0b1101011`.
fn binary(word: &str) -> Option<Bytes> {
    let digits = strip(word, ["0b", "0B"]);
    (digits.len() <= 8)
        .then(|| u8::from_str_radix(digits, 2).ok())
        .flatten()
        .and_then(|byte| Bytes::of(&[byte]))
}

fn strip<'a>(word: &'a str, prefixes: [&str; 2]) -> &'a str {
    prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word)
}

/// Adds, for each decoder, the beginnings of words whose bytes begin a value.
pub(super) fn beginnings(value: &[u8], to: &mut Beginnings) {
    let any: Vec<u8> = "0123456789abcdefABCDEF".bytes().chain(separators()).collect();
    for last in 0..value.len().min(MOST_BYTES) {
        let digits = value[..=last].iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
        to.add_in_both_cases(Precedes::NoWord, &digits, &any);
        ["0x", "0X"]
            .iter()
            .for_each(|prefix| to.add_in_both_cases(Precedes::NoWord, &format!("{prefix}{digits}"), &any));
    }
    let Some(first) = value.first().copied() else { return };
    let mut add = |word: String| to.add(Precedes::NoWord, word.as_bytes(), &any);
    let wide = value.get(1).copied().unwrap_or_default();
    let octals = [format!("{first:o}"), format!("{first:03o}"), format!("0{first:03o}")];
    octals.iter().for_each(|word| ["", "0o", "0O"].iter().for_each(|prefix| add(format!("{prefix}{word}"))));
    [wide, first].iter().for_each(|high| add(format!("{:06o}", u32::from(*high) << 8)));
    let sign = str::from_utf8(value).ok().and_then(|text| text.chars().next()).map_or(0, u32::from);
    [first.into(), sign].iter().for_each(|number| add(number.to_string()));
    let binaries = [format!("{first:08b}"), format!("{first:b}")];
    binaries
        .iter()
        .for_each(|word| ["", "0b", "0B"].iter().for_each(|prefix| add(format!("{prefix}{word}"))));
}

/// Whether the word is an octal escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    None,
    /// It has three digits, and a fourth may follow.
    Open,
    Whole,
}

/// The progress of candidates in numbers.
#[derive(Debug, Default)]
pub(super) struct Words {
    word: String,
    /// The position of the word.
    place: (usize, usize),
    /// Whether the word spells nothing.
    is_junk: bool,
    escape: Escape,
    trails: [Trail; DECODERS.len()],
    /// Whether a byte of a value has been seen.
    is_begun: bool,
    /// The state before the text column of a dump, as long as that column may have begun with the last word.
    kept: Option<Trail>,
}

impl Words {
    pub(super) fn is_idle(&self) -> bool {
        self.word.is_empty() && !self.is_begun
    }

    /// Returns whether a byte of a value has been seen.
    pub(super) const fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let word = (!self.word.is_empty()).then_some(self.place.0);
        self.trails.iter().filter_map(Trail::first_candidate).chain(word).min()
    }

    /// Takes a character. `in_word` tells whether a letter or a digit precedes it. Returns the position of a value.
    pub(super) fn take(
        &mut self,
        sign: char,
        place: (usize, usize),
        in_word: bool,
        finder: &Automaton,
    ) -> Option<(usize, usize)> {
        let escape = std::mem::take(&mut self.escape);
        if !sign.is_ascii_alphanumeric() {
            let found = self.end_word(finder);
            if !is_separator(sign) {
                self.reset();
            }
            return found;
        }
        let is_last = escape == Escape::Open && matches!(sign, '0'..='7');
        if is_last {
            self.escape = Escape::Whole;
        }
        let goes_on = is_last || in_word && escape == Escape::None;
        let found = if goes_on { None } else { self.end_word(finder) };
        self.is_junk |= (in_word || escape != Escape::None) && self.word.is_empty();
        let is_part = sign.is_ascii_hexdigit() || matches!(sign, 'x' | 'X' | 'o' | 'O');
        if !self.is_junk && (!is_part || self.word.len() == MOST) {
            self.is_junk = true;
            self.reset();
        }
        if !self.is_junk {
            let from = if self.word.is_empty() { place.0 } else { self.place.0 };
            self.place = (from, place.1);
            self.word.push(sign);
        }
        found
    }

    /// Takes the digits of an octal escape that may have one more digit.
    pub(super) fn take_octal(
        &mut self,
        digits: &[u8],
        from: usize,
        finder: &Automaton,
    ) -> Option<(usize, usize)> {
        let found = self.end_word(finder);
        self.escape = Escape::None;
        for (digit, at) in digits.iter().zip(from..) {
            self.take(char::from(*digit), (at, at + 1), at > from, finder);
        }
        self.escape = Escape::Open;
        found
    }

    /// Ends the word. Returns the position of a value that ends with it.
    pub(super) fn end_word(&mut self, finder: &Automaton) -> Option<(usize, usize)> {
        let is_junk = std::mem::take(&mut self.is_junk);
        if is_junk || self.word.is_empty() {
            return None;
        }
        let mut found = None;
        for (trail, decode) in self.trails.iter_mut().zip(DECODERS) {
            let hit = advance(trail, decode(&self.word), self.place.0, finder);
            found = [found, hit].into_iter().flatten().min();
        }
        self.word.clear();
        self.is_begun = self.trails.iter().any(|trail| !trail.is_idle());
        Some((found?, self.place.1))
    }

    /// Releases the few bytes before the end of a line.
    pub(super) fn let_go(&mut self, to: usize) {
        self.trails.iter_mut().for_each(|trail| trail.let_go(to));
    }

    /// Drops all candidates.
    pub(super) fn reset(&mut self) {
        self.word.clear();
        if std::mem::take(&mut self.is_begun) {
            self.trails.iter_mut().for_each(Trail::reset);
        }
        self.kept = None;
    }

    /// Drops the word that has not ended.
    pub(super) fn forget_word(&mut self) {
        self.word.clear();
    }

    /// Ends the digits of a row, except those of a shorter word that was moved to the right.
    pub(super) fn end_row(&mut self) {
        self.kept = Some(self.trails[LITTLE].clone());
    }

    /// Takes a character after the digits of a row. Returns the position of a value that ends there.
    pub(super) fn take_behind(
        &mut self,
        sign: char,
        place: (usize, usize),
        finder: &Automaton,
    ) -> Option<(usize, usize)> {
        let kept = self.kept.as_ref()?;
        if sign == ' ' && self.word.is_empty() {
            return None;
        }
        if sign.is_ascii_hexdigit() && self.word.len() < MOST {
            let from = if self.word.is_empty() { place.0 } else { self.place.0 };
            self.place = (from, place.1);
            self.word.push(sign);
            return None;
        }
        let word = std::mem::take(&mut self.word);
        let from =
            (sign == ' ').then(|| advance(&mut kept.clone(), little(&word), self.place.0, finder)).flatten();
        self.kept = None;
        Some((from?, self.place.1))
    }
}

/// Takes the bytes of a word. Returns the position of a value that ends with one of them.
fn advance(trail: &mut Trail, bytes: Option<Bytes>, from: usize, finder: &Automaton) -> Option<usize> {
    let Some(Bytes { bytes, length }) = bytes else {
        trail.reset();
        return None;
    };
    bytes[..length].iter().filter_map(|byte| Some(trail.step(*byte, from, finder)?.from)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_in_each_way() {
        let read = |word: &str| {
            DECODERS.map(|decode| decode(word).map(|bytes| bytes.bytes[..bytes.length].to_vec()))
        };
        assert_eq!(read("2d79656b"), [Some(b"key-".to_vec()), None, None, None]);
        assert_eq!(read("0xa2d79")[LITTLE], Some(b"y-\n".to_vec()));
        assert_eq!(read("062564"), [Some(b"\x64\x25\x06".to_vec()), Some(b"te".to_vec()), None, None]);
        assert_eq!(read("0o153")[1], Some(b"k".to_vec()));
        assert_eq!(read("107")[2], Some(b"k".to_vec()));
        assert_eq!(read("8364")[2], Some("€".into()));
        assert_eq!(read("01101011")[3], Some(b"k".to_vec()));
        assert!(read("").iter().chain(&read("0x")).all(Option::is_none));
    }
}
