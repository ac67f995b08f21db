//! The margins of lines that a program has wrapped: an indentation, the mark of a comment or a quoted mail, a line
//! number, or the name of a service in its logs.

use super::{
    lane::{Finder, Lane},
    progress::WRAPPED,
    unit::{Sign, first_unit},
};

/// The maximum length of a margin, in bytes.
const MOST: usize = 64;
/// The number of bytes of the next lines in which we look for the rest of a value before we begin to search for it.
const MOST_SEEN: usize = 96;

/// The line before a line end.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    start: Vec<u8>,
    /// Whether a program wrapped it because it was long.
    pub(super) is_wrapped: bool,
}

impl Line {
    /// Returns the line that ends here. `before` is the text before this position, backwards. `is_escape` tells whether
    /// the line ends with an escape.
    pub(super) fn before(before: impl Iterator<Item = u8> + Clone, is_escape: bool) -> Self {
        let last = before.clone().skip_while(|byte| *byte == b'\r').take(WRAPPED);
        let is_wrapped = last.take_while(u8::is_ascii_graphic).count() == WRAPPED;
        let mut start = backwards(before);
        start.reverse();
        if is_escape {
            // The first line of a text in JSON begins after a quote.
            let begins = start.windows(2).rposition(|pair| pair[1] == b'"' && pair[0] != b'\\');
            start.drain(..begins.map_or(0, |at| at + 2));
        }
        start.truncate(MOST);
        Self { start, is_wrapped }
    }

    /// Returns whether a candidate may continue in the next line, at its start or after a margin. `rest` is the text
    /// after the line end.
    pub(super) fn goes_on(&self, lane: &Lane, rest: &[u8], finder: &Finder) -> bool {
        let goes_on = |byte| lane.goes_on_with(byte, finder);
        if goes_on(b'\n') || goes_on(b' ') {
            return true;
        }
        let (mut column, mut at) = (0, 0);
        while at < MOST_SEEN
            && let Some(unit) =
                rest.get(at..).filter(|rest| !rest.is_empty()).and_then(|rest| first_unit(rest, false))
        {
            let written = &rest[at..at + unit.length];
            at += unit.length;
            let is_blank = matches!(unit.sign, Sign::Char(' ' | '\t' | '\r'));
            let decoded = unit.sign.bytes(&mut [0; 4]).first().copied();
            if !is_blank && !unit.sign.is_visible()
                || decoded.is_some_and(goes_on)
                || unit.is_escape && written.iter().take(2).copied().any(goes_on)
            {
                return true;
            }
            if unit.sign == Sign::Char('\n') {
                return column == 0;
            }
            if !is_blank
                && !written.iter().zip(column..).all(|(byte, column)| self.has_in_margin(column, *byte))
            {
                return false;
            }
            column += unit.length;
        }
        true
    }

    /// Returns whether this byte can be in this column of the next line's margin. Letters must be the same in each
    /// line.
    fn has_in_margin(&self, column: usize, byte: u8) -> bool {
        column < MOST && (!byte.is_ascii_alphabetic() || self.start.get(column) == Some(&byte))
    }
}

/// Returns the line before a position, backwards. `before` is the text before it, backwards.
pub(super) fn backwards(before: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut line: Vec<u8> = Vec::new();
    for byte in before {
        // In JSON, a line ends with an escape.
        let is_escape = byte == b'\\' && line.last() == Some(&b'n');
        if is_escape {
            line.pop();
        }
        if is_escape || byte == b'\n' {
            break;
        }
        line.push(byte);
    }
    line
}

/// The progress in the margin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Margin {
    column: usize,
    /// Whether it follows a long line and is blank.
    is_sure: bool,
}

impl Margin {
    pub(super) const fn new(is_sure: bool) -> Self {
        Self { column: 0, is_sure }
    }

    /// Returns whether this is still the start of the line.
    pub(super) const fn is_empty(self) -> bool {
        self.column == 0
    }

    pub(super) const fn is_sure(self) -> bool {
        self.is_sure
    }

    /// Returns the margin after a character, if it can be in one.
    pub(super) fn after(self, written: &[u8], sign: Sign, line: &Line) -> Option<Self> {
        let has = |(at, byte): (usize, &u8)| line.has_in_margin(self.column + at, *byte);
        let is_blank = matches!(sign, Sign::Char(' ' | '\t'));
        let is_part = sign != Sign::Char('\n') && (is_blank || written.iter().enumerate().all(has));
        (is_part && self.column < MOST)
            .then_some(Self { column: self.column + written.len(), is_sure: self.is_sure && is_blank })
    }
}
