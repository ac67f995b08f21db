//! Codex: `codex exec --json`.
//!
//! - `turn.completed` is the only line with numbers, so a budget is enforced after a turn and not in its middle. A turn
//!   that is cut reports nothing.
//! - Its numbers are those of the whole thread. A resumed thread (`codex exec resume`) reports its usage in earlier
//!   processes again. If a thread began before this loop, the first report includes all of its earlier usage.
//! - `cached_input_tokens` and `cache_write_input_tokens` are part of `input_tokens`, and
//!   `reasoning_output_tokens` of `output_tokens`.
//! - Codex reports neither the model nor a cost.
//! - An item of type `error` is a warning, and codex may retry after an `error`. `turn.failed` is final.

use serde_json::Value;

use super::{Dialect, no_end, text};
use crate::usage::{TokenCounts, report_collector::ReportCollector, usage_totals::TotalScope};

#[derive(Debug, Default)]
pub(super) struct Codex {
    thread: Option<String>,
    /// Whether nothing has come since the last turn ended.
    has_ended: bool,
    /// Whether the model has said or done something in this turn.
    spoke: bool,
}

impl Dialect for Codex {
    fn reads(&self, kind: &str) -> bool {
        matches!(kind, "thread.started" | "item.completed" | "turn.completed" | "turn.failed" | "error")
    }

    fn is_own(&self, kind: &str) -> bool {
        kind.starts_with("thread.") || kind.starts_with("turn.") || kind.starts_with("item.")
    }

    fn unfinished(&self) -> Option<String> {
        (!self.has_ended).then(no_end)
    }

    fn line(&mut self, kind: &str, line: &Value, collector: &mut ReportCollector) {
        self.has_ended = kind == "turn.completed";
        match kind {
            "thread.started" => self.thread = text(line, "thread_id").map(str::to_owned),
            "item.completed" => {
                let item = &line["item"];
                self.spoke |= text(item, "type") != Some("error");
                if text(item, "type") == Some("agent_message")
                    && let Some(words) = text(item, "text")
                {
                    collector.says(words);
                }
            }
            "turn.completed" => {
                collector.recovers();
                self.total(line, collector);
            }
            "turn.failed" => {
                collector.fails(text(&line["error"], "message").unwrap_or("the turn failed"), None);
            }
            _ => collector.fails(text(line, "message").unwrap_or("an error without a message"), None),
        }
    }
}

impl Codex {
    fn total(&mut self, line: &Value, collector: &mut ReportCollector) {
        let usage = &line["usage"];
        let input = collector.count(usage, "input_tokens");
        let cached = collector.count(usage, "cached_input_tokens");
        let written = collector.count(usage, "cache_write_input_tokens");
        let output = collector.count(usage, "output_tokens");
        let tokens = TokenCounts::within(input, cached, written).with_output(output);
        let sum = collector.usage(None, &tokens, None, std::mem::take(&mut self.spoke));
        let total = self.thread.as_deref().map_or(TotalScope::Process, TotalScope::ThreadSoFar);
        collector.total(total, line, sum);
    }
}
