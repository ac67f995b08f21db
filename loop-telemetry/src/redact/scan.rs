//! Finding secrets in bytes of which more may come.
//!
//! A text is read in several ways at once, since the same bytes mean one thing to a terminal and another to a parser of
//! JSON: each way is a [lane](super::lane). Nearly everywhere all lanes see the same, and then only one of them works.

use std::{ops::Range, sync::OnceLock};

use super::{
    automaton::Automaton,
    filter::Filter,
    forms::Forms,
    hex::Digits,
    lane::Finder,
    progress::{DECODED, HALF, JOINED, LANES, OTHER, Scan, WRITTEN, before, dump},
    shapes::Shape,
    tails::Tails,
    unit::{Sign, Unit, first_unit},
};

/// Where in a text something is written, in bytes.
type Place = (usize, usize);

/// Of what may become a secret no more is held back: all of it is taken for one then. Bytes.
const MOST_HELD: usize = 64 << 10;
/// The same, for each byte of the longest form: what is written for it may be longer.
const MOST_HELD_EACH: usize = 16;

/// Knows what to look for.
#[derive(Debug)]
pub(super) struct Scanner {
    values: Vec<Vec<u8>>,
    forms: Forms,
    finder: Finder,
    hex: Automaton,
    filter: Filter,
    most_held: usize,
    /// Made for the first text whose beginning is missing.
    tails: OnceLock<Tails>,
}

impl Scanner {
    pub(super) fn new(values: Vec<Vec<u8>>, shapes: &'static [Shape]) -> Self {
        let forms = Forms::of(&values);
        let labels = shapes.iter().zip(0..).map(|(shape, number)| (shape.prefix_form(), Some(number)));
        let labels: Vec<_> = labels.collect();
        let labels = labels.iter().map(|(prefix, number)| (prefix.as_slice(), *number));
        let texts = forms.text.iter().map(|form| (form.as_slice(), None));
        let finder = Finder { text: Automaton::new(texts.chain(labels.clone())), shapes };
        let hex = Automaton::new(forms.hex.iter().map(|form| (form.as_slice(), None)));
        let text_forms = forms.text.iter().map(Vec::as_slice).chain(labels.map(|(prefix, _)| prefix));
        let filter = Filter::new(text_forms, forms.hex.iter().map(Vec::as_slice));
        let longest = forms.text.iter().chain(&forms.hex).map(Vec::len).max().unwrap_or(0);
        let most_held = MOST_HELD + MOST_HELD_EACH * longest;
        Self { values, forms, finder, hex, filter, most_held, tails: OnceLock::new() }
    }

    pub(super) fn values(&self) -> &[Vec<u8>] {
        &self.values
    }

    pub(super) const fn forms(&self) -> &Forms {
        &self.forms
    }

    pub(super) fn tails(&self) -> &Tails {
        self.tails.get_or_init(|| Tails::of(self.forms.text.iter().chain(&self.forms.hex)))
    }

    /// Reads on in a text, of which `scan.base` bytes are no longer there. `is_all` says that nothing comes after it.
    pub(super) fn read(&self, text: &[u8], is_all: bool, scan: &mut Scan) {
        while scan.at - scan.base < text.len() {
            if !scan.is_split {
                self.read_plain(text, scan);
            }
            let Some(rest) = text.get(scan.at - scan.base..).filter(|rest| !rest.is_empty()) else { break };
            let Some(unit) = first_unit(rest, is_all) else { break };
            self.take(&unit, text, scan);
        }
        if is_all {
            scan.hex.end(&mut Digits { finder: &self.hex, found: &mut scan.found });
        }
    }

    /// Reads up to where something stands that is seen in another way than it is written.
    fn read_plain(&self, text: &[u8], scan: &mut Scan) {
        let mut at = scan.at - scan.base;
        loop {
            let lane = &mut scan.lanes[0];
            if lane.is_idle() && scan.hex.is_idle() {
                let next = self.filter.next(text, at);
                if next > at {
                    lane.is_in_word = text[next - 1].is_ascii_alphanumeric() || text[next - 1] == b'_';
                    at = next;
                }
            }
            let Some(byte) = text.get(at).copied().filter(|byte| !Filter::is_special(*byte)) else { break };
            let place = (scan.base + at, scan.base + at + 1);
            lane.take(byte, place, &self.finder, &mut scan.found);
            self.see_digit(Sign::Char(byte.into()), place, false, text, scan);
            at += 1;
        }
        scan.at = scan.base + at;
    }

