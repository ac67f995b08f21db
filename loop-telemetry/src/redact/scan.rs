//! Finds secrets in a stream of bytes.
//!
//! We read a text in several ways at once, because the same bytes have different meanings for a terminal and a JSON
//! parser. Each way is a [lane](super::lane). Nearly everywhere all lanes see the same text, and then only one of them
//! works.

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::{Arc, OnceLock},
};

use super::{
    automaton::Automaton,
    begins::{goes_on_after_quote, is_quote},
    digits::Escape,
    filter::{Filter, Precedes, is_of_word},
    forms::Forms,
    found::Found,
    lane::Finder,
    numbers::Search,
    progress::{DECODED, OTHER, Scan, WRITTEN, before, dump},
    readings,
    shapes::Shape,
    tails::Tails,
    unit::{Sign, Unit, first_unit},
};

/// Returns these forms, without labels.
fn patterns(forms: &BTreeSet<Vec<u8>>) -> impl Iterator<Item = (&[u8], Option<u16>)> {
    forms.iter().map(|form| (form.as_slice(), None))
}

/// A position in a text: its start and end, in bytes.
type Place = (usize, usize);

/// The maximum number of bytes that we hold back. A longer candidate is treated as a secret.
const MOST_HELD: usize = 64 << 10;
/// The additional maximum for each byte of the longest form, because its spelling may be longer.
const MOST_HELD_EACH: usize = 16;

/// Knows all patterns.
#[derive(Debug)]
pub(super) struct Scanner {
    values: Vec<Vec<u8>>,
    forms: Forms,
    pub(super) finder: Finder,
    hex: Automaton,
    bytes: Automaton,
    pub(super) filter: Filter,
    most_held: usize,
    /// Created for the first text whose start is missing.
    tails: OnceLock<Tails>,
    /// Created for the first attachment.
    without_shapes: OnceLock<Arc<Self>>,
}

impl Scanner {
    pub(super) fn new(values: Vec<Vec<u8>>, shapes: &'static [Shape]) -> Self {
        let mut forms = Forms::of(&values);
        let labels = shapes.iter().zip(0..).map(|(shape, number)| (shape.prefix_form(), Some(number)));
        let labels: Vec<_> = labels.collect();
        for (prefix, _) in &labels {
            forms.beginnings.add(Precedes::Anything, prefix, &[]);
            readings::beginnings(prefix, &mut forms.beginnings);
        }
        let labels = labels.iter().map(|(prefix, number)| (prefix.as_slice(), *number));
        let finder = Finder { text: Automaton::new(patterns(&forms.text).chain(labels)), shapes };
        let [hex, bytes] = [&forms.hex, &forms.bytes].map(|forms| Automaton::new(patterns(forms)));
        let filter = Filter::new(&forms.beginnings);
        let longest =
            forms.text.iter().chain(&forms.hex).chain(&forms.bytes).map(Vec::len).max().unwrap_or(0);
        let most_held = MOST_HELD + MOST_HELD_EACH * longest;
        let (tails, without_shapes) = (OnceLock::new(), OnceLock::new());
        Self { values, forms, finder, hex, bytes, filter, most_held, tails, without_shapes }
    }

    pub(super) fn values(&self) -> &[Vec<u8>] {
        &self.values
    }

    pub(super) fn without_shapes(&self) -> &Arc<Self> {
        self.without_shapes.get_or_init(|| Arc::new(Self::new(self.values.clone(), &[])))
    }

    pub(super) const fn forms(&self) -> &Forms {
        &self.forms
    }

    pub(super) fn tails(&self) -> &Tails {
        self.tails
            .get_or_init(|| Tails::of(self.forms.text.iter().chain(&self.forms.bare).chain(&self.forms.hex)))
    }

    /// Continues reading a text whose first `scan.base` bytes are no longer there. `is_all` tells whether this is its
    /// end.
    pub(super) fn read(&self, text: &[u8], is_all: bool, scan: &mut Scan) {
        while scan.at - scan.base < text.len() {
            if !scan.is_split {
                self.read_plain(text, scan);
            }
            let Some(rest) = text.get(scan.at - scan.base..).filter(|rest| !rest.is_empty()) else { break };
            let Some(unit) = first_unit(rest, is_all) else { break };
            self.take(&unit, text, is_all, scan);
        }
        if is_all {
            scan.numbers.end(&mut self.search(&mut scan.found));
            if let Some((from, to)) = scan.spelled.end_word(&self.bytes) {
                scan.found.add(from, to);
            }
        }
    }

    /// Reads up to the next text that is not seen as it is written.
    fn read_plain(&self, text: &[u8], scan: &mut Scan) {
        let mut at = scan.at - scan.base;
        loop {
            if scan.is_idle() {
                let next = self.filter.next(text, at);
                if next > at {
                    scan.lanes[0].is_in_word = is_of_word(text[next - 1]);
                    scan.spelled.pass_over(char::from(text[next - 1]));
                    at = next;
                }
            }
            let Some(byte) = text.get(at).copied().filter(|byte| !Filter::is_special(*byte)) else { break };
            let lane = &mut scan.lanes[0];
            let (sign, place) = (Sign::Char(byte.into()), (scan.base + at, scan.base + at + 1));
            if is_quote(sign) && goes_on_after_quote(lane, &text[at + 1..], &self.finder) {
                break;
            }
            let in_word = lane.is_in_word;
            lane.take(byte, place, &self.finder, &mut scan.found);
            self.see_alone(sign, place, in_word, text, scan);
            at += 1;
        }
        scan.at = scan.base + at;
    }

