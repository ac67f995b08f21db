//! One way to read a text, and how far secrets have been seen in it.

use std::collections::VecDeque;

use super::{automaton::Automaton, automaton::ROOT, forms::folded, found::Found, shapes::Shape};

/// What of a text is seen by one who reads it in one way: with its escapes or what they stand for, with escape
/// sequences of terminals or without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lane {
    node: u32,
    /// Where those of the last bytes came from that may become a secret.
    starts: VecDeque<Start>,
    /// What looks like the beginning of a key.
    keys: Vec<Key>,
    /// The last sign belongs to a word, within which no key begins.
    pub(super) is_in_word: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    at: usize,
    is_in_word: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    /// Its number among the shapes.
    shape: u16,
    start: usize,
    /// How many bytes of it were seen after its prefix.
    length: usize,
    /// It is long enough.
    is_found: bool,
}

impl Lane {
    /// Whether nothing has been seen that may become a secret.
    pub(super) fn is_idle(&self) -> bool {
        self.node == ROOT && self.keys.is_empty()
    }

    /// Where the first thing begins that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let keys = self.keys.iter().filter(|key| !key.is_found).map(|key| key.start);
        keys.chain(self.starts.front().map(|start| start.at)).min()
    }

    /// The line ends here; the next one goes on with it. Of keys nobody knows where they end, so they do.
    pub(super) fn wrap(&mut self) {
        self.keys.clear();
    }

    /// Takes a byte that is seen, and is written from `from` to `to`.
    pub(super) fn take(&mut self, byte: u8, (from, to): (usize, usize), finder: &Finder, found: &mut Found) {
        if !self.keys.is_empty() {
            self.keys.retain_mut(|key| key.takes(byte, (from, to), finder.shapes, found));
        }
        self.node = finder.text.step(self.node, folded(byte));
        self.starts.push_back(Start { at: from, is_in_word: self.is_in_word });
        self.is_in_word = byte.is_ascii_alphanumeric() || byte == b'_';
        // Quicker than `drain`, and mostly it is one.
        let depth = finder.text.depth(self.node);
        while self.starts.len() > depth {
            self.starts.pop_front();
        }
        if self.node == ROOT {
            return;
        }
        let hit = finder.text.hit(self.node);
        if hit > 0 {
            found.add(self.starts[self.starts.len() - hit].at, to);
        }
        if let Some(shape) = finder.text.label(self.node) {
            let start = self.starts[self.starts.len() - finder.shapes[usize::from(shape)].prefix.len()];
            if !start.is_in_word {
                self.keys.push(Key { shape, start: start.at, length: 0, is_found: false });
            }
        }
    }
}

impl Key {
    /// Takes the next byte; gives whether it is still one.
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

/// What finds secrets in a lane.
#[derive(Debug)]
pub(super) struct Finder {
    pub(super) text: Automaton,
    pub(super) shapes: &'static [Shape],
}
