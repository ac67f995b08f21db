//! Reads a text in each way in which a program may have written it.
//!
//! The [lanes](super::lane) undo all escapes of a text, or none. But a value may contain a backslash itself, so that
//! each escape may also be literal, and a line end may be a part of a value, replace a space of it, or come from a
//! program that wrapped it. So where these differ and a candidate is open, one [`Reading`] begins for each way. It ends
//! as soon as no value continues in it.

use super::{
    ansi::Ansi,
    begins::{goes_on_after_quote, is_quote},
    filter::{Beginnings, Precedes},
    forms::QUOTES,
    found::Found,
    lane::{Finder, Lane},
    margin::{Line, Margin},
    unit::{Sign, Unit, begins_escape, first_unit},
};

/// The maximum number of readings. Only a value such as a hundred backslashes needs more.
const MOST_READINGS: usize = 256;

/// Adds the beginnings of texts with this form that only a reading sees.
pub(super) fn beginnings(form: &[u8], to: &mut Beginnings) {
    let [first, second, ..] = *form else { return };
    let [single, double] = QUOTES.map(|quote| quote as u8);
    to.add(Precedes::Anything, &[first, b'\\'], &[second, b'\\', single, double, b'&']);
    to.add(Precedes::Anything, &[first, second], b"\\");
    for quote in [single, double] {
        to.add(Precedes::Anything, &[first, quote], &[second, single, double]);
        to.add(Precedes::Anything, &[first, second], &[quote]);
    }
    if begins_escape(first) {
        to.add(Precedes::Anything, &[first], b"\\%&");
    }
}

/// Whether a backslash that was left out precedes a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Behind {
    #[default]
    No,
    /// It only means that the character is literal.
    Plain,
    /// It could also begin an escape.
    Escape,
}

/// The possible meanings of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Sign(Sign),
    /// A backslash that only means that the next character is literal.
    Backslash(Behind),
}

/// Returns the ways to read a unit, and the length of each.
fn ways(unit: Unit, written: &[u8]) -> impl Iterator<Item = (Way, usize)> {
    let is_backslash = unit.is_escape && written[0] == b'\\';
    let decoded = match unit.sign {
        Sign::Nothing => Way::Backslash(Behind::Plain),
        sign => Way::Sign(sign),
    };
    let first = Way::Sign(Sign::Char(written[0].into()));
    let left_out = is_backslash && unit.sign != Sign::Nothing;
    // Markup within markup may be undone in part.
    let levels = written[1..].chunks(4).take_while(|level| level == b"amp;").zip(1..);
    let in_part = levels.map(move |(_, count)| (first, 1 + 4 * count)).filter(move |way| way.1 < unit.length);
    [(decoded, unit.length)]
        .into_iter()
        .chain(unit.is_escape.then_some((first, 1)))
        .chain(left_out.then_some((Way::Backslash(Behind::Escape), 1)))
        .chain(in_part)
}

/// The text at the position of a reading.
#[derive(Debug, Clone, Copy)]
struct Next<'a> {
    /// The next character, as it is written.
    written: &'a [u8],
    /// Whether this is the whole unit.
    is_whole: bool,
    /// The text after it.
    rest: &'a [u8],
    /// The line that ended last.
    line: &'a Line,
    finder: &'a Finder,
}

/// One way to read the text so far.
#[derive(Debug, Clone)]
struct Reading {
    /// The position of the next character.
    at: usize,
    lane: Lane,
    ansi: Ansi,
    /// The state before the next character, and before the last one.
    behind: Behind,
    was_behind: Behind,
    /// The start of the backslashes before the next character.
    backslashes: usize,
    /// The progress in the margin of a line; `None` after it.
    margin: Option<Margin>,
    /// The position from which on the lanes see the same.
    since: usize,
}

/// All ways to read the text so far that differ from the lanes.
#[derive(Debug, Default)]
pub(super) struct Readings {
    all: Vec<Reading>,
    line: Line,
}

impl Readings {
    pub(super) const fn is_on(&self) -> bool {
        !self.all.is_empty()
    }

    /// Returns the start of the first candidate.
    pub(super) fn first_candidate(&self) -> Option<usize> {
        let start = |reading: &Reading| reading.lane.first_candidate().unwrap_or(reading.at).min(reading.at);
        self.all.iter().map(start).min()
    }

    /// Begins a reading where a lane has seen this part of the text. `behind` tells whether a backslash precedes the
    /// last character, and the next one.
    pub(super) fn begin(&mut self, at: usize, lane: &Lane, ansi: Ansi, behind: [bool; 2]) {
        let [was_behind, is_behind] = behind;
        let mut lane = lane.clone();
        if !was_behind {
            lane.end_keys();
        }
        let was_behind = if was_behind { Behind::Escape } else { Behind::No };
        let behind = if is_behind { Behind::Plain } else { Behind::No };
        self.add(Reading { at, lane, ansi, behind, was_behind, backslashes: at, margin: None, since: at });
    }

    /// Records the line that ends here.
    pub(super) fn end_line(&mut self, line: Line) {
        self.line = line;
    }

    /// Reads on up to a position. `text` begins at `base`. `is_all` tells whether the text ends with it.
    pub(super) fn read(
        &mut self,
        (text, base): (&[u8], usize),
        to: usize,
        is_all: bool,
        finder: &Finder,
        found: &mut Found,
    ) {
        loop {
            let open = self.all.iter().enumerate().filter(|(_, reading)| reading.at < to);
            let Some((index, at)) = open.map(|(index, reading)| (index, reading.at)).min_by_key(|it| it.1)
            else {
                return;
            };
            let rest = &text[at - base..];
            let Some(unit) = first_unit(rest, is_all) else { return };
            let reading = self.all.swap_remove(index);
            for (way, length) in ways(unit, &rest[..unit.length]) {
                let next = Next {
                    written: &rest[..length],
                    is_whole: length == unit.length,
                    rest: &rest[length..],
                    line: &self.line,
                    finder,
                };
                for next in reading.after(way, &next, found) {
                    if !next.is_over() {
                        self.add(next);
                    }
                }
            }
        }
    }