    fn take(&self, unit: &Unit, text: &[u8], is_all: bool, scan: &mut Scan) {
        let (from, to) = (scan.at, scan.at + unit.length);
        let written = &text[from - scan.base..to - scan.base];
        if unit.is_escape && self.is_passed_over(unit, text, scan) {
            scan.lanes[0].is_in_word = false;
            if unit.sign == Sign::Char('\n') {
                scan.spelled.begin_line();
            }
            scan.at = to;
            return;
        }
        let is_fork = self.is_fork(unit, text, scan);
        if !scan.is_split
            && (is_fork || unit.is_escape || scan.ansi.map(|mut ansi| ansi.takes(unit.sign)) != [false; 2])
        {
            scan.split();
        }
        if is_fork {
            scan.begin_readings(text, matches!(unit.sign, Sign::Byte(_)) && !unit.is_escape, &self.finder);
        }
        if scan.readings.is_on() && unit.sign == Sign::Char('\n') {
            scan.readings.end_line(scan.line(text, unit.is_escape));
        }
        if !scan.is_split {
            let in_word = scan.lanes[0].is_in_word;
            self.see(0..1, unit.sign, (from, to), scan);
            if unit.sign.is_visible() {
                self.see_alone(unit.sign, (from, to), in_word, text, scan);
            }
        } else if unit.is_escape {
            self.take_escape(unit, written, text, scan);
        } else {
            let is_written = self.take_in(WRITTEN, unit.sign, (from, to), text, scan);
            let is_decoded = self.take_in(DECODED, unit.sign, (from, to), text, scan);
            if is_written && !is_decoded {
                // For a reader of digits, the escapes before it are not a terminal's sequence.
                scan.numbers.take_hidden(unit.sign, (from, to), &mut self.search(&mut scan.found));
            }
        }
        scan.readings.read((text, scan.base), to, is_all, &self.finder, &mut scan.found);
        scan.at = to;
        if scan.is_idle() {
            return;
        }
        scan.join();
        let candidate = scan.first_candidate();
        if to - candidate > self.most_held {
            scan.found.add(candidate, to);
        }
    }

    /// Takes an escape in each lane.
    fn take_escape(&self, unit: &Unit, written: &[u8], text: &[u8], scan: &mut Scan) {
        let (from, to) = (scan.at, scan.at + unit.length);
        for (byte, at) in written.iter().zip(from..) {
            self.take_in(WRITTEN, Sign::Char((*byte).into()), (at, at + 1), text, scan);
        }
        let digits = self.begins_digits(written, text, scan).then(|| scan.numbers.before_escape());
        self.take_in(DECODED, unit.sign, (from, to), text, scan);
        if let Some(digits) = digits {
            let is_json = written.starts_with(b"\\u")
                && before(&scan.before, &text[..from - scan.base]).next() != Some(b'\\');
            let escape = Escape { written, from, is_json };
            scan.numbers.take_escape(&escape, digits, &mut self.search(&mut scan.found));
        }
        // A fourth digit may follow: `\0153`.
        if let [b'\\', digits @ ..] = written
            && matches!(digits, [b'0', b'0'..=b'7', b'0'..=b'7'])
        {
            scan.numbers.take_octal(digits, from + 1, &mut self.search(&mut scan.found));
        }
    }

    /// Takes a character in one lane. Returns whether it is not part of an escape sequence.
    fn take_in(&self, way: usize, sign: Sign, place: Place, text: &[u8], scan: &mut Scan) -> bool {
        scan.differ(way, sign);
        let is_hidden = scan.ansi[way].takes(sign);
        self.see(2 * way..2 * way + 1, sign, place, scan);
        if scan.is_other && !scan.other[way].takes_otherwise(sign) {
            self.see(OTHER + way..OTHER + way + 1, sign, place, scan);
        }
        if is_hidden {
            return false;
        }
        let in_word = scan.lanes[2 * way + 1].is_in_word;
        self.see(2 * way + 1..2 * way + 2, sign, place, scan);
        if way == DECODED && sign.is_visible() {
            self.see_alone(sign, place, in_word, text, scan);
        }
        true
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

    /// Shows a visible character to the lanes of numbers and of single characters.
    fn see_alone(&self, sign: Sign, place: Place, in_word: bool, text: &[u8], scan: &mut Scan) {
        let at = place.0 - scan.base;
        let is_digit = matches!(sign, Sign::Char(sign) if sign.is_ascii_hexdigit());
        let may_begin = |precedes| self.filter.may_begin_alone(precedes, text, at);
        let may_begin_number = || may_begin(Precedes::Anything) || !in_word && may_begin(Precedes::NoWord);
        if !scan.numbers.is_idle() || is_digit && may_begin_number() {
            let before = before(&scan.before, &text[..at]);
            let to = self.search(&mut scan.found);
            scan.numbers.take(sign, place, in_word, || dump(before.clone()), to);
            // The prefix of the next byte may follow: `0x6b0x65`.
            if scan.numbers.has_begun_here()
                && text.get(at + 2) != Some(&b'0')
                && !may_begin(Precedes::Anything)
            {
                scan.numbers.begin_without();
            }
        }
        let sign = if let Sign::Char(sign) = sign { sign } else { char::REPLACEMENT_CHARACTER };
        if scan.spelled.is_idle() && (scan.spelled.passes(sign) || !may_begin(Precedes::Separator)) {
            return scan.spelled.pass_over(sign);
        }
        if let Some((from, to)) = scan.spelled.take(sign, place, &self.bytes) {
            scan.found.add(from, to);
        }
    }

    const fn search<'a>(&'a self, found: &'a mut Found) -> Search<'a> {
        Search { digits: &self.hex, bytes: &self.bytes, found }
    }
}
