//! Reads texts in which a backslash means that the next character is literal: `\k\e\y`.
//!
//! Bash prints comparisons this way. Other readings take `\e` for an escape sequence and `\n` for a line end. So one
//! more reading leaves out all backslashes, which also undoes the escapes of JSON.

use super::{
    ansi::Ansi,
    filter::{Beginnings, Precedes},
    forms::QUOTES,
    found::Found,
    lane::{Finder, Lane},
    unit::{Sign, Unit},
};

/// Adds the beginnings of texts with this form after a backslash.
pub(super) fn beginnings(form: &[u8], to: &mut Beginnings) {
    let [first, second, ..] = *form else { return };
    let [single, double] = QUOTES.map(|quote| quote as u8);
    to.add(Precedes::Anything, &[first, b'\\'], &[second, b'\\', single, double, b'&']);
    to.add(Precedes::Anything, &[first, second], b"\\");
}

/// Yields the characters of a unit in this reading, with their positions. Backslashes are [nothing](Sign::Nothing) in
/// it.
pub(super) fn signs(unit: Unit, written: &[u8], from: usize) -> impl Iterator<Item = (Sign, (usize, usize))> {
    // Shells escape each character with a meaning. In JSON, characters other than letters and digits may be escapes.
    let is_sign = |sign: Sign| !matches!(sign, Sign::Char(sign) if sign.is_ascii_alphanumeric());
    let is_decoded =
        !unit.is_escape || written[0] == b'&' || written.get(1) == Some(&b'u') && is_sign(unit.sign);
    let whole = is_decoded.then_some((unit.sign, (from, from + unit.length)));
    let bytes = if is_decoded { &[] } else { written };
    whole.into_iter().chain(bytes.iter().zip(from..).map(|(byte, at)| {
        let sign = if *byte == b'\\' { Sign::Nothing } else { Sign::Char((*byte).into()) };
        (sign, (at, at + 1))
    }))
}

/// Reads a text this way, from the first position where the other readings differ.
#[derive(Debug, Default)]
pub(super) struct Literal {
    /// The characters so far; `None` while it does not differ from the others.
    lane: Option<Lane>,
    ansi: Ansi,
    /// Whether a backslash precedes the next character, and the last one.
    is_behind: bool,
    was_behind: bool,
}

impl Literal {
    pub(super) const fn is_on(&self) -> bool {
        self.lane.is_some()
    }

    /// Begins where the others have seen this part of the text. `was_behind` tells whether a backslash precedes the
    /// last character.
    pub(super) fn begin(&mut self, mut lane: Lane, ansi: Ansi, was_behind: bool, is_behind: bool) {
        if !was_behind {
            lane.end_keys();
        }
        *self = Self { lane: Some(lane), ansi, is_behind, was_behind };
    }

    /// Stops if there is no candidate, or if `other` has the same ones.
    pub(super) fn stop_if_same(&mut self, other: Option<&Lane>) {
        let is_over = |lane: &Lane| {
            self.ansi == Ansi::Outside && lane.is_idle() || other.is_some_and(|other| other == lane)
        };
        if self.lane.as_ref().is_some_and(is_over) {
            self.lane = None;
        }
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        self.lane.as_ref()?.first_candidate()
    }

    /// Takes a unit that is written from `from` on.
    pub(super) fn take(
        &mut self,
        unit: Unit,
        written: &[u8],
        from: usize,
        finder: &Finder,
        found: &mut Found,
    ) {
        let Some(lane) = &mut self.lane else { return };
        for (sign, place) in signs(unit, written, from) {
            if !self.is_behind && self.ansi.takes(sign) {
                continue;
            }
            if matches!(sign, Sign::Nothing | Sign::Char('\\')) {
                self.is_behind = true;
                continue;
            }
            let is_behind = std::mem::take(&mut self.is_behind);
            if std::mem::replace(&mut self.was_behind, is_behind) != is_behind {
                // Backslashes also separate the parts of paths.
                lane.doubt(place.0);
            }
            if !is_behind {
                // The other readings know how a key continues without a backslash.
                lane.end_keys();
            }
            match sign {
                Sign::Char(sign) if sign == '\n' || QUOTES.contains(&sign) => {
                    lane.leave_out(place.1);
                    if sign == '\n' {
                        lane.let_go(place.1);
                    }
                }
                // Here the bytes of one character are separate, so no terminal reads them as control characters.
                sign if sign.is_visible() || is_behind && matches!(sign, Sign::Byte(_)) => {
                    for byte in sign.bytes(&mut [0; 4]) {
                        lane.take(*byte, place, finder, found);
                    }
                }
                _ => {}
            }
        }
    }
}
