//! The forms in which we search for a secret.
//!
//! | form | found by |
//! | --- | --- |
//! | the value; each long line of it; the secrets in it, if it is an address | a pattern of [`Forms::text`] |
//! | with escapes: `%68`, `\u0068`, `\x68`, `\150`, `\/`, `\"`, `+` for a space | the same, over decoded characters |
//! | with invisible parts: colours, control characters, characters without width | the same, over visible characters |
//! | with a backslash before any of its characters: `\k\e\y`; with escapes of its own | the same, over each [reading](super::readings) |
//! | in quotes of a shell, a table or markup; across line ends, with margins | the same |
//! | base 64, of both alphabets, also inside a longer text, also of UTF-16 | three patterns: one for each position in a group |
//! | base 32, in capitals or in lower case | ten patterns |
//! | hexadecimal, with and without separators | a pattern of [`Forms::hex`] |
//! | other numbers: words with the last byte first, octal, decimal, binary; single characters | a pattern of [`Forms::bytes`] |
//!
//! Decoding a text can change the value, because the value may contain a backslash itself. So we apply the same steps
//! to the patterns as to the texts.

use std::collections::BTreeSet;

use super::{
    REDACTED,
    address::secrets_in_addresses,
    ansi::Ansi,
    filter::{Beginnings, Precedes},
    numbers, readings, spelled,
    trail::is_sequence,
    unit::{Sign, first_unit},
    words,
};

/// Shorter values are not secrets, because they would occur everywhere.
pub(super) const LEAST: usize = 6;
/// In a value of several lines, each line of at least this length is a secret too.
const LEAST_LINE: usize = 16;

/// The minimum length, in bytes, of a value that we search for with separators between its characters or bytes.
pub(super) const LEAST_SPELLED: usize = 8;
/// The quotes around texts, which are doubled or escaped inside them.
pub(super) const QUOTES: [char; 2] = ['\'', '"'];

const BASE_32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE_64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The patterns of the search.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// Patterns over visible characters, with [`folded`] bytes.
    pub(super) text: BTreeSet<Vec<u8>>,
    /// The values without quotes, line ends and backslashes, for texts whose beginning is missing.
    pub(super) bare: BTreeSet<Vec<u8>>,
    /// Patterns over hexadecimal digits.
    pub(super) hex: BTreeSet<Vec<u8>>,
    /// Patterns over numbers that spell bytes, and over single characters.
    pub(super) bytes: BTreeSet<Vec<u8>>,
    /// The beginnings of texts that contain a pattern.
    pub(super) beginnings: Beginnings,
}

impl Forms {
    /// Returns the forms of these values.
    pub(super) fn of(values: &[Vec<u8>]) -> Self {
        let mut forms = Self::default();
        for value in values.iter().flat_map(|value| parts(value)) {
            for is_decoded in [false, true] {
                let form = canonical(value, is_decoded);
                readings::beginnings(&form, &mut forms.beginnings);
                forms.add_text(&form);
            }
            forms.add_bare(value);
            forms.add_bytes(value);
            if value.len() >= LEAST && !is_ours(value) {
                forms.add_bases(value);
                forms.hex.insert(value.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect());
            }
        }
        for form in &forms.text {
            forms.beginnings.add(Precedes::Anything, form, &[]);
        }
        for form in &forms.hex {
            numbers::beginnings(form, &mut forms.beginnings);
        }
        forms
    }

    fn add_text(&mut self, form: &[u8]) {
        // A line end at an edge is not secret, even if the value has an escape for it.
        let form = form.trim_ascii();
        if form.len() >= LEAST && !is_ours(form) {
            self.text.insert(form.to_vec());
        }
    }

    /// Adds the value without the characters that are left out of a text whose beginning is missing.
    fn add_bare(&mut self, value: &[u8]) {
        let is_left_out = |byte: &u8| matches!(byte, b'\n' | b'\\') || QUOTES.contains(&char::from(*byte));
        let bare: Vec<_> = value.iter().filter(|byte| !is_left_out(byte)).copied().collect();
        let form = canonical(&bare, false);
        if form.len() >= LEAST_SPELLED && !is_ours(&form) {
            self.bare.insert(form);
        }
    }

