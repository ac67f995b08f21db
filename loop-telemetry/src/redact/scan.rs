//! Finding secrets in bytes of which more may come.

use regex::bytes::{Regex, RegexBuilder};

use super::{REDACTED, shapes::Shape};

/// Finds the secrets in a text, which may come in pieces.
pub(super) struct Scanner {
    /// Longer ones first: of two that begin at the same place, the longer one is taken out.
    values: Vec<Vec<u8>>,
    shapes: &'static [Shape],
    /// Finds all values, and the prefixes of all shapes; `None` if there are none.
    beginnings: Option<Regex>,
    /// The length of the longest of those, and the bytes that one of them begins with.
    longest: usize,
    first_bytes: [bool; 256],
}

/// What the bytes before those at hand say about them.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The last two bytes; zeros at the beginning.
    before: [u8; 2],
    /// A key was taken out whose end was not seen: what is of this class goes on with it.
    inside: Option<fn(u8) -> bool>,
}

impl Left {
    /// Whether a key can begin here: not in the middle of a word. `\n` within JSON ends a word as a line does.
    fn ends_word(&self, text: &[u8]) -> bool {
        let mut before = self.before.into_iter().chain(text.iter().copied()).rev();
        match (before.next(), before.next()) {
            (Some(b'n' | b'r' | b't'), Some(b'\\')) => true,
            (Some(last), _) => !last.is_ascii_alphanumeric() && last != b'_',
            (None, _) => true,
        }
    }

    fn pass(&mut self, text: &[u8]) {
        for byte in &text[text.len().saturating_sub(2)..] {
            self.before = [self.before[1], *byte];
        }
    }
}

/// What is found at the beginning of a shape.
enum Found {
    Nothing,
    /// A key of so many bytes, and whether it may go on after them.
    Key(usize, bool),
    /// It may be one: more has to be seen.
    Perhaps,
}

impl Scanner {
    pub(super) fn new(mut values: Vec<Vec<u8>>, shapes: &'static [Shape]) -> Self {
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let prefixes = shapes.iter().map(|shape| shape.prefix.as_bytes());
        let beginnings: Vec<&[u8]> = values.iter().map(Vec::as_slice).chain(prefixes).collect();
        let longest = beginnings.iter().map(|beginning| beginning.len()).max().unwrap_or(0);
        let pattern: Vec<String> = beginnings.iter().map(|beginning| literal(beginning)).collect();
        let regex = (!pattern.is_empty()).then(|| literals(&pattern.join("|")));
        let mut first_bytes = [false; 256];
        for byte in beginnings.iter().filter_map(|beginning| beginning.first()) {
            first_bytes[usize::from(*byte)] = true;
        }
        Self { shapes, beginnings: regex, longest, first_bytes, values }
    }

    pub(super) fn values(&self) -> &[Vec<u8>] {
        &self.values
    }

    /// Whether a whole text may have a secret in it. Most have none, and then nothing is copied.
    pub(super) fn may_be_in(&self, text: &[u8]) -> bool {
        self.beginnings.as_ref().is_some_and(|beginnings| beginnings.is_match(text))
    }

    /// Adds the text without its secrets to `clean`, and returns how much of the text is done with. `is_all`
    /// says that nothing comes after it; then that is all of it.
    pub(super) fn scan(&self, text: &[u8], is_all: bool, left: &mut Left, clean: &mut Vec<u8>) -> usize {
        let Some(beginnings) = &self.beginnings else {
            clean.extend_from_slice(text);
            return text.len();
        };
        let mut done = Self::go_on_inside(text, left);
        let known = if is_all { text.len() } else { self.known(text) };
        let mut from = done;
        loop {
            let next = beginnings.find_at(text, from).filter(|next| next.start() < known);
            let Some(next) = next else {
                let kept = known.max(done);
                clean.extend_from_slice(&text[done..kept]);
                left.pass(&text[..kept]);
                return kept;
            };
            let found = match self.shape_of(next.as_bytes()) {
                None => Found::Key(next.len(), false),
                Some(shape) => Self::key(shape, text, next.start(), is_all, left),
            };
            match found {
                Found::Nothing => from = next.start() + 1,
                Found::Perhaps => {
                    clean.extend_from_slice(&text[done..next.start()]);
                    left.pass(&text[..next.start()]);
                    return next.start();
                }
                Found::Key(length, goes_on) => {
                    clean.extend_from_slice(&text[done..next.start()]);
                    clean.extend_from_slice(REDACTED.as_bytes());
                    left.inside = self.shape_of(next.as_bytes()).filter(|_| goes_on).map(|shape| shape.class);
                    done = next.start() + length;
                    from = done;
                }
            }
        }
    }

    /// Before this, nothing begins that is not here as a whole: no more than needed is held back, since people
    /// watch what comes out.
    fn known(&self, text: &[u8]) -> usize {
        let might_begin = |from: &usize| {
            let rest = &text[*from..];
            let mut beginnings = self
                .values
                .iter()
                .map(Vec::as_slice)
                .chain(self.shapes.iter().map(|shape| shape.prefix.as_bytes()));
            self.first_bytes[usize::from(rest[0])]
                && beginnings.any(|beginning| beginning.len() > rest.len() && beginning.starts_with(rest))
        };
        let first = (text.len() + 1).saturating_sub(self.longest);
        (first..text.len()).find(might_begin).unwrap_or(text.len())
    }

    /// Passes over the rest of a key whose beginning was taken out.
    fn go_on_inside(text: &[u8], left: &mut Left) -> usize {
        let Some(class) = left.inside else { return 0 };
        let rest = text.iter().take_while(|byte| class(**byte)).count();
        if rest < text.len() {
            left.inside = None;
        }
        rest
    }

    /// The shape with this prefix, unless it is a value.
    fn shape_of(&self, beginning: &[u8]) -> Option<&'static Shape> {
        let is_value = self.values.iter().any(|value| value == beginning);
        self.shapes.iter().find(|shape| shape.prefix.as_bytes() == beginning).filter(|_| !is_value)
    }

    fn key(shape: &Shape, text: &[u8], at: usize, is_all: bool, left: &Left) -> Found {
        if !left.ends_word(&text[..at]) {
            return Found::Nothing;
        }
        let body = &text[at + shape.prefix.len()..];
        let length = body.iter().take_while(|byte| (shape.class)(**byte)).count();
        let goes_on = !is_all && length == body.len();
        match length >= shape.least {
            true => Found::Key(shape.prefix.len() + length, goes_on),
            false if goes_on => Found::Perhaps,
            false => Found::Nothing,
        }
    }
}

/// A pattern that matches these bytes and nothing else.
fn literal(bytes: &[u8]) -> String {
    let escape = |byte: &u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    bytes.iter().map(escape).collect()
}

fn literals(pattern: &str) -> Regex {
    // Room for a few thousand secrets; what is escaped byte by byte cannot be wrong otherwise.
    const ROOM: usize = 256 << 20;
    let built = RegexBuilder::new(pattern).unicode(false).size_limit(ROOM).build();
    built.unwrap_or_else(|error| panic!("there are too many secrets to look for: {error}"))
}
