//! What agents print, and what is read out of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loop_agents::{
    output::{Capture, excerpt},
    usage::{Format, Prices, Reading, UsageReader},
};
use loop_core::Usage;

fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let whole = Told::of(format, [bytes]);
        let middle = bytes.len() / 2;
        let torn = Told::of(format, [&bytes[..middle], &bytes[middle..]]);
        let bytewise = Told::of(format, bytes.chunks(1));
        assert_eq!(whole, torn, "{}", format.name());
        assert_eq!(whole, bytewise, "{}", format.name());
    }
    kept(bytes);
});

/// What a reader has found out in a run.
#[derive(Debug, PartialEq)]
struct Told {
    told: Usage,
    total: Usage,
    text: Option<Vec<u8>>,
    failure: Option<String>,
    is_silent: bool,
}

impl Told {
    fn of<'a>(format: Format, pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut reader = UsageReader::new(format, Prices::bundled()).model("claude-sonnet-4-5");
        let mut told = Usage::unknown();
        for piece in pieces {
            told += reader.feed(piece);
        }
        let Reading { last, total, text, failure, is_silent, .. } = reader.finish();
        told += last;
        // Nothing is taken back where an agent's total is less than its messages were.
        assert!(told.tokens() >= total.tokens(), "what was told comes to the total: {told:?}, {total:?}");
        let text = text.map(|text| text.to_bytes());
        Self { told, total, text, failure: failure.map(|failure| failure.message), is_silent }
    }
}

/// Of a long output head and tail are kept, and no more.
fn kept(bytes: &[u8]) {
    let mut capture = Capture::with_limit(64);
    bytes.chunks(7).for_each(|piece| capture.push(piece));
    assert_eq!(capture.total(), bytes.len() as u64);
    // What is not UTF-8 is longer as text, and the text is what has to fit.
    let (text, short) = (String::from_utf8_lossy(bytes), excerpt(bytes, 64));
    assert!(text.len() > 64 || short == text);
}