    /// Adds the value as its bytes, as the numbers of its characters, and as the amounts of its bytes if they are
    /// signed.
    fn add_bytes(&mut self, value: &[u8]) {
        let text = str::from_utf8(value).unwrap_or_default();
        let number = |sign: char| match u8::try_from(sign) {
            Ok(byte) => vec![byte],
            Err(_) => sign.to_string().into_bytes(),
        };
        let numbers: Vec<_> = text.chars().flat_map(number).collect();
        // Python writes `\xe4` for the character with this number.
        self.add_text(&canonical(&numbers, true));
        let amounts = value.iter().map(|byte| byte.cast_signed().unsigned_abs());
        for form in [value.to_vec(), numbers, amounts.collect()] {
            if self.add_spelled(&form, value.len()) {
                words::beginnings(&form, &mut self.beginnings);
            }
        }
        let separates = |sign: char| spelled::separates(sign) || sign == '\\';
        let alone = canonical(text.replace(separates, "").as_bytes(), false);
        if self.add_spelled(&alone, alone.len()) {
            spelled::beginnings(&alone, &mut self.beginnings);
        }
    }

    /// Adds a form of a text with this many bytes. Numbers of characters can be fewer than its bytes.
    fn add_spelled(&mut self, form: &[u8], length: usize) -> bool {
        let is_one = length >= LEAST_SPELLED && !is_ours(form) && !is_sequence(form);
        if is_one {
            self.bytes.insert(form.to_vec());
        }
        is_one
    }

    fn add_bases(&mut self, value: &[u8]) {
        let wide = str::from_utf8(value).unwrap_or_default().encode_utf16().flat_map(u16::to_le_bytes);
        for bytes in [value, &wide.collect::<Vec<_>>()] {
            for before in 0..3 {
                let standard = digits(bytes, before, BASE_64);
                let other = |digit: &u8| match digit {
                    b'+' => b'-',
                    b'/' => b'_',
                    other => *other,
                };
                self.add_text(&standard.iter().map(other).collect::<Vec<_>>());
                self.add_text(&standard);
            }
        }
        for before in 0..5 {
            let standard = digits(value, before, BASE_32);
            self.add_text(&standard.to_ascii_lowercase());
            self.add_text(&standard);
        }
    }
}

/// Returns the secrets of a value: the value itself, its long lines, and its secret parts if it is an address.
fn parts(value: &[u8]) -> Vec<&[u8]> {
    let value = value.trim_ascii();
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut parts: Vec<_> = lines.filter(|line| line.len() >= LEAST_LINE).collect();
    parts.push(value);
    let text = str::from_utf8(value).unwrap_or_default();
    parts.extend(secrets_in_addresses(text).into_iter().map(str::as_bytes));
    parts
}

/// Returns whether it is a part of our replacement for secrets.
fn is_ours(form: &[u8]) -> bool {
    REDACTED.as_bytes().windows(form.len().max(1)).any(|part| part == form)
}

/// In the query of an address, a space is a plus.
pub(super) const fn folded(byte: u8) -> u8 {
    if byte == b' ' { b'+' } else { byte }
}

/// Returns the visible part of a text, decoded or not.
fn canonical(value: &[u8], is_decoded: bool) -> Vec<u8> {
    let (mut seen, mut ansi, mut rest) = (Vec::new(), Ansi::default(), value);
    while !rest.is_empty()
        && let Some(unit) = first_unit(rest, true)
    {
        let (written, after) = rest.split_at(unit.length);
        match (is_decoded, unit.is_escape) {
            (true, _) if ansi.takes(unit.sign) || !unit.sign.is_visible() => {}
            (true, _) => add_sign(unit.sign, &mut seen),
            (false, true) => written.iter().for_each(|byte| add_sign(Sign::Char((*byte).into()), &mut seen)),
            (false, false) if unit.sign.is_visible() => add_sign(unit.sign, &mut seen),
            (false, false) => {}
        }
        rest = after;
    }
    seen
}

fn add_sign(sign: Sign, seen: &mut Vec<u8>) {
    seen.extend(sign.bytes(&mut [0; 4]).iter().map(|byte| folded(*byte)));
}

/// Returns the digits that the value alone determines if this number of bytes precede it in its group.
fn digits(value: &[u8], before: usize, alphabet: &[u8]) -> Vec<u8> {
    let bits = alphabet.len().ilog2() as usize;
    let bytes = [&[0; 4][..before], value].concat();
    let digit = |index: usize| {
        let (at, shift) = (bits * index / 8, bits * index % 8);
        let pair = u16::from(bytes[at]) << 8 | u16::from(bytes.get(at + 1).copied().unwrap_or(0));
        alphabet[usize::from(pair >> (16 - bits - shift)) & (alphabet.len() - 1)]
    };
    ((8 * before).div_ceil(bits)..8 * bytes.len() / bits).map(digit).collect()
}
