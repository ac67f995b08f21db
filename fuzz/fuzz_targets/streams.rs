//! Fuzzes the parsers of agents' output.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loop_agents::{
    output::{Capture, excerpt},
    usage::{Format, Prices, AgentReport, UsageReader},
};
use loop_core::Usage;

fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let whole = ReaderResults::of(format, [bytes]);
        let middle = bytes.len() / 2;
        let torn = ReaderResults::of(format, [&bytes[..middle], &bytes[middle..]]);
        let bytewise = ReaderResults::of(format, bytes.chunks(1));
        assert_eq!(whole, torn, "{}", format.name());
        assert_eq!(whole, bytewise, "{}", format.name());
    }
    kept(bytes);
});

/// The output of a reader for one way of splitting the input.
#[derive(Debug, PartialEq)]
struct ReaderResults {
    told: Usage,
    total: Usage,
    text: Option<Vec<u8>>,
    failure: Option<String>,
    is_silent: bool,
}

impl ReaderResults {
    fn of<'a>(format: Format, pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut reader = UsageReader::new(format, Prices::bundled()).model("claude-sonnet-4-5");
        let mut told = Usage::unknown();
        for piece in pieces {
            told += reader.feed(piece);
        }
        let AgentReport { last, total, text, failure, is_silent, .. } = reader.finish();
        told += last;
        // The reader does not reduce its sum where an agent's total is less than that of its messages.
        assert!(told.tokens() >= total.tokens(), "what was told comes to the total: {told:?}, {total:?}");
        let text = text.map(|text| text.to_bytes());
        Self { told, total, text, failure: failure.map(|failure| failure.message), is_silent }
    }
}

/// Only the head and the tail of a long output are kept.
fn kept(bytes: &[u8]) {
    let mut capture = Capture::with_limit(64);
    bytes.chunks(7).for_each(|piece| capture.push(piece));
    assert_eq!(capture.total(), bytes.len() as u64);
    // Bytes that are not UTF-8 grow when converted, and the converted text must fit.
    let (text, short) = (String::from_utf8_lossy(bytes), excerpt(bytes, 64));
    assert!(text.len() > 64 || short == text);
}
