//! One way to read a text, and how far secrets have been seen in it.

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
    /// Before this place something was left out that the bytes may stand around; 0 if none of them precede it.
    left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    at: usize,
    byte: u8,
    /// It stood before the end of a line, and was let go there.
    is_let_go: bool,
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

    /// Ends all keys: nobody knows whether they go on behind what is here, such as the end of a wrapped line.
    pub(super) fn end_keys(&mut self) {
        self.keys.clear();
    }

    /// Whether it makes a difference that something is left out before this byte.
    pub(super) fn goes_on_with(&self, byte: u8, finder: &Finder) -> bool {
        !self.keys.is_empty() || finder.text.depth(finder.text.step(self.node, folded(byte))) > 1
    }

    /// Leaves out what ends here, a quote or the end of a line. No key goes on behind it.
    pub(super) fn leave_out(&mut self, to: usize) {
        self.keys.clear();
        self.is_in_word = false;
        self.doubt(to);
    }

    /// Says that what ends here may divide what was seen before it from what comes.
    pub(super) fn doubt(&mut self, to: usize) {
        self.left_out = if self.starts.is_empty() { 0 } else { to };
    }

    /// Lets go of the few bytes that stand before the end of a line: whoever waits for the line sees it whole.
    pub(super) fn let_go(&mut self, to: usize) {
        if self.starts.len() <= LET_GO {
            self.starts.iter_mut().for_each(|start| (start.at, start.is_let_go) = (to, true));
        }
    }

    /// Takes a byte that is seen, and is written from `from` to `to`.
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
        // Quicker than `drain`, and mostly it is one.
        let depth = finder.text.depth(self.node);
        while self.starts.len() > depth {
            self.starts.pop_front();
        }
        if self.starts.front().is_none_or(|start| start.at >= self.left_out && !start.is_let_go) {
            self.left_out = 0;
        }
        let hit = finder.text.hit(self.node);
        if hit > 0 && self.is_meant(hit) {
            found.add(self.starts[self.starts.len() - hit].at, to);
        }
        if let Some(shape) = finder.text.label(self.node) {
            let start = self.starts[self.starts.len() - finder.shapes[usize::from(shape)].prefix.len()];
            if !start.is_in_word && start.at >= self.left_out && !start.is_let_go {
                self.keys.push(Key { shape, start: start.at, length: 0, is_found: false });
            }
        }
    }

    /// Whether a form is no accident: if something was left out of it, it has to be long, and no list of numbers.
    fn is_meant(&self, length: usize) -> bool {
        let form = self.starts.range(self.starts.len() - length..);
        let is_whole = form.clone().next().is_none_or(|start| start.at >= self.left_out && !start.is_let_go);
        is_whole || length >= LEAST_SPELLED && !is_sequence(&form.map(|start| start.byte).collect::<Vec<_>>())
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
