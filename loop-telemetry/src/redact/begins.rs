//! Checks whether a secret may begin or continue at a position. Usually it cannot, and then we skip work.

use super::{
    ansi::Ansi,
    filter::{Filter, Precedes},
    forms::QUOTES,
    lane::Lane,
    progress::{DECODED, JOINED, Scan, before},
    scan::Scanner,
    unit::{Sign, Unit},
};

impl Scanner {
    /// Returns whether a value may continue or begin here only for the reading that [leaves backslashes
    /// out](super::literal).
    pub(super) fn is_literal(&self, unit: &Unit, text: &[u8], scan: &Scan) -> bool {
        if scan.literal.is_on() {
            return false;
        }
        let at = scan.at - scan.base;
        let joined = &scan.lanes[if scan.is_split { JOINED } else { 0 }];
        let is_behind = || before(&scan.before, &text[..at]).next() == Some(b'\\');
        match unit.sign {
            sign if unit.is_escape && text[at] == b'\\' => {
                (sign != Sign::Nothing || scan.ansi[DECODED] != Ansi::Outside)
                    && (!joined.is_idle() || self.filter.may_begin(text, at + 1))
            }
            Sign::Byte(_) => !unit.sign.is_visible() && !joined.is_idle() && is_behind(),
            _ => false,
        }
    }

    /// Whether the digits of an escape may be those of a value.
    pub(super) fn begins_digits(&self, written: &[u8], text: &[u8], scan: &Scan) -> bool {
        let from = scan.at - scan.base;
        let mut digits = (0..written.len()).filter(|at| written[*at].is_ascii_hexdigit());
        let may_begin = |at: usize| self.filter.may_begin_alone(Precedes::Anything, text, from + at);
        written[0] != b'&' && digits.any(|at| !scan.numbers.is_idle() || may_begin(at))
    }

    /// Returns whether a lane has seen something that may continue after an omitted character, before this byte.
    pub(super) fn goes_on_behind(&self, lane: &Lane, next: Option<&u8>) -> bool {
        let is_plain = |next: &u8| !Filter::is_special(*next) && !is_left_out(Sign::Char((*next).into()));
        let goes_on = || next.is_none_or(|next| !is_plain(next) || lane.goes_on_with(*next, &self.finder));
        !lane.is_idle() && goes_on()
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

/// Returns whether a character may occur inside a quoted or folded value.
pub(super) fn is_left_out(sign: Sign) -> bool {
    matches!(sign, Sign::Char(sign) if sign == '\n' || QUOTES.contains(&sign))
}
