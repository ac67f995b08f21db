//! Checks whether a secret may begin or continue at a position. Usually it cannot, and then we skip work.

use std::cell::LazyCell;

use super::{
    ansi::Ansi,
    filter::{Filter, Precedes},
    forms::QUOTES,
    lane::{Finder, Lane},
    progress::{DECODED, LANES, Scan, before},
    scan::Scanner,
    unit::{Sign, Unit},
};

impl Scanner {
    /// Returns whether a value may begin or continue here in another way than in the lanes.
    pub(super) fn is_fork(&self, unit: &Unit, text: &[u8], scan: &Scan) -> bool {
        let lanes = &scan.lanes[..if scan.is_split { LANES } else { 1 }];
        let is_open = || lanes.iter().any(|lane| !lane.is_idle());
        let at = scan.at - scan.base;
        let rest = &text[at + unit.length..];
        match unit.sign {
            _ if unit.is_escape && self.is_fork_of_escape(unit, &text[at..], lanes, scan) => true,
            Sign::Char('\n') => {
                let line = LazyCell::new(|| scan.line(text, unit.is_escape));
                lanes.iter().any(|lane| !lane.is_idle() && line.goes_on(lane, rest, &self.finder))
            }
            sign if is_quote(sign) => lanes.iter().any(|lane| goes_on_after_quote(lane, rest, &self.finder)),
            Sign::Byte(_) if !unit.is_escape && !unit.sign.is_visible() => {
                is_open() && before(&scan.before, &text[..at]).next() == Some(b'\\')
            }
            _ => false,
        }
    }

    /// Returns whether a value may contain this escape as it is written, or without its backslash. `text` begins with
    /// the escape.
    fn is_fork_of_escape(&self, unit: &Unit, text: &[u8], lanes: &[Lane], scan: &Scan) -> bool {
        let goes_on = |lanes: &[Lane], byte| lanes.iter().any(|lane| lane.goes_on_with(byte, &self.finder));
        let is_backslash = text[0] == b'\\';
        let is_left_out = is_backslash && (unit.sign != Sign::Nothing || scan.ansi[DECODED] != Ansi::Outside);
        // The lanes of escapes as they are written do not undo this one.
        let is_undone = || match unit.sign.bytes(&mut [0; 4]) {
            _ if !scan.is_split => false,
            [first, ..] if unit.sign.is_visible() => goes_on(&lanes[..2 * DECODED], *first),
            _ => lanes[..2 * DECODED].iter().any(|lane| !lane.is_idle()),
        };
        is_backslash && lanes.iter().any(Lane::has_keys)
            || goes_on(lanes, text[0])
            || self.finder.may_begin(text[0])
            || is_left_out && text.get(1).is_some_and(|next| goes_on(lanes, *next))
            || is_undone()
    }

    /// Whether the digits of an escape may be those of a value.
    pub(super) fn begins_digits(&self, written: &[u8], text: &[u8], scan: &Scan) -> bool {
        let from = scan.at - scan.base;
        let mut digits = (0..written.len()).filter(|at| written[*at].is_ascii_hexdigit());
        let may_begin = |at: usize| self.filter.may_begin_alone(Precedes::Anything, text, from + at);
        written[0] != b'&' && digits.any(|at| !scan.numbers.is_idle() || may_begin(at))
    }

    /// Returns whether an escape leaves all lanes unchanged: no candidate is open, none of its bytes begins a form, and
    /// it decodes to an invisible character or a line end. Most escapes of JSON are such: `\n`, and the backslash of
    /// `\"`.
    pub(super) fn is_passed_over(&self, unit: &Unit, text: &[u8], scan: &Scan) -> bool {
        let from = scan.at - scan.base;
        scan.is_idle()
            && (!unit.sign.is_visible() || unit.sign == Sign::Char('\n'))
            && scan.ansi.map(|mut ansi| ansi.takes(unit.sign)) == [false; 2]
            && (from..from + unit.length).all(|at| !self.filter.may_begin(text, at))
    }
}

/// Returns whether a character may occur inside a quoted value.
pub(super) fn is_quote(sign: Sign) -> bool {
    matches!(sign, Sign::Char(sign) if QUOTES.contains(&sign))
}

/// Returns whether a candidate may continue after a quote, before this text.
pub(super) fn goes_on_after_quote(lane: &Lane, rest: &[u8], finder: &Finder) -> bool {
    let is_plain = |next: &u8| !Filter::is_special(*next) && !is_quote(Sign::Char((*next).into()));
    !lane.is_idle() && rest.first().is_none_or(|next| !is_plain(next) || lane.goes_on_with(*next, finder))
}
