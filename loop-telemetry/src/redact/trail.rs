//! How much of a form has been seen in the digits, bytes or signs that a text spells.

use std::collections::VecDeque;

use super::automaton::{Automaton, ROOT};

/// So many bytes before the end of a line are not held back, although a secret may go on with the next line.
pub(super) const LET_GO: usize = 3;

/// The bytes at the end of a text that may become a secret.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    node: u32,
    /// Each byte, and the position of its spelling.
    bytes: VecDeque<(u8, usize)>,
}

/// A form that ends with the last byte.
#[derive(Debug)]
pub(super) struct Hit<'a> {
    /// The position of its first byte.
    pub(super) from: usize,
    /// The last bytes of the trail, which hold the form at their end.
    bytes: &'a VecDeque<(u8, usize)>,
    pub(super) length: usize,
}

impl Hit<'_> {
    /// The bytes of the form.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bytes.range(self.bytes.len() - self.length..).map(|(byte, _)| *byte).collect()
    }
}

impl Trail {
    pub(super) const fn is_idle(&self) -> bool {
        self.node == ROOT
    }

    /// The number of bytes that may become a secret.
    pub(super) fn depth(&self) -> usize {
        self.bytes.len()
    }

    /// The position of the first byte that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.bytes.front().map(|(_, from)| *from)
    }

    /// Forgets all bytes: no form continues after them.
    pub(super) fn reset(&mut self) {
        self.node = ROOT;
        self.bytes.clear();
    }

    /// Lets go of the few bytes that stand before the end of a line: whoever waits for the line sees it whole.
    pub(super) fn let_go(&mut self, to: usize) {
        if self.bytes.len() <= LET_GO {
            self.bytes.iter_mut().for_each(|(_, from)| *from = to);
        }
    }

    /// Takes the next byte, whose spelling begins at `from`.
    pub(super) fn step(&mut self, byte: u8, from: usize, finder: &Automaton) -> Option<Hit<'_>> {
        self.node = finder.step(self.node, byte);
        if self.node == ROOT {
            self.bytes.clear();
            return None;
        }
        self.bytes.push_back((byte, from));
        // Quicker than `drain`, and mostly it is one.
        let depth = finder.depth(self.node);
        while self.bytes.len() > depth {
            self.bytes.pop_front();
        }
        let length = finder.hit(self.node);
        if length == 0 {
            return None;
        }
        let (_, from) = self.bytes[self.bytes.len() - length];
        Some(Hit { from, bytes: &self.bytes, length })
    }
}

/// Whether each byte differs from the one before it by the same amount, as in `12345678` or `aaaaaaaa`. Lists of numbers
/// spell such values all the time.
pub(super) fn is_sequence(bytes: &[u8]) -> bool {
    let mut steps = bytes.windows(2).map(|pair| i16::from(pair[1]) - i16::from(pair[0]));
    let first = steps.next();
    steps.all(|step| Some(step) == first)
}