    /// Drops the readings that see what a lane sees.
    pub(super) fn drop_same(&mut self, at: usize, lane: &Lane, ansi: Ansi) {
        self.all.retain(|reading| {
            let is_plain = reading.margin.is_none() && reading.behind == Behind::No;
            !(is_plain && reading.at == at && reading.ansi == ansi && reading.lane == *lane)
        });
    }

    /// Forgets the candidates of fewer than `least` bytes that have reached the margin of the next line: a row of a
    /// table may look like one as a whole, and is not a part of them.
    pub(super) fn forget_in_margins(&mut self, least: usize) {
        self.all.retain(|reading| {
            reading.margin.is_none() || reading.lane.has_keys() || reading.lane.depth() >= least
        });
    }

    /// Adds a reading. Of two that continue in the same way, it keeps the one that began first.
    fn add(&mut self, reading: Reading) {
        if let Some(other) = self.all.iter_mut().find(|other| other.goes_on_like(&reading)) {
            if reading.lane.first_candidate() < other.lane.first_candidate() {
                *other = reading;
            }
        } else if self.all.len() < MOST_READINGS {
            self.all.push(reading);
        }
    }
}

impl Reading {
    fn goes_on_like(&self, other: &Self) -> bool {
        let state = |of: &Self| (of.at, of.ansi, of.behind, of.was_behind, of.margin);
        state(self) == state(other) && self.lane.goes_on_like(&other.lane)
    }

    /// Returns whether the lanes see all that it may find.
    fn is_over(&self) -> bool {
        self.behind == Behind::No
            && !self.lane.has_keys()
            && self.lane.first_candidate().is_none_or(|start| start >= self.since)
    }

    /// Returns the readings after a unit that is read this way.
    fn after(&self, way: Way, text: &Next<'_>, found: &mut Found) -> Vec<Self> {
        let written = text.written;
        let mut next = Self { at: self.at + written.len(), ..self.clone() };
        if written.len() > 1 || self.margin.is_some() || begins_escape(written[0]) {
            next.since = next.at;
        }
        let sign = match way {
            Way::Sign(sign) => sign,
            Way::Backslash(_) if next.ansi.takes(Sign::Nothing) => return vec![next],
            Way::Backslash(behind) => {
                if self.behind == Behind::No {
                    next.backslashes = self.at;
                }
                next.behind = behind;
                return vec![next];
            }
        };
        let mut all = Vec::new();
        if self.behind == Behind::No && next.ansi.takes(sign) {
            all.push(next.clone());
            if self.ansi != Ansi::Outside {
                return all;
            }
            // It may also be no sequence.
            next.ansi = Ansi::Outside;
        }
        if let Some(margin) = self.margin {
            let is_part = text.is_whole && self.behind == Behind::No;
            let after = is_part.then(|| margin.after(written, sign, text.line)).flatten();
            all.extend(after.map(|margin| Self { margin: Some(margin), ..next.clone() }));
            if !sign.is_visible() {
                return all;
            }
            next.margin = None;
            if !margin.is_sure() {
                next.lane.doubt(self.at);
            }
        }
        // No value goes on after a line that is only a margin.
        if sign != Sign::Char('\n') || self.margin.is_none_or(Margin::is_empty) {
            next.take(sign, self.at, text, found, &mut all);
        }
        all
    }

    /// Takes a character that is not part of an escape sequence or a margin.
    fn take(
        mut self,
        sign: Sign,
        from: usize,
        &Next { rest, line, finder, .. }: &Next<'_>,
        found: &mut Found,
        all: &mut Vec<Self>,
    ) {
        let behind = std::mem::take(&mut self.behind);
        let was_behind = std::mem::replace(&mut self.was_behind, behind);
        if matches!((was_behind, behind), (Behind::No, Behind::Escape) | (Behind::Escape, Behind::No)) {
            // Backslashes also separate the parts of paths.
            self.lane.doubt(from);
        }
        if behind == Behind::No {
            // The lanes know how a key continues without a backslash.
            self.lane.end_keys();
        }
        let is_backslash = sign == Sign::Char('\\');
        let place = (if is_backslash && behind != Behind::No { self.backslashes } else { from }, self.at);
        match sign {
            Sign::Char('\n') if line.goes_on(&self.lane, rest, finder) => {
                let margin = Some(Margin::new(line.is_wrapped));
                self.was_behind = Behind::No;
                // A released candidate begins at this position.
                let mut joined = Self { margin, since: self.at + 1, ..self.clone() };
                if line.is_wrapped {
                    joined.lane.end_keys();
                } else {
                    joined.lane.leave_out(place.1);
                    joined.lane.let_go(place.1);
                }
                let mut folded = joined.clone();
                folded.lane.take(b' ', place, finder, found);
                all.extend([joined, folded]);
                self.margin = margin;
            }
            sign if is_quote(sign) && goes_on_after_quote(&self.lane, rest, finder) => {
                let mut joined = Self { since: self.at, ..self.clone() };
                joined.lane.leave_out(place.1);
                all.push(joined);
            }
            _ => {}
        }
        // Here the bytes of one character are separate, so no terminal reads them as control characters.
        if sign.is_visible() || behind != Behind::No && matches!(sign, Sign::Byte(_)) {
            for byte in sign.bytes(&mut [0; 4]) {
                self.lane.take(*byte, place, finder, found);
            }
        }
        all.push(self);
    }
}
