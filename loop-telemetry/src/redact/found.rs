//! The positions of secrets in a text.

use std::ops::Range;

use super::REDACTED;

/// The positions of secrets that are not yet removed, in order and without overlap.
#[derive(Debug, Default)]
pub(super) struct Found {
    places: Vec<Place>,
    /// The end of the part that is finished.
    done: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    from: usize,
    to: usize,
    /// Whether an earlier secret continues here.
    is_rest: bool,
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the positions.
    pub(super) fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.places.iter().map(|place| place.from..place.to)
    }

    /// Adds a position. Merges secrets that overlap.
    pub(super) fn add(&mut self, from: usize, to: usize) {
        let mut place = Place { from, to, is_rest: false };
        while let Some(last) = self.places.pop_if(|last| last.to > place.from) {
            // A lane of words finds a secret only after its last word.
            place.to = place.to.max(last.to);
            if last.from <= place.from {
                (place.from, place.is_rest) = (last.from, last.is_rest);
            }
        }
        self.places.push(place);
    }

    /// Adds the positions that another scan of the same text has found.
    pub(super) fn merge(&mut self, other: Self) {
        let mut all = [std::mem::take(&mut self.places), other.places].concat();
        all.sort_by_key(|place| (place.from, place.is_rest));
        for place in all {
            match self.places.last_mut() {
                Some(last) if last.to > place.from => last.to = last.to.max(place.to),
                _ => self.places.push(place),
            }
        }
    }

    /// Adds a position where a secret continues that may be removed already.
    pub(super) fn go_on(&mut self, from: usize, to: usize) {
        match self.places.last_mut() {
            Some(last) if last.to >= from => last.to = to,
            _ => self.places.push(Place { from, to, is_rest: true }),
        }
    }

    /// Appends the text before `until` to `clean`, without its secrets. `text` is the rest from `base` on. No secret
    /// that is found later begins before `until`. Returns how much of the text is finished.
    pub(super) fn take_out(&mut self, text: &[u8], base: usize, until: usize, clean: &mut Vec<u8>) -> usize {
        let mut at = base.max(self.done);
        let ready = self.places.partition_point(|place| place.from <= until);
        for Place { from, to, is_rest } in self.places.drain(..ready) {
            // If it continues a removed secret, it needs no replacement of its own.
            if from >= self.done {
                clean.extend_from_slice(&text[at - base..from - base]);
                clean.extend_from_slice(if is_rest { b"" } else { REDACTED.as_bytes() });
            }
            (at, self.done) = (to, to);
        }
        if until > at {
            clean.extend_from_slice(&text[at - base..until - base]);
            at = until;
        }
        at - base
    }
}
