//! opencode: `opencode run --format json`.
//!
//! - Each step of the model ends with a `step_finish`, which has the numbers of that step.
//! - `cache.read` and `cache.write` are not part of `input`, and `reasoning` is not part of `output`.
//! - Opencode computes the cost from its own table. The cost is zero for a model without a price there, and with a
//!   subscription. It does not report the model.
//! - `error` ends the run. Opencode retries some errors (429, 5xx) forever, and prints nothing in that time. Only a
//!   limit on silence ends that.

use serde_json::Value;

use super::{Dialect, text};
use crate::usage::{TokenCounts, report_collector::ReportCollector, tokens::sum};

#[derive(Debug, Default)]
pub(super) struct Opencode {
    /// The message of the last text.
    speaking: Option<String>,
    /// Whether the model has said something in this step.
    spoke: bool,
}

impl Dialect for Opencode {
    fn reads(&self, kind: &str) -> bool {
        matches!(kind, "text" | "step_finish" | "error")
    }

    fn is_own(&self, kind: &str) -> bool {
        kind.starts_with("step_") || kind == "text"
    }

    fn line(&mut self, kind: &str, line: &Value, collector: &mut ReportCollector) {
        let part = &line["part"];
        match kind {
            "text" => self.text(part, collector),
            "step_finish" => {
                collector.recovers();
                step(part, std::mem::take(&mut self.spoke), collector);
            }
            _ => {
                let (error, data) = (&line["error"], &line["error"]["data"]);
                let message = text(data, "message").or_else(|| text(error, "name")).unwrap_or("an error");
                collector.fails(message, data["statusCode"].as_u64());
            }
        }
    }
}

impl Opencode {
    /// Handles a text. A message may have several texts.
    fn text(&mut self, part: &Value, collector: &mut ReportCollector) {
        let Some(words) = text(part, "text") else { return };
        self.spoke |= !words.is_empty();
        let message = text(part, "messageID");
        if message.is_some() && message == self.speaking.as_deref() {
            collector.says_more("\n");
            collector.says_more(words);
        } else {
            self.speaking = message.map(str::to_owned);
            collector.says(words);
        }
    }
}

fn step(part: &Value, spoke: bool, collector: &mut ReportCollector) {
    let tokens = &part["tokens"];
    let spoke = spoke || text(part, "reason") == Some("tool-calls");
    let said = collector.count(tokens, "output");
    if tokens.is_object() && (said.is_none() || spoke && said == Some(0)) {
        // The reasoning is only a part of the output.
        collector.mark_unreliable();
    }
    let tokens = TokenCounts {
        fresh: collector.count(tokens, "input"),
        cached: collector.count(&tokens["cache"], "read"),
        cache_written: collector.count(&tokens["cache"], "write"),
        output: sum([said, collector.count(tokens, "reasoning")]),
    };
    let cost = collector.usd(part, "cost");
    let usage = collector.usage(None, &tokens, cost, spoke);
    collector.totals.message(text(part, "id"), usage);
}
