//! One way to read a text, and the candidates for secrets in it.

use std::collections::VecDeque;

use super::{
    automaton::Automaton,
    automaton::ROOT,
    filter::is_of_word,
    forms::{LEAST_SPELLED, folded},
    found::Found,
    shapes::Shape,
    trail::{LET_GO, is_sequence},
};

/// The characters of a text that one reading sees: with escapes as written or decoded, with or without terminals'
/// escape sequences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lane {
    node: u32,
    /// The positions of the last bytes that may become a secret.
    starts: VecDeque<Start>,
    /// The candidates for keys.
    keys: Vec<Key>,
    /// Whether the last character belongs to a word, because no key begins inside a word.
    pub(super) is_in_word: bool,
    /// The end of the last skipped text that a candidate may span; 0 if no candidate had begun before it.
    left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    at: usize,
    byte: u8,
    /// Whether it was before the end of a line, and was released there.
    is_let_go: bool,
    is_in_word: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    /// The number of its shape.
    shape: u16,
    start: usize,
    /// The number of its bytes after the prefix.
    length: usize,
    /// Whether it is long enough.
    is_found: bool,
}

impl Lane {
    /// Returns whether there is no candidate.
    pub(super) fn is_idle(&self) -> bool {
        self.node == ROOT && self.keys.is_empty()
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let keys = self.keys.iter().filter(|key| !key.is_found).map(|key| key.start);
        keys.chain(self.starts.front().map(|start| start.at)).min()
    }

    /// Returns the number of bytes that may become a secret.
    pub(super) fn depth(&self) -> usize {
        self.starts.len()
    }

    /// Ends all keys, because it is unknown whether they continue after this position, for example after a wrapped
    /// line's end.
    pub(super) fn end_keys(&mut self) {
        self.keys.clear();
    }

    /// Returns whether a value goes on with this byte.
    pub(super) fn goes_on_with(&self, byte: u8, finder: &Finder) -> bool {
        self.node != ROOT && finder.text.depth(finder.text.step(self.node, folded(byte))) > 1
    }

    /// Returns whether there is a candidate for a key.
    pub(super) const fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Returns whether both lanes will find the same secrets from here on, apart from where those begin.
    pub(super) fn goes_on_like(&self, other: &Self) -> bool {
        let state = |of: &Self| (of.node, of.is_in_word, of.left_out > 0);
        state(self) == state(other) && self.keys == other.keys
    }

    /// Leaves out a quote or line end that ends here. No key continues after it.
    pub(super) fn leave_out(&mut self, to: usize) {
        self.keys.clear();
        self.is_in_word = false;
        self.doubt(to);
    }

    /// Records that the text that ends here may separate earlier bytes from later ones.
    pub(super) fn doubt(&mut self, to: usize) {
        self.left_out = if self.starts.is_empty() { 0 } else { to };
    }

    /// Releases the few bytes before the end of a line, so that a reader that waits for the line sees all of it.
    pub(super) fn let_go(&mut self, to: usize) {
        if self.starts.len() <= LET_GO {
            self.starts.iter_mut().for_each(|start| (start.at, start.is_let_go) = (to, true));
        }
    }

    /// Takes a visible byte. Its written form lies between the positions `from` and `to`.
    pub(super) fn take(&mut self, byte: u8, (from, to): (usize, usize), finder: &Finder, found: &mut Found) {
        if !self.keys.is_empty() {
            self.keys.retain_mut(|key| key.takes(byte, (from, to), finder.shapes, found));
        }
        let was_in_word = std::mem::replace(&mut self.is_in_word, is_of_word(byte));
        self.node = finder.text.step(self.node, folded(byte));
        if self.node == ROOT {
            self.starts.clear();
            self.left_out = 0;
            return;
        }
        self.starts.push_back(Start {
            at: from,
            byte: folded(byte),
            is_let_go: false,
            is_in_word: was_in_word,
        });
        // This is faster than `drain`, and usually removes a single byte.
        let depth = finder.text.depth(self.node);
        while self.starts.len() > depth {
            self.starts.pop_front();
        }
        if self.starts.front().is_none_or(|start| start.at >= self.left_out && !start.is_let_go) {
            self.left_out = 0;
        }
        let hit = finder.text.hit(self.node);
        if hit > 0 && self.is_unlikely_chance(hit) {
            found.add(self.starts[self.starts.len() - hit].at, to);
        }
        if let Some(shape) = finder.text.label(self.node) {
            let start = self.starts[self.starts.len() - finder.shapes[usize::from(shape)].prefix.len()];
            if !start.is_in_word && start.at >= self.left_out && !start.is_let_go {
                self.keys.push(Key { shape, start: start.at, length: 0, is_found: false });
            }
        }
    }

    /// Returns whether a match is unlikely to be chance. If it spans skipped text, it must be long and not a list of
    /// numbers.
    fn is_unlikely_chance(&self, length: usize) -> bool {
        let form = self.starts.range(self.starts.len() - length..);
        let is_whole = form.clone().next().is_none_or(|start| start.at >= self.left_out && !start.is_let_go);
        is_whole || length >= LEAST_SPELLED && !is_sequence(&form.map(|start| start.byte).collect::<Vec<_>>())
    }
}

impl Key {
    /// Takes the next byte. Returns whether it is still a key.
    fn takes(&mut self, byte: u8, (from, to): (usize, usize), shapes: &[Shape], found: &mut Found) -> bool {
        let shape = &shapes[usize::from(self.shape)];
        if !(shape.class)(byte) {
            return false;
        }
        if self.is_found {
            found.go_on(from, to);
            return true;
        }
        self.length += 1;
        self.is_found = self.length == shape.least;
        if self.is_found {
            found.add(self.start, to);
        }
        true
    }
}

/// The patterns of a lane.
#[derive(Debug)]
pub(super) struct Finder {
    pub(super) text: Automaton,
    pub(super) shapes: &'static [Shape],
}

impl Finder {
    /// Returns whether a value begins with this byte.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        self.text.step(ROOT, folded(byte)) != ROOT
    }
}
