//! Texts in which a backslash only says that the next sign stands for itself: `\k\e\y`.
//!
//! Bash traces comparisons so. Whoever decodes such a text takes `\e` for an escape sequence and `\n` for the end of a
//! line. One more reading leaves all backslashes out instead, which also undoes what JSON makes of them.

use super::{
    ansi::Ansi,
    filter::{Beginnings, Precedes},
    forms::QUOTES,
    found::Found,
    lane::{Finder, Lane},
    unit::{Sign, Unit},
};

/// Adds how a text may begin that has this form behind a backslash.
pub(super) fn beginnings(form: &[u8], to: &mut Beginnings) {
    let [first, second, ..] = *form else { return };
    let [single, double] = QUOTES.map(|quote| quote as u8);
    to.add(Precedes::Anything, &[first, b'\\'], &[second, b'\\', single, double, b'&']);
    to.add(Precedes::Anything, &[first, second], b"\\");
}

/// Yields the signs of a unit, and their places, as this reading has them. Backslashes are
/// [nothing](Sign::Nothing) in it.
pub(super) fn signs(unit: Unit, written: &[u8], from: usize) -> impl Iterator<Item = (Sign, (usize, usize))> {
    // Shells escape each sign of markup. In JSON, signs that are no letters or digits may be escapes.
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

/// Reads a text so, from where the other readings differ from it.
#[derive(Debug, Default)]
pub(super) struct Literal {
    /// The signs that were seen; `None` while it does not differ from the others.
    lane: Option<Lane>,
    ansi: Ansi,
    /// A backslash precedes the next sign, and preceded the last one.
    is_behind: bool,
    was_behind: bool,
}

impl Literal {
    pub(super) const fn is_on(&self) -> bool {
        self.lane.is_some()
    }

    /// Begins where others have seen this of the text. `was_behind` says that the last sign was behind a backslash.
    pub(super) fn begin(&mut self, mut lane: Lane, ansi: Ansi, was_behind: bool, is_behind: bool) {
        if !was_behind {
            lane.end_keys();
        }
        *self = Self { lane: Some(lane), ansi, is_behind, was_behind };
    }

    /// Stops if nothing is under way, or `other` has seen the same.
    pub(super) fn stop_if_same(&mut self, other: Option<&Lane>) {
        let is_over = |lane: &Lane| {
            self.ansi == Ansi::Outside && lane.is_idle() || other.is_some_and(|other| other == lane)
        };
        if self.lane.as_ref().is_some_and(is_over) {
            self.lane = None;
        }
    }

    /// Returns where the first thing begins that may become a secret.
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
                // Backslashes divide the parts of paths too.
                lane.doubt(place.0);
            }
            if !is_behind {
                // The other readings know how a key goes on without a backslash.
                lane.end_keys();
            }
            match sign {
                Sign::Char(sign) if sign == '\n' || QUOTES.contains(&sign) => {
                    lane.leave_out(place.1);
                    if sign == '\n' {
                        lane.let_go(place.1);
                    }
                }
                // Bytes of one sign are apart here: no terminal takes them for controls.
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
