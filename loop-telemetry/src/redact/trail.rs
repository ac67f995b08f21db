//! The progress of candidates in the digits, bytes or characters that a text spells.

use std::collections::VecDeque;

use super::automaton::{Automaton, ROOT};

/// The number of bytes before the end of a line that we do not hold back, although a secret may continue in the next
/// line.
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
    /// Returns the bytes of the form.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bytes.range(self.bytes.len() - self.length..).map(|(byte, _)| *byte).collect()
    }
}

impl Trail {
    pub(super) const fn is_idle(&self) -> bool {
        self.node == ROOT
    }

    /// Returns the number of bytes that may become a secret.
    pub(super) fn depth(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the position of the first byte that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.bytes.front().map(|(_, from)| *from)
    }

    /// Drops all bytes, because no form continues after them.
    pub(super) fn reset(&mut self) {
        self.node = ROOT;
        self.bytes.clear();
    }

    /// Releases the few bytes before the end of a line, so that a reader that waits for the line sees all of it.
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
        // This is faster than `drain`, and usually removes a single byte.
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

/// Returns whether each byte differs from the previous one by the same amount, as in `12345678` or `aaaaaaaa`. Lists of
/// numbers often spell such values.
pub(super) fn is_sequence(bytes: &[u8]) -> bool {
    let mut steps = bytes.windows(2).map(|pair| i16::from(pair[1]) - i16::from(pair[0]));
    let first = steps.next();
    steps.all(|step| Some(step) == first)
}
