//! Finds values whose characters are separate: `k   e   y` in the output of `od -c`, or `['k', 'e', 'y']`.

use super::{
    automaton::Automaton,
    filter::{Beginnings, Precedes},
    forms::{QUOTES, folded},
    rows::MOST_SIGNS,
    trail::Trail,
};

/// The longest word with a meaning here: an offset.
const MOST: usize = 9;

/// Returns whether a character separates others, and belongs to none of them.
pub(super) fn separates(sign: char) -> bool {
    matches!(sign, ' ' | '\n' | ',') || QUOTES.contains(&sign)
}

/// Adds the beginnings of texts that spell this form.
pub(super) fn beginnings(form: &[u8], to: &mut Beginnings) {
    let text = String::from_utf8_lossy(form);
    let mut signs = text.chars();
    let (Some(first), Some(second)) = (signs.next(), signs.next()) else { return };
    let separators = QUOTES.iter().chain(&[' ', ',']);
    let mut room = [0; 4];
    let after: Vec<u8> = "0123 ,".bytes().chain(QUOTES.map(|quote| quote as u8)).collect();
    let after = [&after, &second.encode_utf8(&mut room).as_bytes()[..1]].concat();
    separators
        .for_each(|separator| to.add(Precedes::Separator, format!("{first}{separator}").as_bytes(), &after));
    to.add(Precedes::Separator, format!("{:03o}", form[0]).as_bytes(), &[]);
}

/// The progress of candidates in single characters.
#[derive(Debug, Default)]
pub(super) struct Spelled {
    trail: Trail,
    word: String,
    /// The start and the end of the word.
    place: (usize, usize),
    /// Whether the word is too long for a character, or its start was skipped.
    is_junk: bool,
    is_first_in_line: bool,
    /// The number of separators before the next character.
    gap: usize,
}

impl Spelled {
    pub(super) fn is_idle(&self) -> bool {
        self.trail.is_idle() && self.word.is_empty()
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let word = (!self.word.is_empty()).then_some(self.place.0);
        self.trail.first_candidate().into_iter().chain(word).min()
    }

    /// Returns whether no word begins with this character.
    pub(super) fn passes(&self, sign: char) -> bool {
        self.is_junk || separates(sign)
    }

    /// Records that a text was skipped that ends with this character.
    pub(super) fn pass_over(&mut self, last: char) {
        self.is_junk = !separates(last);
        self.is_first_in_line = last == '\n';
    }

    /// Begins a line without candidates.
    pub(super) fn begin_line(&mut self) {
        (self.is_junk, self.is_first_in_line) = (false, true);
    }

    /// Drops the word that has not ended.
    pub(super) fn forget_word(&mut self) {
        self.word.clear();
    }

    /// Takes a visible character. Returns the position of a value.
    pub(super) fn take(
        &mut self,
        sign: char,
        place: (usize, usize),
        finder: &Automaton,
    ) -> Option<(usize, usize)> {
        if separates(sign) {
            let found = self.end_word(finder);
            self.gap += 1;
            if self.gap > MOST_SIGNS {
                // Otherwise we would hold it back, however long it is.
                self.trail.reset();
            }
            if sign == '\n' {
                self.is_first_in_line = true;
                self.trail.let_go(place.1);
            }
            return found;
        }
        self.gap = 0;
        if self.is_junk {
            return None;
        }
        if self.word.len() >= if self.trail.is_idle() { 3 } else { MOST } && !self.word.is_empty() {
            self.junk();
            return None;
        }
        if self.word.is_empty() {
            self.place.0 = place.0;
        }
        self.place.1 = place.1;
        self.word.push(sign);
        None
    }

    /// Ends the word. Returns the position of a value that ends with it.
    pub(super) fn end_word(&mut self, finder: &Automaton) -> Option<(usize, usize)> {
        let is_junk = std::mem::take(&mut self.is_junk);
        if self.word.is_empty() && !is_junk {
            return None;
        }
        let is_first_in_line = std::mem::take(&mut self.is_first_in_line);
        let (mut room, (from, to)) = ([0; 4], self.place);
        let found = match sign(&self.word, &mut room) {
            Some(bytes) => {
                let hit = |byte: &u8| Some(self.trail.step(folded(*byte), from, finder)?.from);
                bytes.iter().filter_map(hit).min()
            }
            None => {
                if !(is_first_in_line && is_offset(&self.word)) {
                    self.trail.reset();
                }
                None
            }
        };
        self.word.clear();
        Some((found?, to))
    }

    fn junk(&mut self) {
        self.word.clear();
        self.is_junk = true;
        self.trail.reset();
    }
}

/// Returns the bytes of the character in a word: the word itself, or three octal digits.
fn sign<'a>(word: &str, room: &'a mut [u8; 4]) -> Option<&'a [u8]> {
    let mut signs = word.chars();
    if let (Some(sign), None) = (signs.next(), signs.next()) {
        return Some(sign.encode_utf8(room).as_bytes());
    }
    room[0] = u8::from_str_radix(word, 8).ok().filter(|_| word.len() == 3)?;
    Some(&room[..1])
}

/// Returns whether a word is the offset of a row.
fn is_offset(word: &str) -> bool {
    let digits = word.strip_suffix(':').unwrap_or(word);
    (6..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
