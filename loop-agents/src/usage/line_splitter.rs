//! Splits a stream of bytes into lines, in bounded memory. The pieces of the stream may end anywhere.

use crate::output::beginning;

/// The number of bytes of a rejected line to show.
const SHOWN_BYTES: usize = 200;

/// A line, without the white space at its end. Blank lines are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamLine<'a> {
    /// A complete line.
    Whole(&'a [u8]),
    /// The beginning of a line that is longer than the bound.
    TooLong(&'a [u8]),
}

/// The mark for UTF-8 that some programs write before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Joins pieces into lines. Removes a byte-order mark before the first line.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    max_bytes: usize,
    /// Whether no line has ended yet.
    at_start: bool,
    /// The beginning of a line whose end has not come.
    torn: Vec<u8>,
    /// Whether the torn line is already too long, so that only its beginning was kept.
    too_long: bool,
}

impl LineSplitter {
    /// Creates a splitter that does not keep lines longer than `max_bytes`, so that a stream without newlines does not
    /// fill the memory.
    pub(crate) fn with_max(max_bytes: usize) -> Self {
        Self { max_bytes, at_start: true, torn: Vec::new(), too_long: false }
    }

    /// Reads the next bytes, and calls `each` with each line that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(StreamLine<'_>)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(end) = piece.strip_suffix(b"\n") else {
                self.keep(piece);
                continue;
            };
            if self.torn.is_empty() && !self.too_long && end.len() <= self.max_bytes {
                give(StreamLine::Whole(self.unmarked(end)), &mut each);
            } else {
                self.keep(end);
                self.end_line(&mut each);
            }
            self.at_start = false;
        }
    }

    /// Ends the writer's output. A last line without a newline is complete then, so that the next writer's first line
    /// is not appended to it.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(StreamLine<'_>)) {
        self.end_line(&mut each);
        self.at_start = true;
    }

    /// Returns the line whose end has not come, unless it is too long.
    pub(super) fn torn(&self) -> &[u8] {
        if self.too_long { &[] } else { self.unmarked(&self.torn) }
    }

    /// Forgets the torn line after it was read without its end.
    pub(super) fn clear(&mut self) {
        self.torn.clear();
        self.too_long = false;
    }

    fn end_line(&mut self, each: &mut impl FnMut(StreamLine<'_>)) {
        let torn = self.unmarked(&self.torn);
        give(if self.too_long { StreamLine::TooLong(torn) } else { StreamLine::Whole(torn) }, each);
        self.clear();
    }

    /// Removes the byte-order mark from a line.
    fn unmarked<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        line.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.at_start).unwrap_or(line)
    }

    fn keep(&mut self, piece: &[u8]) {
        if self.too_long {
            return;
        }
        let room = self.max_bytes - self.torn.len();
        self.torn.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            self.too_long = true;
            self.torn.truncate(2 * SHOWN_BYTES);
            self.torn.shrink_to_fit();
        }
    }
}

fn give(line: StreamLine<'_>, each: &mut impl FnMut(StreamLine<'_>)) {
    let line = match line {
        StreamLine::Whole(bytes) => StreamLine::Whole(bytes.trim_ascii_end()),
        StreamLine::TooLong(bytes) => StreamLine::TooLong(bytes.trim_ascii_end()),
    };
    if line != StreamLine::Whole(b"") {
        each(line);
    }
}

/// Returns the beginning of a line, for a message that explains why it was rejected.
pub(super) fn shown(line: &[u8]) -> String {
    beginning(&String::from_utf8_lossy(&line[..line.len().min(2 * SHOWN_BYTES)]), SHOWN_BYTES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(lines: &mut LineSplitter, pieces: &[&[u8]]) -> Vec<(bool, Vec<u8>)> {
        let mut found = Vec::new();
        let mut each = |line: StreamLine<'_>| match line {
            StreamLine::Whole(bytes) => found.push((true, bytes.to_vec())),
            StreamLine::TooLong(_) => found.push((false, Vec::new())),
        };
        for piece in pieces {
            lines.feed(piece, &mut each);
        }
        lines.finish(&mut each);
        found
    }

    #[test]
    fn a_line_without_end_takes_no_memory_and_the_next_one_is_read() {
        let mut lines = LineSplitter::with_max(64 * 1024);
        for _ in 0..1000 {
            lines.feed(&[b'x'; 1000], |line| panic!("{line:?}"));
        }
        assert!(lines.torn.capacity() <= 1024, "{}", lines.torn.capacity());
        let mut found = Vec::new();
        lines.feed(b"\nnext\n", |line| found.push(format!("{line:?}")));
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("TooLong"));
        assert_eq!(found[1], format!("{:?}", StreamLine::Whole(b"next")));
    }

    proptest! {
        #[test]
        fn the_lines_are_those_of_the_whole_however_it_is_torn(
            text in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b' '), Just(b'a'), any::<u8>()], 0..60),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            max in 1_usize..20,
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect();
            let expected: Vec<(bool, Vec<u8>)> = text
                .split(|byte| *byte == b'\n')
                .filter(|line| line.len() > max || !line.trim_ascii().is_empty())
                .map(|line| if line.len() > max { (false, Vec::new()) } else { (true, line.trim_ascii_end().to_vec()) })
                .collect();
            prop_assert_eq!(all(&mut LineSplitter::with_max(max), &pieces), expected);
        }
    }
}
