//! The lines of a usage file.

use loop_core::{Cost, Usage};
use serde_json::Value;

use super::{
    figures::{Figures, Refused},
    lines::{Line, Lines, shown},
};

/// Longer lines are refused.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Reads one line as agents write it. More keys are nobody's business here: many write their whole
/// answer's metadata.
fn parse(line: &[u8]) -> Result<Usage, String> {
    let line = line.trim_ascii();
    // A number by itself is JSON too.
    if line.first() != Some(&b'{') {
        return Err("it is not a JSON object".to_owned());
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let report = Figures::of(&value);
    let count = |key| report.count(key).map_err(|Refused(why)| why);
    let usage = Usage {
        input_tokens: count("input_tokens")?,
        cached_input_tokens: count("cached_input_tokens")?,
        output_tokens: count("output_tokens")?,
        cost: report.usd("cost_usd").map_err(|Refused(why)| why)?.map(Cost::known),
    };
    if usage.is_unknown() {
        return Err("it has none of input_tokens, output_tokens, cached_input_tokens, cost_usd".to_owned());
    }
    Ok(usage)
}

/// Adds up what the lines of a usage file report.
#[derive(Debug)]
pub(super) struct Reports {
    lines: Lines,
    refused: u64,
    last_refusal: Option<String>,
}

impl Default for Reports {
    fn default() -> Self {
        Self { lines: Lines::with_max(MAX_LINE_BYTES), refused: 0, last_refusal: None }
    }
}

impl Reports {
    /// Takes the next bytes; gives what the lines that they complete report.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Usage {
        let mut sum = Usage::unknown();
        let Self { lines, refused, last_refusal } = self;
        lines.feed(bytes, |line| sum += read(line, refused, last_refusal));
        sum + self.whole_already()
    }

    /// A JSON object says itself where it ends: whoever writes no newline is heard at once all the same.
    fn whole_already(&mut self) -> Usage {
        if self.lines.torn().last() != Some(&b'}') {
            return Usage::unknown();
        }
        parse(self.lines.torn()).inspect(|_| self.lines.clear()).unwrap_or_default()
    }

    /// The writer has ended: what stands there without a newline is a line too, or broken for
    /// good.
    pub(super) fn finish(&mut self) -> Usage {
        let mut sum = Usage::unknown();
        let Self { lines, refused, last_refusal } = self;
        lines.finish(|line| sum += read(line, refused, last_refusal));
        sum
    }

    /// How many lines could not be used.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// The last line that could not be used, and why.
    pub(super) fn last_refusal(&self) -> Option<&str> {
        self.last_refusal.as_deref()
    }
}

fn read(line: Line<'_>, refused: &mut u64, last_refusal: &mut Option<String>) -> Usage {
    let (bytes, parsed) = match line {
        Line::Whole(bytes) => (bytes, parse(bytes)),
        Line::TooLong(bytes) => (bytes, Err(format!("it is longer than {MAX_LINE_BYTES} bytes"))),
    };
    parsed.unwrap_or_else(|why| {
        *refused += 1;
        *last_refusal = Some(format!("`{}`: {why}", shown(bytes)));
        Usage::unknown()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use loop_core::Usd;

    use super::*;

    fn cost(micros: u64) -> Usage {
        Usage::unknown().with_cost(Cost::known(Usd::micros(micros)))
    }

    #[test]
    fn a_line_is_read_in_full_and_more_keys_do_no_harm() {
        let line =
            br#"{"model":"m","input_tokens":5,"output_tokens":2,"cached_input_tokens":3,"cost_usd":0.25}"#;
        let expected = Usage { cached_input_tokens: Some(3), ..cost(250_000).with_tokens(5, 2) };
        assert_eq!(parse(line), Ok(expected));
        assert_eq!(parse(br#"{"cost_usd":0}"#), Ok(cost(0)));
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
            r#"{"cost_usd":"#,
        ];
        let mut reader = Reports::default();
        for line in lines {
            assert_eq!(reader.feed(format!("{line}\n").as_bytes()), Usage::unknown(), "{line}");
        }
        assert_eq!(reader.refused(), lines.len() as u64);
        assert!(reader.last_refusal().is_some_and(|text| text.starts_with("`{\"cost_usd\":`")));
        // And the reader goes on after them.
        assert_eq!(reader.feed(b"{\"cost_usd\":1}\n"), cost(1_000_000));
    }

    #[test]
    fn a_line_without_end_is_refused_in_bounded_memory() {
        let mut reader = Reports::default();
        for _ in 0..1000 {
            reader.feed(&[b'x'; 1000]);
        }
        assert_eq!(reader.feed(b"\n{\"cost_usd\":1}\n"), cost(1_000_000));
        assert_eq!(reader.refused(), 1);
    }

    #[test]
    fn a_line_counts_once_it_is_whole_with_or_without_its_end() {
        let mut reader = Reports::default();
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
            let mut reader = Reports::default();
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
