//! Passing over what cannot be the beginning of a secret: nearly all of a text.

use super::{forms::folded, hex::SEPARATORS};

/// How many bits of a sum of three bytes are looked at.
const BITS: u32 = 15;
const MASK: usize = (1 << BITS) - 1;
/// Bytes that stand together.
const GRAM: usize = 3;

/// Knows the first three bytes of all forms. It may take others for them, and misses none.
#[derive(Debug)]
pub(super) struct Filter {
    beginnings: Box<[bool]>,
}

impl Filter {
    /// For forms of text, and those in hexadecimal digits of small letters. All have three bytes and more.
    pub(super) fn new<'a>(text: impl Iterator<Item = &'a [u8]>, hex: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut beginnings = vec![false; 1 << BITS].into_boxed_slice();
        let sum = |gram: &[u8]| gram.iter().fold(0, |sum, byte| add(sum, *byte));
        text.for_each(|form| beginnings[sum(&form[..GRAM])] = true);
        for form in hex {
            for third in SEPARATORS.map(|separator| separator as u8).into_iter().chain([form[2]]) {
                for capitals in 0..1_usize << GRAM {
                    let mut gram = [form[0], form[1], third];
                    let is_capital = |at: &usize| capitals >> at & 1 == 1;
                    (0..GRAM).filter(is_capital).for_each(|at| gram[at].make_ascii_uppercase());
                    beginnings[sum(&gram)] = true;
                }
            }
        }
        Self { beginnings }
    }

    /// Whether a byte may be seen in another way than it is written, or ends a line.
    pub(super) const fn is_special(byte: u8) -> bool {
        SPECIAL[byte as usize]
    }

    /// Whether a form may begin at this byte of a text that is read as it is written. It may if too little is there to
    /// tell, or a sign that is not seen comes first.
    pub(super) fn may_begin(&self, text: &[u8], at: usize) -> bool {
        let Some(gram) = text.get(at..at + GRAM) else { return true };
        let is_unseen = |byte: &u8| SPECIAL[usize::from(*byte)] && !super::unit::begins_escape(*byte);
        gram.iter().any(is_unseen) || self.beginnings[gram.iter().fold(0, |sum, byte| add(sum, *byte))]
    }

    /// The first place, from `at` on, where a form may begin: before what is special, and before the end, two bytes
    /// more may be one.
    pub(super) fn next(&self, text: &[u8], at: usize) -> usize {
        let (mut sum, mut end) = (0, at);
        loop {
            let width = match text.get(end) {
                None => break,
                Some(byte) if !SPECIAL[usize::from(*byte)] => 1,
                Some(_) => width(&text[end..]),
            };
            if width == 0 {
                break;
            }
            for _ in 0..width {
                sum = add(sum, text[end]);
                end += 1;
                if self.beginnings[sum] && end - at >= GRAM {
                    return sign_at(text, at, end - GRAM);
                }
            }
        }
        sign_at(text, at, end.saturating_sub(GRAM - 1).max(at))
    }
}

/// The length of the sign of several bytes that a text begins with; 0 if it may be one that nobody sees, or none.
const fn width(text: &[u8]) -> usize {
    match text {
        [0xc3..=0xcc | 0xce..=0xd7 | 0xd9..=0xdf, 0x80..=0xbf, ..] => 2,
        [0xe2, 0x82..=0xbf, 0x80..=0xbf, ..] | [0xe3, 0x80..=0x84 | 0x86..=0xbf, 0x80..=0xbf, ..] => 3,
        [0xe4..=0xec | 0xee, 0x80..=0xbf, 0x80..=0xbf, ..] | [0xef, 0xbc | 0xbd, 0x80..=0xbf, ..] => 3,
        [0xf0, 0x9f, 0x80..=0xbf, 0x80..=0xbf, ..] => 4,
        _ => 0,
    }
}

/// Where the sign begins of which this is a byte; not before `least`.
fn sign_at(text: &[u8], least: usize, mut at: usize) -> usize {
    while at > least && text.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {
        at -= 1;
    }
    at
}

const fn add(sum: usize, byte: u8) -> usize {
    (sum << (BITS / GRAM as u32) ^ folded(byte) as usize) & MASK
}

const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        special[byte] = byte < 0x20 || byte > 0x7e || super::unit::begins_escape(byte as u8);
        byte += 1;
    }
    special
};
