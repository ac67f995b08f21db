//! The progress of a scan: the position in the text, and the state of each lane.

use super::{
    ansi::Ansi,
    found::Found,
    lane::{Finder, Lane},
    margin::{self, Line},
    numbers::Numbers,
    readings::Readings,
    rows::Dump,
    spelled::Spelled,
    unit::Sign,
};

/// The lanes: as it is written, the same without escape sequences of terminals, decoded, and that without escape
/// sequences.
pub(super) const LANES: usize = 4;
/// Two lanes more, without escape sequences as other terminals read them: as it is written, and decoded.
pub(super) const OTHER: usize = LANES;
/// Numbers of `Scan::ansi`.
pub(super) const WRITTEN: usize = 0;
pub(super) const DECODED: usize = 1;

/// The number of earlier bytes that we keep. Rows of dumps are not longer.
const KEPT: usize = 256;

/// The number of bytes of one word at the end of a line that show that a program wrapped it. The next line may be
/// indented.
pub(super) const WRAPPED: usize = 30;

/// The state of reading a text.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The positions where the remaining text begins, and where reading continues, in bytes from the start.
    pub(super) base: usize,
    pub(super) at: usize,
    /// The text before `base`.
    pub(super) before: Vec<u8>,
    pub(super) lanes: [Lane; OTHER + 2],
    /// Whether the lanes see different texts. If not, only the first one works, for all.
    pub(super) is_split: bool,
    pub(super) ansi: [Ansi; 2],
    /// The same for terminals that treat a control character differently, if the result differs.
    pub(super) other: [Ansi; 2],
    pub(super) is_other: bool,
    pub(super) readings: Readings,
    pub(super) numbers: Numbers,
    pub(super) spelled: Spelled,
    pub(super) found: Found,
}

/// Returns the text before a position, backwards.
pub(super) fn before<'a>(earlier: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = u8> + Clone + 'a {
    text.iter().rev().chain(earlier.iter().rev()).copied().take(KEPT)
}

/// Returns the dump that a line belongs to. `before` is the text before a position in it, backwards.
pub(super) fn dump(before: impl Iterator<Item = u8>) -> Option<Dump> {
    Dump::of(margin::backwards(before).into_iter().rev())
}

impl Scan {
    pub(super) fn split(&mut self) {
        let (first, others) = self.lanes[..LANES].split_at_mut(1);
        others.iter_mut().for_each(|lane| lane.clone_from(&first[0]));
        self.is_split = true;
    }

    /// Returns whether no lane has a candidate.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_split && self.lanes[0].is_idle() && self.numbers.is_idle() && self.spelled.is_idle()
    }

    /// Begins the lanes for terminals that may differ from here on.
    pub(super) fn differ(&mut self, way: usize, sign: Sign) {
        if !self.is_other && self.ansi[way].may_differ(sign) {
            (self.is_other, self.other) = (true, self.ansi);
            for way in [WRITTEN, DECODED] {
                self.lanes[OTHER + way] = self.lanes[2 * way + 1].clone();
            }
        }
    }

    /// Begins [readings](super::readings) where the lanes have seen this part of the text. `is_behind` tells whether a
    /// backslash without a meaning precedes the next character.
    pub(super) fn begin_readings(&mut self, text: &[u8], is_behind: bool, finder: &Finder) {
        let was_behind = before(&self.before, &text[..self.at - self.base]).nth(1) == Some(b'\\');
        let may_begin = finder.may_begin(text[self.at - self.base]);
        let lanes = self.lanes.iter().zip(self.ansi_of_lanes());
        for (lane, ansi) in lanes.filter(|(lane, _)| may_begin || !lane.is_idle()) {
            self.readings.begin(self.at, lane, ansi, [was_behind, is_behind]);
        }
    }

    /// Returns where in an escape sequence each lane is.
    const fn ansi_of_lanes(&self) -> [Ansi; LANES] {
        [Ansi::Outside, self.ansi[WRITTEN], Ansi::Outside, self.ansi[DECODED]]
    }

    pub(super) fn join(&mut self) {
        if self.is_other && self.other == self.ansi {
            let same = |way: usize| self.lanes[OTHER + way] == self.lanes[2 * way + 1];
            self.is_other = !(same(WRITTEN) && same(DECODED));
        }
        for way in [WRITTEN, DECODED] {
            self.readings.drop_same(self.at, &self.lanes[2 * way + 1], self.ansi[way]);
        }
        let is_same = self.ansi == [Ansi::Outside; 2] && !self.is_other && !self.readings.is_on();
        self.is_split =
            self.is_split && !(is_same && self.lanes[..LANES].iter().all(|lane| *lane == self.lanes[0]));
    }

    /// Returns the line before this position. `is_escape` tells whether it ends with an escape.
    pub(super) fn line(&self, text: &[u8], is_escape: bool) -> Line {
        Line::before(before(&self.before, &text[..self.at - self.base]), is_escape)
    }

    /// Returns the start of the first candidate, or the position where reading continues.
    pub(super) fn first_candidate(&self) -> usize {
        let lanes = if self.is_split { &self.lanes[..LANES] } else { &self.lanes[..1] };
        let other = if self.is_split && self.is_other { &self.lanes[OTHER..] } else { &[] };
        let candidates = lanes.iter().chain(other).filter_map(Lane::first_candidate);
        let others =
            [self.numbers.first_candidate(), self.spelled.first_candidate(), self.readings.first_candidate()];
        candidates.chain(others.into_iter().flatten()).fold(self.at, usize::min)
    }

    /// If the rest of a text is missing, treats a candidate of at least `least` bytes at its end as a secret.
    pub(super) fn cut(&mut self, text: &[u8], least: usize) {
        // A number at the end of a text is not a candidate by itself.
        self.numbers.forget_word();
        self.spelled.forget_word();
        self.readings.forget_in_margins(least);
        let (candidate, end) = (self.first_candidate(), self.base + text.len());
        if end - candidate >= least {
            self.found.add(candidate, end);
        }
    }

    /// Appends the text read so far to `clean`, except candidates. Returns how much of the text is finished. The next
    /// call gets the text without that part.
    pub(super) fn pass(&mut self, text: &[u8], is_all: bool, clean: &mut Vec<u8>) -> usize {
        let until = if is_all { self.base + text.len() } else { self.first_candidate() };
        let done = self.found.take_out(text, self.base, until, clean);
        let kept = done.min(KEPT);
        self.before.extend_from_slice(&text[done - kept..done]);
        self.before.drain(..self.before.len().saturating_sub(KEPT));
        self.base += done;
        done
    }
}
