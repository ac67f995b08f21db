//! Values of which each sign stands alone: `k   e   y` as `od -c` prints it, `['k', 'e', 'y']`.

use super::{
    automaton::Automaton,
    filter::{Beginnings, Precedes},
    forms::{QUOTES, folded},
    rows::MOST_SIGNS,
    trail::Trail,
};

/// The longest word that can mean something here: an offset.
const MOST: usize = 9;

/// Whether a sign separates others, and belongs to none of them.
pub(super) fn separates(sign: char) -> bool {
    matches!(sign, ' ' | '\n' | ',') || QUOTES.contains(&sign)
}

/// How a text may begin that spells this form.
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

/// How far values have been seen in signs that stand alone.
#[derive(Debug, Default)]
pub(super) struct Spelled {
    trail: Trail,
    word: String,
    /// Where the word begins, and ends.
    place: (usize, usize),
    /// The word is too long to be a sign, or its beginning was passed over.
    is_junk: bool,
    is_first_in_line: bool,
    /// So many signs that separate others precede the next sign.
    gap: usize,
}

impl Spelled {
    pub(super) fn is_idle(&self) -> bool {
        self.trail.is_idle() && self.word.is_empty()
    }

    /// Where the first thing begins that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let word = (!self.word.is_empty()).then_some(self.place.0);
        self.trail.first_candidate().into_iter().chain(word).min()
    }

    /// Whether no word begins with this sign.
    pub(super) fn passes(&self, sign: char) -> bool {
        self.is_junk || separates(sign)
    }

    /// A text was passed over that ends with this sign.
    pub(super) fn pass_over(&mut self, last: char) {
        self.is_junk = !separates(last);
        self.is_first_in_line = last == '\n';
    }

    /// A line begins, and nothing is under way.
    pub(super) fn begin_line(&mut self) {
        (self.is_junk, self.is_first_in_line) = (false, true);
    }

    /// Forgets the word that has not ended.
    pub(super) fn forget_word(&mut self) {
        self.word.clear();
    }

    /// Takes a sign that is seen. Returns the place of a value.
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
                // However long, it would be held back.
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

    /// Nothing follows the word. Returns the place of a value that ends with it.
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

/// The bytes of the sign that a word is: itself, or three octal digits.
fn sign<'a>(word: &str, room: &'a mut [u8; 4]) -> Option<&'a [u8]> {
    let mut signs = word.chars();
    if let (Some(sign), None) = (signs.next(), signs.next()) {
        return Some(sign.encode_utf8(room).as_bytes());
    }
    room[0] = u8::from_str_radix(word, 8).ok().filter(|_| word.len() == 3)?;
    Some(&room[..1])
}

/// Whether a word is the offset of a row.
fn is_offset(word: &str) -> bool {
    let digits = word.strip_suffix(':').unwrap_or(word);
    (6..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
