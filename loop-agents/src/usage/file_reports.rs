//! Reads the lines of a usage file.

use loop_core::{Cost, Usage, Usd};

use super::{
    brace_counter::BraceCounter,
    figures::{self, Figures, InvalidFigure},
    lenient_json,
    line_splitter::{LineSplitter, StreamLine, shown},
};
use crate::output::json_objects::ParsedJson;

/// The longest line to accept, in bytes.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The key of the cost.
const COST: &str = "cost_usd";

/// The usage in a line, what its rejected parts may have contained, and the reason for rejecting the first of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct ParsedLine {
    usage: Usage,
    lost: Usage,
    refusal: Option<String>,
}

/// Reads one line in the forms that agents write: one object, or several objects if a newline is missing.
fn parse(line: &[u8]) -> ParsedLine {
    let mut said = ParsedLine::default();
    let mut rest = line.trim_ascii();
    while !rest.is_empty() {
        // A number alone is valid JSON too, so check for an object.
        let end = if rest.starts_with(b"{") { BraceCounter::default().follow(rest) } else { Some(0) };
        match end {
            Some(0) => said.refuse("it is not a JSON object"),
            // The object has no end. The parser explains why.
            end => said.object(&rest[..end.unwrap_or(rest.len())]),
        }
        rest = rest[end.filter(|end| *end > 0).unwrap_or(rest.len())..].trim_ascii_start();
    }
    said
}

impl ParsedLine {
    /// Adds one object. It ignores other keys, because many agents write all the metadata of an answer. If a number is
    /// invalid, the other numbers still count.
    fn object(&mut self, object: &[u8]) {
        let ParsedJson { value, duplicate_keys } = match lenient_json::parse(&String::from_utf8_lossy(object))
        {
            Ok(read) => read,
            Err(error) => return self.refuse(&error.to_string()),
        };
        for key in &duplicate_keys {
            self.refuse_in(key, &figures::twice(key));
        }
        let report = Figures::of(&value);
        let mut usage = Usage::unknown();
        let mut count = |key| self.taken(key, report.count(key));
        usage.input_tokens = count("input_tokens");
        usage.cached_input_tokens = count("cached_input_tokens");
        usage.output_tokens = count("output_tokens");
        usage.cost = self.taken(COST, report.usd(COST)).map(Cost::known);
        if usage.is_unknown() && self.refusal.is_none() {
            self.refuse("it has none of input_tokens, output_tokens, cached_input_tokens, cost_usd");
        }
        self.usage += usage;
    }

    fn taken<T>(&mut self, key: &str, figure: Result<Option<T>, InvalidFigure>) -> Option<T> {
        figure.unwrap_or_else(|InvalidFigure(why)| {
            self.refuse_in(key, &why);
            None
        })
    }

    /// Rejects a part that may have contained any amount.
    fn refuse(&mut self, why: &str) {
        self.refuse_in("", why);
    }

    /// Rejects the value of this key. Without its cost, all tokens of a report may still be known. Without its tokens,
    /// its cost may be incomplete too, because writers compute it from them.
    fn refuse_in(&mut self, key: &str, why: &str) {
        let mut lost = at_least_nothing();
        lost.are_tokens_partial = key != COST;
        self.lost += lost;
        self.refusal.get_or_insert_with(|| why.to_owned());
    }
}

/// Adds up the reports of a usage file.
#[derive(Debug)]
pub(super) struct FileReports {
    lines: LineSplitter,
    counts: LineCounts,
}

/// Counts of accepted and rejected lines.
#[derive(Debug, Default)]
struct LineCounts {
    counted: u64,
    refused: u64,
    last_refusal: Option<String>,
}

impl Default for FileReports {
    fn default() -> Self {
        Self { lines: LineSplitter::with_max(MAX_LINE_BYTES), counts: LineCounts::default() }
    }
}

impl FileReports {
    /// Reads the next bytes, and returns the usage in the lines that they complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Usage {
        let mut sum = Usage::unknown();
        let Self { lines, counts } = self;
        lines.feed(bytes, |line| sum += counts.line(line));
        sum + self.whole_already()
    }

    /// Reads a complete object without a newline. A JSON object marks its own end, so we need not wait for the newline.
    fn whole_already(&mut self) -> Usage {
        if self.lines.torn().last() != Some(&b'}') {
            return Usage::unknown();
        }
        let ParsedLine { usage, refusal: None, .. } = parse(self.lines.torn()) else {
            return Usage::unknown();
        };
        self.lines.clear();
        self.counts.counted += 1;
        usage
    }

    /// Ends the writer's output. A last line without a newline is either complete or broken now.
    pub(super) fn finish(&mut self) -> Usage {
        let mut sum = Usage::unknown();
        let Self { lines, counts } = self;
        lines.finish(|line| sum += counts.line(line));
        sum
    }

    /// Returns the number of lines that counted.
    pub(super) fn counted(&self) -> u64 {
        self.counts.counted
    }

    /// Returns the number of lines that were invalid, completely or in part.
    pub(super) fn refused(&self) -> u64 {
        self.counts.refused
    }

    /// Returns the last of these lines, with the reason.
    pub(super) fn last_refusal(&self) -> Option<&str> {
        self.counts.last_refusal.as_deref()
    }
}

