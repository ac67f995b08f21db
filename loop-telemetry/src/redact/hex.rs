//! Secrets in hexadecimal digits, as `xxd`, `hexdump` and `openssl` print them.

use std::collections::VecDeque;

use super::{
    automaton::{Automaton, ROOT},
    found::Found,
    unit::Sign,
};

/// Secrets with fewer digits are found only where nothing separates these: `31 32 33` is a list of numbers.
const LEAST_SEPARATED: usize = 16;
/// The first so many digits stand together in all that is printed, and have to: otherwise each `a` of a text would be
/// one.
const TOGETHER: usize = 2;
/// What separates digits.
pub(super) const SEPARATORS: [char; 4] = [' ', ':', '-', ','];

/// How far secrets have been seen in digits.
#[derive(Debug, Default)]
pub(super) struct Hex {
    node: u32,
    starts: VecDeque<usize>,
    /// A zero between two bytes, before which it is not known whether it is that of `0x`.
    zero: Option<(usize, usize)>,
}

impl Hex {
    pub(super) fn is_idle(&self) -> bool {
        self.node == ROOT
    }

    /// Where the first thing begins that may become a secret.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.starts.front().copied()
    }

    /// Takes a sign that is seen. A line's end separates digits if `wraps`.
    pub(super) fn take(
        &mut self,
        sign: Sign,
        place: (usize, usize),
        wraps: bool,
        finder: &Automaton,
        found: &mut Found,
    ) {
        let Sign::Char(sign) = sign else { return self.end(finder, found) };
        match sign {
            'x' | 'X' if self.zero.take().is_some() => {}
            '0' if self.is_between_bytes(finder) => {
                self.put_zero(finder, found);
                self.zero = Some(place);
            }
            digit if digit.is_ascii_hexdigit() => {
                self.put_zero(finder, found);
                self.step(digit.to_ascii_lowercase() as u8, place, finder, found);
            }
            separator if SEPARATORS.contains(&separator) => self.separate(finder, found),
            '\n' if wraps => self.separate(finder, found),
            _ => self.end(finder, found),
        }
    }

    /// Nothing goes on with what was seen.
    pub(super) fn end(&mut self, finder: &Automaton, found: &mut Found) {
        self.put_zero(finder, found);
        self.node = ROOT;
        self.starts.clear();
    }

    fn separate(&mut self, finder: &Automaton, found: &mut Found) {
        self.put_zero(finder, found);
        if finder.depth(self.node) < TOGETHER {
            self.end(finder, found);
        }
    }

    fn is_between_bytes(&self, finder: &Automaton) -> bool {
        let depth = finder.depth(self.node) + usize::from(self.zero.is_some());
        depth >= TOGETHER && depth.is_multiple_of(2)
    }

    fn put_zero(&mut self, finder: &Automaton, found: &mut Found) {
        if let Some(place) = self.zero.take() {
            self.step(b'0', place, finder, found);
        }
    }

    fn step(&mut self, digit: u8, (from, to): (usize, usize), finder: &Automaton, found: &mut Found) {
        self.node = finder.step(self.node, digit);
        self.starts.push_back(from);
        let excess = self.starts.len() - finder.depth(self.node);
        self.starts.drain(..excess);
        let hit = finder.hit(self.node);
        if hit > 0 {
            let start = self.starts[self.starts.len() - hit];
            if hit >= LEAST_SEPARATED || to - start == hit {
                found.add(start, to);
            }
        }
    }
}
