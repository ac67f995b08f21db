//! The conformance kit: output of real agents, with the expected usage.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use loop_agents::usage::{AgentReport, Format, Prices, UsageReader};
use loop_core::{Cost, Usage, Usd};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "agent")]
    _agent: String,
    format: String,
    model: Option<String>,
    after: Option<String>,
    usage: ExpectedUsage,
    text: Option<String>,
    failure: Option<ExpectedFailure>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedUsage {
    input_tokens: Option<u64>,
    cached_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_usd: Option<f64>,
    cost: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFailure {
    message: String,
    rate_limit: bool,
    retry_after_seconds: Option<u64>,
}

impl ExpectedUsage {
    fn usage(&self) -> Usage {
        let cost = self.cost_usd.map(|usd| Usd::try_from_f64(usd).expect("an amount of money"));
        let mut usage = Usage::unknown();
        usage.input_tokens = self.input_tokens;
        usage.cached_input_tokens = self.cached_input_tokens;
        usage.output_tokens = self.output_tokens;
        usage.cost = cost.map(|usd| match self.cost.as_deref() {
            Some("known") => Cost::known(usd),
            Some("estimated") => Cost::estimated(usd),
            other => panic!("a cost is known or estimated, not {other:?}"),
        });
        usage
    }
}

/// A stream with its expected result.
#[derive(Debug)]
struct Case {
    folder: PathBuf,
    name: String,
    expected: Expected,
}

fn kit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn cases() -> Vec<Case> {
    let files = entries(&kit().join("streams")).into_iter().flat_map(|folder| entries(&folder));
    files.filter_map(|path| Case::of(&path)).collect()
}

impl Case {
    /// Returns `None` if the file does not contain the expected result of a stream.
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".expected.json")?.to_owned();
        let text = fs::read(path).expect("what is expected");
        let expected = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        Some(Self { folder: path.parent()?.to_owned(), name, expected })
    }

    fn format(&self) -> Format {
        self.expected.format.parse().expect("the name of a format")
    }

    /// Returns one of the streams of a run, or nothing if it does not exist.
    fn stream(&self, name: &str, end: &str) -> Vec<u8> {
        fs::read(self.folder.join(format!("{name}.{end}"))).unwrap_or_default()
    }

    /// Reads a run in pieces of `piece` bytes. Also returns the sum of the usage reported on the way.
    fn read_run(&self, reader: &mut UsageReader, name: &str, piece: usize) -> (AgentReport, Usage) {
        let mut told = Usage::unknown();
        for bytes in self.stream(name, "stdout").chunks(piece) {
            told += reader.feed(bytes);
        }
        for bytes in self.stream(name, "stderr").chunks(piece) {
            told += reader.feed_stderr(bytes);
        }
        let reading = reader.finish();
        told += reading.last;
        (reading, told)
    }

    fn read(&self, piece: usize) -> (AgentReport, Usage) {
        let prices = fs::read_to_string(kit().join("prices.json")).expect("the kit's prices");
        let prices = Prices::from_json(&prices).expect("a price table");
        let mut reader = UsageReader::new(self.format(), prices);
        if let Some(model) = &self.expected.model {
            reader = reader.model(model);
        }
        if let Some(before) = &self.expected.after {
            self.read_run(&mut reader, before, piece);
        }
        self.read_run(&mut reader, &self.name, piece)
    }
}

#[test]
fn each_stream_says_what_is_expected_of_it() {
    let cases = cases();
    assert!(cases.len() >= 25, "{}", cases.len());
    for case in cases {
        let (AgentReport { total, text, failure, .. }, told) = case.read(4096);
        let Expected { usage, text: begin, failure: expected, .. } = &case.expected;
        assert_eq!(total, usage.usage(), "{case:?}");
        assert_eq!(told.tokens(), total.tokens(), "{case:?}");
        assert_eq!(told.cost.map(|cost| cost.usd), total.cost.map(|cost| cost.usd), "{case:?}");

        let text = text.map(|text| String::from_utf8(text.to_bytes()).unwrap());
        assert_eq!(text.is_some(), begin.is_some(), "{case:?}: {text:?}");
        assert!(text.unwrap_or_default().starts_with(begin.as_deref().unwrap_or_default()), "{case:?}");

        assert_eq!(failure.is_some(), expected.is_some(), "{case:?}: {failure:?}");
        if let (Some(failure), Some(expected)) = (failure, expected) {
            assert!(failure.message.starts_with(&expected.message), "{case:?}: {failure}");
            assert_eq!(failure.rate_limit.is_some(), expected.rate_limit, "{case:?}");
            let wait = failure.rate_limit.and_then(|limit| limit.wait(SystemTime::UNIX_EPOCH));
            assert_eq!(wait, expected.retry_after_seconds.map(Duration::from_secs), "{case:?}");
        }
    }
}

#[test]
fn however_a_stream_is_torn_it_says_the_same() {
    for case in cases() {
        let (whole, told) = case.read(usize::MAX);
        for piece in [1, 7, 100] {
            let (torn, torn_told) = case.read(piece);
            assert_eq!((torn.total, torn_told), (whole.total, told), "{case:?} {piece}");
            assert_eq!((&torn.failure, &torn.notes), (&whole.failure, &whole.notes), "{case:?} {piece}");
        }
    }
}

/// A killed run may stop anywhere, in a line or in a character. Everything before that point counts.
#[test]
fn a_stream_that_is_cut_says_the_more_the_longer_it_is() {
    for case in cases() {
        let bytes = case.stream(&case.name, "stdout");
        let mut last = None;
        for end in (0..bytes.len()).step_by(37) {
            let mut reader = UsageReader::new(case.format(), Prices::bundled());
            reader.feed(&bytes[..end]);
            let tokens = reader.finish().total.tokens();
            assert!(tokens >= last, "{case:?} at {end}");
            last = tokens;
        }
    }
}
