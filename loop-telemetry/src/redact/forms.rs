//! The forms in which a secret may be found.
//!
//! | form | found by |
//! | --- | --- |
//! | the value; each long line of it; the secrets in it, if it is an address | a pattern of [`Forms::text`] |
//! | with escapes: `%68`, `\u0068`, `\x68`, `\150`, `\/`, `\"`, `+` for a space | the same, over signs that are decoded |
//! | with signs in it that nobody sees: colours, controls, signs without width | the same, over signs that are seen |
//! | base 64, of both alphabets, also in the middle of a longer text | three patterns: one for each place in a group |
//! | hexadecimal, with and without separators | a pattern of [`Forms::hex`] |
//!
//! A text that is decoded need not have the value as it is: the value may have a backslash of its own. So what is
//! looked for goes the same way as the texts in which it is looked for.

use std::collections::BTreeSet;

use super::{
    REDACTED,
    address::secrets_in_addresses,
    ansi::Ansi,
    unit::{Sign, first_unit},
};

/// Shorter values are no secrets: they would be found in every second word.
pub(super) const LEAST: usize = 6;
/// Of a value of several lines, each as long as this is a secret by itself.
const LEAST_LINE: usize = 16;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What secrets are looked for by.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// In signs that are seen, with [`folded`] bytes.
    pub(super) text: BTreeSet<Vec<u8>>,
    /// In hexadecimal digits.
    pub(super) hex: BTreeSet<Vec<u8>>,
}

impl Forms {
    /// Those of these values.
    pub(super) fn of(values: &[Vec<u8>]) -> Self {
        let mut forms = Self::default();
        for value in values.iter().flat_map(|value| parts(value)) {
            for is_decoded in [false, true] {
                forms.add_text(canonical(value, is_decoded));
            }
            if let Some(beginning) = before_open_escape(value) {
                forms.add_text(canonical(beginning, true));
            }
            if value.len() >= LEAST && !is_ours(value) {
                (0..3).for_each(|before| forms.add_base64(value, before));
                forms.hex.insert(value.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect());
            }
        }
        forms
    }

    fn add_text(&mut self, form: Vec<u8>) {
        if form.len() >= LEAST && !is_ours(&form) {
            self.text.insert(form);
        }
    }

    fn add_base64(&mut self, value: &[u8], before: usize) {
        let standard = base64(value, before);
        let other = |digit: &u8| match digit {
            b'+' => b'-',
            b'/' => b'_',
            other => *other,
        };
        self.add_text(standard.iter().map(other).collect());
        self.add_text(standard);
    }
}

/// The secrets of a value: the value itself, its long lines, and its secret parts if it is an address.
fn parts(value: &[u8]) -> Vec<&[u8]> {
    let value = value.trim_ascii();
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut parts: Vec<_> = lines.filter(|line| line.len() >= LEAST_LINE).collect();
    parts.push(value);
    let text = str::from_utf8(value).unwrap_or_default();
    parts.extend(secrets_in_addresses(text).into_iter().map(str::as_bytes));
    parts
}

/// The value without the beginning of an escape that ends it: `%` or `%A`. Digits that happen to follow it in a text
/// complete the escape, and then the decoded text no longer holds the whole value.
fn before_open_escape(value: &[u8]) -> Option<&[u8]> {
    let at = value.iter().rposition(|byte| *byte == b'%')?;
    let is_open = value.len() - at <= 2 && value[at + 1..].iter().all(u8::is_ascii_hexdigit);
    is_open.then(|| &value[..at])
}

/// Whether it is a part of what stands where a secret stood.
fn is_ours(form: &[u8]) -> bool {
    REDACTED.as_bytes().windows(form.len().max(1)).any(|part| part == form)
}

/// A space is a plus in the query of an address.
pub(super) const fn folded(byte: u8) -> u8 {
    if byte == b' ' { b'+' } else { byte }
}

/// What is seen of a text, decoded or not.
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

/// The digits that the value alone decides if so many bytes stand before it in its group of three.
fn base64(value: &[u8], before: usize) -> Vec<u8> {
    let bytes = [&[0; 2][..before], value].concat();
    let digit = |index: usize| {
        let (at, shift) = (6 * index / 8, 6 * index % 8);
        let pair = u16::from(bytes[at]) << 8 | u16::from(bytes.get(at + 1).copied().unwrap_or(0));
        ALPHABET[usize::from(pair >> (10 - shift) & 63)]
    };
    ((8 * before).div_ceil(6)..8 * bytes.len() / 6).map(digit).collect()
}
