//! Splits the bytes of a streamed reply at the ends of its events.

use super::{super::Vendor, reply_bounds::CrossedBound};

/// The longest line: 4 MiB. Some vendors send a whole tool call in one.
pub(super) const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// The longest event: 5 MiB. It has one line of data and a few short lines that describe it.
pub(super) const MAX_EVENT_BYTES: usize = 5 * 1024 * 1024;

/// The most bytes of one stream: 128 MiB. Some vendors wrap each word of a reply in 300 bytes.
pub(super) const MAX_STREAM_BYTES: usize = 128 * 1024 * 1024;

/// Passes on whole events only. The `genai` crate parses an event from its beginning for each piece that it gets, so an
/// event in many pieces takes quadratic time. This type looks at each byte once and holds one event in memory.
#[derive(Debug)]
pub(super) struct EventSplitter {
    /// Whether each line is an event. Otherwise an empty line ends an event.
    is_lines: bool,
    /// The bytes of the incomplete event.
    held: Vec<u8>,
    /// How many bytes the current line has.
    line: usize,
    /// How many bytes the current event has.
    event: usize,
    /// How many bytes the stream has so far.
    stream: usize,
    /// Whether the last byte was a carriage return. A line feed after it does not end another line.
    after_return: bool,
}

impl EventSplitter {
    pub(super) fn of(vendor: Vendor) -> Self {
        let is_lines = matches!(vendor, Vendor::Ollama);
        Self { is_lines, held: Vec::new(), line: 0, event: 0, stream: 0, after_return: false }
    }

    /// Takes the next bytes and returns the events that end in them.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, CrossedBound> {
        self.stream = self.stream.saturating_add(bytes.len());
        if self.stream > MAX_STREAM_BYTES {
            return Err(CrossedBound::Stream);
        }
        let mut end = 0;
        for (index, byte) in bytes.iter().enumerate() {
            self.event += 1;
            if self.ends_event(*byte) {
                (self.event, end) = (0, index + 1);
            }
            if self.line > MAX_LINE_BYTES {
                return Err(CrossedBound::Line);
            }
            if self.event > MAX_EVENT_BYTES {
                return Err(CrossedBound::Event);
            }
        }
        let (whole, rest) = bytes.split_at(end);
        if whole.is_empty() {
            self.held.extend_from_slice(rest);
            return Ok(Vec::new());
        }
        let mut events = std::mem::replace(&mut self.held, rest.to_vec());
        events.extend_from_slice(whole);
        Ok(events)
    }

    /// Returns the bytes after the last whole event.
    pub(super) fn finish(self) -> Vec<u8> {
        self.held
    }

    /// Counts a byte and returns whether an event ends with it.
    fn ends_event(&mut self, byte: u8) -> bool {
        let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
        match byte {
            b'\n' if after_return => false,
            b'\n' | b'\r' => std::mem::take(&mut self.line) == 0 || self.is_lines,
            _ => {
                self.line += 1;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fed(vendor: Vendor, pieces: &[&[u8]]) -> Result<(Vec<Vec<u8>>, Vec<u8>), CrossedBound> {
        let mut events = EventSplitter::of(vendor);
        let fed: Result<_, _> = pieces.iter().map(|piece| events.feed(piece)).collect();
        Ok((fed?, events.finish()))
    }

    #[test]
    fn an_event_is_handed_on_once_it_is_whole() {
        let pieces: [&[u8]; 5] = [b"data: 1", b"\n", b"\ndata: 2\r\n\r", b"\ndata: 3\r\rdata", b": 4"];
        let (fed, rest) = fed(Vendor::OpenAi, &pieces).unwrap();
        assert_eq!(fed[2], b"data: 1\n\ndata: 2\r\n\r");
        assert_eq!(fed[3], b"\ndata: 3\r\r");
        assert_eq!((fed[0].len(), fed[1].len(), fed[4].len()), (0, 0, 0));
        assert_eq!(rest, b"data: 4");
    }

    #[test]
    fn a_line_an_event_and_a_stream_have_a_bound_each() {
        let mebibyte = vec![b'x'; 1024 * 1024];
        let times = |piece: &[u8], times: usize| {
            let mut events = EventSplitter::of(Vendor::OpenAi);
            (0..times).find_map(|_| {
                let crossed = events.feed(piece).err();
                assert!(events.held.len() <= MAX_EVENT_BYTES, "memory is bounded");
                crossed
            })
        };
        assert_eq!(times(&mebibyte, 4), None);
        assert_eq!(times(&mebibyte, 5), Some(CrossedBound::Line));
        let line = [&mebibyte[1..], b"\n"].concat();
        assert_eq!(times(&line, 5), None);
        assert_eq!(times(&line, 6), Some(CrossedBound::Event));
        let event = [&mebibyte[2..], b"\n\n"].concat();
        assert_eq!(times(&event, 128), None);
        assert_eq!(times(&event, 129), Some(CrossedBound::Stream));
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_and_each_piece_ends_with_an_event(
            text in "[ab\r\n]{0,40}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8), is_lines: bool,
        ) {
            let vendor = if is_lines { Vendor::Ollama } else { Vendor::Gemini };
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|ends| &text.as_bytes()[ends[0]..ends[1]]).collect();
            let (fed, rest) = fed(vendor, &pieces).unwrap();
            prop_assert!(fed.iter().filter(|piece| !piece.is_empty()).all(|piece| piece.ends_with(b"\n") || piece.ends_with(b"\r")));
            prop_assert_eq!([fed.concat(), rest].concat(), text.into_bytes());
        }
    }
}