impl LineCounts {
    fn line(&mut self, line: StreamLine<'_>) -> Usage {
        let (bytes, ParsedLine { usage, lost, refusal }) = match line {
            StreamLine::Whole(bytes) => (bytes, parse(bytes)),
            StreamLine::TooLong(bytes) => {
                let mut parsed = ParsedLine::default();
                parsed.refuse(&format!("it is longer than {MAX_LINE_BYTES} bytes"));
                (bytes, parsed)
            }
        };
        self.counted += u64::from(!usage.is_unknown());
        let Some(why) = refusal else { return usage };
        self.refused += 1;
        self.last_refusal = Some(format!("`{}`: {why}", shown(bytes)));
        usage + lost
    }
}

/// Returns usage of an unknown amount: at least no tokens, and a cost of at least zero.
pub(crate) const fn at_least_nothing() -> Usage {
    Usage::unknown().with_partial_tokens().with_cost(Cost::at_least(Usd::ZERO))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cost(micros: u64) -> Usage {
        Usage::unknown().with_cost(Cost::known(Usd::micros(micros)))
    }

    fn at_least(micros: u64) -> Usage {
        at_least_nothing().with_cost(Cost::at_least(Usd::micros(micros)))
    }

    /// Only a refused cost leaves the tokens whole.
    #[test]
    fn a_line_with_a_refused_part_has_at_least_the_other_tokens() {
        for (line, is_partial) in [
            (r#"{"input_tokens":1,"output_tokens":5000}"#, false),
            (r#"{"input_tokens":1,"output_tokens":5e3}"#, false),
            (r#"{"input_tokens":1}"#, false),
            (r#"{"input_tokens":1,"cost_usd":-1}"#, false),
            (r#"{"input_tokens":1,"cost_usd":1,"cost_usd":1}"#, false),
            (r#"{"input_tokens":1,"output_tokens":5000,"output_tokens":0}"#, true),
            (r#"{"input_tokens":1,"cost_usd":-1,"output_tokens":"5000"}"#, true),
            (r#"{"input_tokens":1,"output_tokens":5000.5}"#, true),
            (r#"{"input_tokens":1,"cached_input_tokens":-1}"#, true),
            (r#"{"input_tokens":1}{"output_tokens":5000,"#, true),
            (r#"{"input_tokens":1} 5000"#, true),
        ] {
            let mut reports = FileReports::default();
            let usage = reports.feed(format!("{line}\n").as_bytes());
            assert_eq!((usage.tokens().is_some(), usage.are_tokens_partial), (true, is_partial), "{line}");
        }
    }

    #[test]
    fn a_sum_with_one_amount_that_cannot_be_read_is_at_least_the_others() {
        let wrong = ["1e999", "-1", "\"2\"", "NaN", "1,\"cost_usd\":0", "[1]", "1e23", "12"];
        for wrong in wrong.map(|wrong| format!("{{\"cost_usd\":{wrong}}}")) {
            let wrong = if wrong.contains(":12}") { wrong[..14].to_owned() } else { wrong };
            for lines in [[r#"{"cost_usd":0.5}"#, &wrong], [&wrong, r#"{"cost_usd":0.5}"#]] {
                let mut reports = FileReports::default();
                let usage = reports.feed(lines.map(|line| format!("{line}\n")).concat().as_bytes());
                assert_eq!((usage.cost, reports.refused()), (at_least(500_000).cost, 1), "{lines:?}");
            }
        }
    }

    #[test]
    fn a_line_is_read_in_full_and_more_keys_do_no_harm() {
        let line =
            br#"{"model":"m","input_tokens":5,"output_tokens":2,"cached_input_tokens":3,"cost_usd":0.25}"#;
        let expected = cost(250_000).with_tokens(5, 2).with_cached_input_tokens(3);
        assert_eq!(parse(line), ParsedLine { usage: expected, ..ParsedLine::default() });
        assert_eq!(parse(br#"{"cost_usd":0}"#).usage, cost(0));
    }

    #[test]
    fn two_objects_on_a_line_both_count_and_so_does_what_stands_beside_a_bad_number() {
        let two = br#"{"cost_usd":0.5}{"input_tokens":3} "#;
        assert_eq!(
            parse(two),
            ParsedLine { usage: cost(500_000).with_input_tokens(3), ..ParsedLine::default() }
        );
        let mut reports = FileReports::default();
        let usage = reports.feed(b"{\"cost_usd\":0.5,\"input_tokens\":-5}\n{\"cost_usd\":0.25} and more\n");
        assert_eq!(usage, at_least(750_000));
        assert_eq!((reports.refused(), reports.counted()), (2, 2));
        assert!(reports.last_refusal().is_some_and(|why| why.ends_with("it is not a JSON object")));
    }

    #[test]
    fn what_is_no_report_is_refused_and_counted() {
        let lines = [
            "nonsense",
            "[1,2,3,0.5]",
            "{}",
            r#"{"cost_usd":-1}"#,
            r#"{"cost_usd":NaN}"#,
            r#"{"cost_usd":1e300}"#,
            r#"{"input_tokens":-5}"#,
            r#"{"input_tokens":1.5}"#,
            r#"{"cost_usd":0.02,"cost_usd":0}"#,
            r#"{"cost_usd":0.02,"cost\u005fusd":0}"#,
            r#"{"input_tokens":7,"input_tokens":7}"#,
            r#"{"cost_usd":"#,
        ];
        let mut reader = FileReports::default();
        for line in lines {
            assert_eq!(reader.feed(format!("{line}\n").as_bytes()).cost, at_least(0).cost, "{line}");
        }
        assert_eq!(reader.refused(), lines.len() as u64);
        assert!(reader.last_refusal().is_some_and(|text| text.starts_with("`{\"cost_usd\":`")));
        // The reader continues after them.
        assert_eq!(reader.feed(b"{\"cost_usd\":1}\n"), cost(1_000_000));
    }

    #[test]
    fn what_stands_beside_a_key_that_appears_twice_counts() {
        let said = parse(br#"{"cost_usd":0.02,"input_tokens":3,"cost_usd":0}"#);
        assert_eq!(said.usage, Usage::unknown().with_input_tokens(3));
        assert_eq!(
            said.refusal.as_deref(),
            Some(r#""cost_usd" appears twice in one object, so neither value counts"#)
        );
    }

    #[test]
    fn amounts_below_a_micro_dollar_add_up() {
        let mut reports = FileReports::default();
        let lines = "{\"cost_usd\":4e-7}\n".repeat(100_000);
        assert_eq!(reports.feed(lines.as_bytes()), cost(40_000));
        assert_eq!(parse(br#"{"cost_usd":1e-12}"#).usage.cost, Some(Cost::known(Usd::nanos(1))));
    }

    #[test]
    fn a_line_without_end_is_refused_in_bounded_memory() {
        let mut reader = FileReports::default();
        for _ in 0..1000 {
            reader.feed(&[b'x'; 1000]);
        }
        assert_eq!(reader.feed(b"\n{\"cost_usd\":1}\n"), at_least(1_000_000));
        assert_eq!(reader.refused(), 1);
    }

    #[test]
    fn a_line_counts_once_it_is_whole_with_or_without_its_end() {
        let mut reader = FileReports::default();
        assert_eq!(reader.feed(b"{\"cost_usd\":"), Usage::unknown());
        assert_eq!(reader.feed(b"1}"), cost(1_000_000));
        assert_eq!(reader.feed(b"\n"), Usage::unknown());
        assert_eq!((reader.finish(), reader.refused()), (Usage::unknown(), 0));
    }

    proptest! {
        #[test]
        fn however_it_is_torn_each_line_counts_once(
            amounts in prop::collection::vec(0_u64..1000, 1..8),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            ended in any::<bool>(),
        ) {
            let lines: Vec<String> = amounts
                .iter()
                .map(|micros| format!("{{\"cost_usd\":{}}}", *micros as f64 / 1e6))
                .collect();
            let mut text = lines.join("\n");
            if ended {
                text.push('\n');
            }
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut reader = FileReports::default();
            let mut sum = Usage::unknown();
            for ends in cuts.windows(2) {
                sum += reader.feed(&text.as_bytes()[ends[0]..ends[1]]);
            }
            sum += reader.finish();
            prop_assert_eq!(sum, cost(amounts.iter().sum()));
            prop_assert_eq!(reader.refused(), 0);
        }
    }
}
