//! Lines of reports, from a stream of bytes that may be torn anywhere.

use loop_core::{Cost, Usage, Usd};
use serde::Deserialize;

/// Longer lines are refused, so that a file without newlines does not fill the memory.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// How much of a refused line is shown.
const SHOWN_BYTES: usize = 200;

/// A line as agents write it. More keys are nobody's business here: many write their whole
/// answer's metadata.
#[derive(Deserialize)]
struct Report {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cached_input_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

/// Reads one line.
fn parse(line: &[u8]) -> Result<Usage, String> {
    // A JSON array would be read as the fields in their order.
    if line.first() != Some(&b'{') {
        return Err("it is not a JSON object".to_owned());
    }
    let report: Report = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let cost = report.cost_usd.map(Usd::try_from_f64).transpose().map_err(|error| error.to_string())?;
    let usage = Usage {
        input_tokens: report.input_tokens,
        cached_input_tokens: report.cached_input_tokens,
        output_tokens: report.output_tokens,
        cost: cost.map(Cost::known),
    };
    if usage.is_unknown() {
        return Err("it has none of input_tokens, output_tokens, cached_input_tokens, cost_usd".to_owned());
    }
    Ok(usage)
}

/// Puts lines together from pieces, and adds up what they report.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of a line whose end has not come.
    torn: Vec<u8>,
    /// The torn line is too long already; its beginning was dropped.
    too_long: bool,
    refused: u64,
    last_refusal: Option<String>,
}

impl Lines {
    /// Takes the next bytes; gives what the lines that they complete report.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Usage {
        let mut usage = Usage::unknown();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_LINE_BYTES - self.torn.len();
            self.too_long |= piece.len() > room;
            self.torn.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                usage += self.end_line();
            }
        }
        usage + self.whole_already()
    }

    /// A JSON object says itself where it ends: whoever writes no newline is heard at once all the same.
    fn whole_already(&mut self) -> Usage {
        if self.too_long || self.torn.last() != Some(&b'}') {
            return Usage::unknown();
        }
        parse(self.torn.trim_ascii()).inspect(|_| self.torn.clear()).unwrap_or_default()
    }

    /// The writer has ended: what stands there without a newline is a line too, or broken for
    /// good, and the next writer's first line is not to be added to it.
    pub(super) fn finish(&mut self) -> Usage {
        self.end_line()
    }

    /// How many lines could not be used.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// The last line that could not be used, and why.
    pub(super) fn last_refusal(&self) -> Option<&str> {
        self.last_refusal.as_deref()
    }

    fn end_line(&mut self) -> Usage {
        let line = self.torn.trim_ascii();
        let parsed = match line {
            [] => Ok(Usage::unknown()),
            _ if self.too_long => Err(format!("it is longer than {MAX_LINE_BYTES} bytes")),
            line => parse(line),
        };
        let usage = parsed.unwrap_or_else(|why| {
            let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN_BYTES)]).into_owned();
            self.refused += 1;
            self.last_refusal = Some(format!("`{shown}`: {why}"));
            Usage::unknown()
        });
        self.torn.clear();
        self.too_long = false;
        usage
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let mut reader = Lines::default();
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
        let mut reader = Lines::default();
        for _ in 0..1000 {
            reader.feed(&[b'x'; 1000]);
        }
        assert!(reader.torn.capacity() <= 2 * MAX_LINE_BYTES);
        assert_eq!(reader.feed(b"\n{\"cost_usd\":1}\n"), cost(1_000_000));
        assert_eq!(reader.refused(), 1);
    }

    #[test]
    fn a_line_counts_once_it_is_whole_with_or_without_its_end() {
        let mut reader = Lines::default();
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
            let mut reader = Lines::default();
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
