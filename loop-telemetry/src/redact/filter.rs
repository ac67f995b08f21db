//! Skips text that cannot begin a secret, which is nearly all of it.

use super::{forms::folded, spelled};

/// The number of bits of the sum of three bytes.
const BITS: u32 = 15;
const MASK: usize = (1 << BITS) - 1;
const CHECK_BITS: u32 = 16;
/// The number of adjacent bytes.
const GRAM: usize = 3;

/// Knows the first three bytes of all forms. It may have false positives, but no false negatives.
#[derive(Debug)]
pub(super) struct Filter {
    /// For the sum of three bytes: [what may precede](Precedes) a form that begins with them; 0 if no form does.
    beginnings: Box<[u8]>,
    /// The same for a second sum, which is slower and has hardly any false positives.
    checks: Box<[u8]>,
}

/// The condition on the text before a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precedes {
    Anything = 1,
    /// No character of the same word.
    NoWord = 2,
    /// A character that [separates](spelled::separates) others.
    Separator = 4,
}

/// The first three bytes of the forms.
#[derive(Debug, Default)]
pub(super) struct Beginnings(Vec<([u8; GRAM], Precedes)>);

impl Beginnings {
    /// Adds texts that begin with `known`. If it has fewer than three bytes, one byte of `after` follows, and then any
    /// byte.
    pub(super) fn add(&mut self, precedes: Precedes, known: &[u8], after: &[u8]) {
        match (known.first_chunk(), known) {
            (Some(gram), _) => self.0.push((*gram, precedes)),
            (None, [first, second]) => {
                self.0.extend(after.iter().map(|third| ([*first, *second, *third], precedes)));
            }
            (None, [first]) => {
                let pairs =
                    after.iter().flat_map(|second| (0..=u8::MAX).map(|third| [*first, *second, third]));
                self.0.extend(pairs.map(|gram| (gram, precedes)));
            }
            (None, _) => {}
        }
    }

    /// Like [`add`](Self::add), in lower and upper case.
    pub(super) fn add_in_both_cases(&mut self, precedes: Precedes, known: &str, after: &[u8]) {
        let known = known.as_bytes();
        let known = &known[..known.len().min(GRAM)];
        for capitals in 0..1_usize << known.len() {
            let with_case = |(at, byte): (usize, &u8)| {
                if capitals >> at & 1 == 1 { byte.to_ascii_uppercase() } else { *byte }
            };
            self.add(precedes, &known.iter().enumerate().map(with_case).collect::<Vec<_>>(), after);
        }
    }
}

impl Filter {
    pub(super) fn new(beginnings: &Beginnings) -> Self {
        let [mut flags, mut checks] = [BITS, CHECK_BITS].map(|bits| vec![0; 1 << bits].into_boxed_slice());
        for (gram, precedes) in &beginnings.0 {
            flags[gram.iter().fold(0, |sum, byte| add(sum, *byte))] |= *precedes as u8;
            checks[check(*gram)] |= *precedes as u8;
        }
        Self { beginnings: flags, checks }
    }

    /// Returns whether a byte may be read differently than it is written, or ends a line.
    pub(super) const fn is_special(byte: u8) -> bool {
        SPECIAL[byte as usize]
    }

    /// Returns whether a form may begin at this byte of a text that is read as written. This is so if there are too few
    /// bytes to decide, or if an invisible character comes first.
    pub(super) fn may_begin(&self, text: &[u8], at: usize) -> bool {
        let Some(gram) = text[at..].first_chunk::<GRAM>() else { return true };
        let is_unseen = |byte: &u8| SPECIAL[usize::from(*byte)] && !super::unit::begins_escape(*byte);
        gram.iter().any(is_unseen) || self.checks[check(*gram)] > 0
    }

    /// Returns whether a form may begin at this byte after [this](Precedes), as a number or as single characters.
    pub(super) fn may_begin_alone(&self, precedes: Precedes, text: &[u8], at: usize) -> bool {
        let Some(gram) = text[at..].first_chunk::<GRAM>() else { return true };
        self.checks[check(*gram)] & precedes as u8 > 0 || gram.iter().any(|byte| Self::is_special(*byte))
    }

    /// Returns the first position from `at` on where a form may begin. Before special bytes, and before the end, the
    /// last two bytes may begin one.
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
                if self.beginnings[sum] > 0 && end - at >= GRAM && self.is_beginning(&text[at..end]) {
                    return sign_at(text, at, end - GRAM);
                }
            }
        }
        sign_at(text, at, end.saturating_sub(GRAM - 1).max(at))
    }

    /// Returns whether a form may begin with the last three bytes of a text. The text before them is unknown.
    fn is_beginning(&self, text: &[u8]) -> bool {
        let Some((before, gram)) = text.split_last_chunk() else { return false };
        let flags = self.checks[check(*gram)];
        let has = |precedes: Precedes| flags & precedes as u8 > 0;
        flags > 0
            && before.last().is_none_or(|last| {
                has(Precedes::Anything)
                    || has(Precedes::NoWord) && !is_of_word(*last)
                    || has(Precedes::Separator) && spelled::separates(char::from(*last))
            })
    }
}

/// Returns whether a byte belongs to a word, as in numbers and keys.
pub(super) const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the length of the multi-byte character at the start of a text; 0 if it may be invisible, or if there is
/// none.
const fn width(text: &[u8]) -> usize {
    match text {
        [0xc3..=0xcc | 0xce..=0xd7 | 0xd9..=0xdf, 0x80..=0xbf, ..] => 2,
        [0xe2, 0x82..=0xbf, 0x80..=0xbf, ..] | [0xe3, 0x80..=0x84 | 0x86..=0xbf, 0x80..=0xbf, ..] => 3,
        [0xe4..=0xec | 0xee, 0x80..=0xbf, 0x80..=0xbf, ..] | [0xef, 0xbc | 0xbd, 0x80..=0xbf, ..] => 3,
        [0xf0, 0x9f, 0x80..=0xbf, 0x80..=0xbf, ..] => 4,
        _ => 0,
    }
}

/// Returns the start of the character that contains this byte; not before `least`.
fn sign_at(text: &[u8], least: usize, mut at: usize) -> usize {
    while at > least && text.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {
        at -= 1;
    }
    at
}

const fn add(sum: usize, byte: u8) -> usize {
    (sum << (BITS / GRAM as u32) ^ folded(byte) as usize) & MASK
}

/// Another sum of three bytes.
const fn check(gram: [u8; GRAM]) -> usize {
    let [first, second, third] = gram;
    let number = u32::from_le_bytes([folded(first), folded(second), folded(third), 0]);
    (number.wrapping_mul(0x9e37_79b1) >> (u32::BITS - CHECK_BITS)) as usize
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