    fn take(&self, unit: &Unit, text: &[u8], scan: &mut Scan) {
        let (from, to) = (scan.at, scan.at + unit.length);
        let written = &text[from - scan.base..to - scan.base];
        let wraps = unit.sign == Sign::Char('\n') && scan.is_wrapped(text);
        if unit.is_escape && !wraps && self.is_passed_over(unit, text, scan) {
            scan.lanes[0].is_in_word = false;
            scan.at = to;
            return;
        }
        if !scan.is_split
            && (wraps || unit.is_escape || scan.ansi.map(|mut ansi| ansi.takes(unit.sign)) != [false; 2])
        {
            scan.split();
        }
        if unit.is_escape && written[0] == b'%' && !scan.is_half {
            scan.begin_half();
        }
        if !scan.is_split {
            self.see(0..1, unit.sign, (from, to), scan);
            self.see_digit(unit.sign, (from, to), wraps, text, scan);
        } else if unit.is_escape {
            for (byte, at) in written.iter().zip(from..) {
                self.take_in(WRITTEN, Sign::Char((*byte).into()), (at, at + 1), false, text, scan);
            }
            self.take_in(DECODED, unit.sign, (from, to), wraps, text, scan);
        } else {
            self.take_in(WRITTEN, unit.sign, (from, to), false, text, scan);
            self.take_in(DECODED, unit.sign, (from, to), wraps, text, scan);
        }
        if scan.is_half {
            self.take_half(unit, written, from, scan);
        }
        scan.at = to;
        scan.join();
        let candidate = scan.first_candidate();
        if to - candidate > self.most_held {
            scan.found.add(candidate, to);
        }
    }

    /// Whether an escape leaves all lanes as they are: nothing is under way, none of its bytes begins a form, and what it
    /// stands for is not seen. Most escapes of JSON are such: `\n`, and the backslash of `\"`.
    fn is_passed_over(&self, unit: &Unit, text: &[u8], scan: &Scan) -> bool {
        let from = scan.at - scan.base;
        !scan.is_split
            && !unit.sign.is_visible()
            && scan.lanes[0].is_idle()
            && scan.hex.is_idle()
            && scan.ansi.map(|mut ansi| ansi.takes(unit.sign)) == [false; 2]
            && (from..from + unit.length).all(|at| !self.filter.may_begin(text, at))
    }

    fn take_in(&self, way: usize, sign: Sign, place: Place, wraps: bool, text: &[u8], scan: &mut Scan) {
        scan.differ(way, sign);
        let is_hidden = scan.ansi[way].takes(sign);
        self.see(2 * way..2 * way + 1, sign, place, scan);
        if scan.is_other && !scan.other[way].takes_otherwise(sign) {
            self.see(OTHER + way..OTHER + way + 1, sign, place, scan);
        }
        if is_hidden {
            return;
        }
        self.see(2 * way + 1..2 * way + 2, sign, place, scan);
        if way == DECODED {
            scan.is_indented =
                wraps || scan.is_indented && matches!(sign, Sign::Char(' ' | '\t') | Sign::Nothing);
            match scan.is_indented {
                true => scan.lanes[JOINED].wrap(),
                false => self.see(JOINED..LANES, sign, place, scan),
            }
            self.see_digit(sign, place, wraps, text, scan);
        }
    }

    fn take_half(&self, unit: &Unit, written: &[u8], from: usize, scan: &mut Scan) {
        let mut take = |sign: Sign, place: Place| {
            let is_hidden = scan.half_ansi.takes(sign);
            let lanes = if is_hidden { HALF..HALF + 1 } else { HALF..HALF + 2 };
            self.see(lanes, sign, place, scan);
        };
        if unit.is_escape && written[0] == b'%' {
            for (byte, at) in written.iter().zip(from..) {
                take(Sign::Char((*byte).into()), (at, at + 1));
            }
        } else {
            take(unit.sign, (from, from + unit.length));
        }
    }

    fn see(&self, lanes: Range<usize>, sign: Sign, place: Place, scan: &mut Scan) {
        for lane in &mut scan.lanes[lanes] {
            if sign.is_visible() {
                for byte in sign.bytes(&mut [0; 4]) {
                    lane.take(*byte, place, &self.finder, &mut scan.found);
                }
            } else if matches!(sign, Sign::Char('\t' | '\r' | '\u{b}' | '\u{c}')) {
                lane.is_in_word = false;
            }
        }
    }

    fn see_digit(&self, sign: Sign, place: Place, wraps: bool, text: &[u8], scan: &mut Scan) {
        let is_digit = matches!(sign, Sign::Char(sign) if sign.is_ascii_hexdigit());
        if sign.is_visible() && (is_digit || !scan.hex.is_idle()) {
            let before = before(&scan.before, &text[..place.0 - scan.base]);
            let to = Digits { finder: &self.hex, found: &mut scan.found };
            scan.hex.take(sign, place, wraps, || dump(before.clone()), to);
        }
    }
}
