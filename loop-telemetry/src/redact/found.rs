//! Where secrets stand in a text.

use super::REDACTED;

/// Places of secrets in a text that are still to be taken out: in order, and none over another.
#[derive(Debug, Default)]
pub(super) struct Found {
    places: Vec<Place>,
    /// Up to here it has been taken out.
    done: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    from: usize,
    to: usize,
    /// A secret that stands before it goes on here.
    is_rest: bool,
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Adds a place. Secrets that overlap are one.
    pub(super) fn add(&mut self, from: usize, to: usize) {
        let mut place = Place { from, to, is_rest: false };
        while let Some(last) = self.places.pop_if(|last| last.to > place.from) {
            // A lane of words knows of a secret only after its last word.
            place.to = place.to.max(last.to);
            if last.from <= place.from {
                (place.from, place.is_rest) = (last.from, last.is_rest);
            }
        }
        self.places.push(place);
    }

    /// Adds a place where a secret goes on that may have been taken out.
    pub(super) fn go_on(&mut self, from: usize, to: usize) {
        match self.places.last_mut() {
            Some(last) if last.to >= from => last.to = to,
            _ => self.places.push(Place { from, to, is_rest: true }),
        }
    }

    /// Adds the text that stands before `until` to `clean`, without its secrets. It is what of it begins at `base`;
    /// nothing that is found later begins before `until`. Gives how much of the text is done with.
    pub(super) fn take_out(&mut self, text: &[u8], base: usize, until: usize, clean: &mut Vec<u8>) -> usize {
        let mut at = base.max(self.done);
        let ready = self.places.partition_point(|place| place.from <= until);
        for Place { from, to, is_rest } in self.places.drain(..ready) {
            // What goes on with a secret that was taken out needs no other sign for it.
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
