//! Finding secrets in bytes of which more may come.
//!
//! A text is read in several ways at once, since the same bytes mean one thing to a terminal and another to a parser of
//! JSON: each way is a [`Lane`]. Nearly everywhere all lanes see the same, and then only one of them works.

use std::{ops::Range, sync::OnceLock};

use super::{
    ansi::Ansi,
    automaton::Automaton,
    filter::Filter,
    forms::Forms,
    found::Found,
    hex::{Digits, Dump, Hex},
    lane::{Finder, Lane},
    shapes::Shape,
    tails::Tails,
    unit::{Sign, Unit, first_unit},
};

/// The lanes: as it is written, the same without escape sequences of terminals, decoded, that without escape sequences,
/// and that with long lines joined.
const LANES: usize = 5;
const JOINED: usize = 4;
/// Two lanes more, without escape sequences as other terminals read them: as it is written, and decoded.
const OTHER: usize = LANES;
/// Numbers of `Scan::ansi`.
const WRITTEN: usize = 0;
const DECODED: usize = 1;

/// Where in a text something is written, in bytes.
type Place = (usize, usize);

/// So much of what stood before is known. Bytes: rows of dumps are not longer.
const KEPT: usize = 128;

/// Lines are joined if so many bytes before their end are one word, or hexadecimal digits: a program has wrapped them.
const WRAPPED: usize = 30;

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

/// How far a text has been read.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Where the text begins that is still there, and where reading goes on. Bytes from the beginning.
    base: usize,
    at: usize,
    /// What stood before `base`.
    before: Vec<u8>,
    lanes: [Lane; LANES + 2],
    /// Not all lanes see the same; otherwise the first one stands for all of them.
    is_split: bool,
    ansi: [Ansi; 2],
    /// The same in terminals that take a control for something else, if that differs.
    other: [Ansi; 2],
    is_other: bool,
    /// A line that goes on with the last one has not come to its first sign.
    is_indented: bool,
    hex: Hex,
    pub(super) found: Found,
}

/// What stands before a place, backwards.
fn before<'a>(earlier: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = u8> + Clone + 'a {
    text.iter().rev().chain(earlier.iter().rev()).copied().take(KEPT)
}

/// The dump of which a line is a row, of which this stands before some place, backwards.
fn dump(before: impl Iterator<Item = u8>) -> Option<Dump> {
    let mut line: Vec<u8> = Vec::new();
    for byte in before {
        // In JSON a line ends with an escape.
        let is_escape = byte == b'\\' && line.last() == Some(&b'n');
        if is_escape {
            line.pop();
        }
        if is_escape || byte == b'\n' {
            break;
        }
        line.push(byte);
    }
    Dump::of(line.into_iter().rev())
}

impl Scan {
    fn split(&mut self) {
        let (first, others) = self.lanes[..LANES].split_at_mut(1);
        others.iter_mut().for_each(|lane| lane.clone_from(&first[0]));
        self.is_split = true;
    }

    /// From here on terminals may differ in what they show.
    fn differ(&mut self, way: usize, sign: Sign) {
        if !self.is_other && self.ansi[way].may_differ(sign) {
            (self.is_other, self.other) = (true, self.ansi);
            for way in [WRITTEN, DECODED] {
                self.lanes[OTHER + way] = self.lanes[2 * way + 1].clone();
            }
        }
    }

    fn join(&mut self) {
        if self.is_other && self.other == self.ansi {
            let same = |way: usize| self.lanes[OTHER + way] == self.lanes[2 * way + 1];
            self.is_other = !(same(WRITTEN) && same(DECODED));
        }
        let is_same = self.ansi == [Ansi::Outside; 2] && !self.is_indented && !self.is_other;
        self.is_split =
            self.is_split && !(is_same && self.lanes[..LANES].iter().all(|lane| *lane == self.lanes[0]));
    }

    /// Whether a program has ended the line that ends here because it was long.
    fn is_wrapped(&self, text: &[u8]) -> bool {
        let before = before(&self.before, &text[..self.at - self.base]);
        let last = || before.clone().skip_while(|byte| *byte == b'\r').take(WRAPPED);
        let is_digit = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b' ' | b':' | b'-' | b',');
        let is_wrapped = |is_part: fn(&u8) -> bool| last().take_while(is_part).count() == WRAPPED;
        is_wrapped(u8::is_ascii_graphic) || is_wrapped(is_digit)
    }

    /// Where the first thing begins that may become a secret, or reading goes on.
    fn first_candidate(&self) -> usize {
        let lanes = match (self.is_split, self.is_other) {
            (false, _) => &self.lanes[..1],
            (true, false) => &self.lanes[..LANES],
            (true, true) => &self.lanes[..],
        };
        let candidates = lanes.iter().filter_map(Lane::first_candidate).chain(self.hex.first_candidate());
        candidates.fold(self.at, usize::min)
    }

    /// What stands at the end of a text of which the rest is missing is a secret if so many bytes may be one.
    pub(super) fn cut(&mut self, text: &[u8], least: usize) {
        let (candidate, end) = (self.first_candidate(), self.base + text.len());
        if end - candidate >= least {
            self.found.add(candidate, end);
        }
    }

    /// Adds what has been read to `clean`, but for what may become a secret. Gives how much of the text is done with:
    /// it is not there the next time.
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
