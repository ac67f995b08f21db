//! Claude Code: `claude -p --output-format stream-json --verbose`.
//!
//! - A message is printed once for each of its blocks, each time with the same id and numbers. The numbers are those of
//!   its beginning: the input is right, but the output is a placeholder of a few tokens. With
//!   `--include-partial-messages`, a `message_delta` has the output when the message ends.
//! - `cache_read_input_tokens` and `cache_creation_input_tokens` are not part of `input_tokens`.
//! - `result` ends a turn. Its `usage` is that turn's and leaves out subagents. `modelUsage` and `total_cost_usd`
//!   include them, and count from the process's start. If another process continues a session, it keeps the id and
//!   counts from zero again.
//! - After a crash the result can be zero.
//! - A failure has `is_error` with the subtype `success`, or a subtype `error_...`. The program itself writes a message
//!   whose model is `<synthetic>`, and the result after it. After other messages, the result comes from the model.
//! - `error_max_turns` and `error_max_budget_usd` end work at the limits that the program was given. The evaluator
//!   judges that work, but it claims nothing. The same holds if the last answer has a `stop_reason` other than
//!   `end_turn` or `stop_sequence`. Messages that are printed block by block have none yet.

use loop_core::{Usage, Usd};
use serde_json::Value;

use super::{Dialect, content, ended_by, no_end, text};
use crate::usage::{
    RateLimit, ResetTime, TokenCounts, rate_limit::time_of, report_collector::ReportCollector,
    usage_totals::TotalScope,
};

/// The approximate number of bytes per token, to price an answer whose output is not known.
const BYTES_A_TOKEN: u64 = 4;

#[derive(Debug, Default)]
pub(super) struct Claude {
    /// The message that the agent is streaming, from its `message_start` on.
    streamed: Option<Streamed>,
    /// The limit that the agent reached, as a separate line reported it.
    limit: Option<RateLimit>,
    /// Whether the last message came from the model, and not from the program itself.
    model_spoke: bool,
    /// Whether the last message came from the program itself.
    is_synthetic: bool,
    /// The model of the last message that came from a model.
    model: Option<String>,
    /// Whether nothing has come since the last result.
    has_ended: bool,
    /// Why the last message, or the result, does not end the work.
    cut: Option<String>,
}

#[derive(Debug)]
struct Streamed {
    id: String,
    model: Option<String>,
    tokens: TokenCounts,
    /// The main agent's tool call that started this subagent.
    parent: Value,
}

impl Dialect for Claude {
    fn reads(&self, kind: &str) -> bool {
        matches!(kind, "assistant" | "stream_event" | "rate_limit_event" | "result")
    }

    fn is_own(&self, kind: &str) -> bool {
        matches!(kind, "system" | "assistant" | "stream_event")
    }

    fn unfinished(&self) -> Option<String> {
        self.cut.clone().or_else(|| (!self.has_ended).then(no_end))
    }

    fn line(&mut self, kind: &str, line: &Value, collector: &mut ReportCollector) {
        match kind {
            "assistant" => self.message(line, collector),
            "stream_event" => self.event(line, collector),
            "rate_limit_event" => {
                let info = &line["rate_limit_info"];
                if text(info, "status") == Some("rejected") {
                    let reset = collector.count(info, "resetsAt").and_then(time_of).map(ResetTime::At);
                    self.limit = Some(RateLimit { reset });
                }
            }
            _ => self.result(line, collector),
        }
    }
}

impl Claude {
    fn message(&mut self, line: &Value, collector: &mut ReportCollector) {
        let message = &line["message"];
        if text(line, "error") == Some("rate_limit") {
            self.limit = self.limit.or(Some(RateLimit { reset: None }));
        }
        let words = content(message);
        if line["parent_tool_use_id"].is_null() {
            self.has_ended = false;
            self.cut = cut_by(message);
            if !words.is_empty() {
                collector.says(&words);
            }
        }
        let model = text(message, "model");
        self.model_spoke = model != Some("<synthetic>");
        self.is_synthetic = !self.model_spoke;
        if !self.model_spoke {
            return;
        }
        self.model = model.map(str::to_owned).or(self.model.take());
        let input = input_of(&message["usage"], collector);
        // We do not guess token counts. A price is an estimate anyway, and without the output it would be too low.
        let said = collector.count(&message["usage"], "output_tokens");
        let priced = input.with_output(said.max(Some(longest_block(message) / BYTES_A_TOKEN)));
        let mut usage = collector.counted(&input);
        usage.cost = collector.estimate(model, &priced);
        collector.totals.message(text(message, "id"), usage);
    }

    fn event(&mut self, line: &Value, collector: &mut ReportCollector) {
        let (event, parent) = (&line["event"], &line["parent_tool_use_id"]);
        match text(event, "type") {
            Some("message_start") => {
                let message = &event["message"];
                let tokens = input_of(&message["usage"], collector);
                let Some(id) = text(message, "id") else { return };
                let model = text(message, "model");
                // There is no output yet.
                let mut usage = collector.counted(&tokens);
                usage.cost = collector.estimate(model, &tokens.with_output(Some(0)));
                collector.totals.message(Some(id), usage);
                let (id, model) = (id.to_owned(), model.map(str::to_owned));
                self.streamed = Some(Streamed { id, model, tokens, parent: parent.clone() });
            }
            Some("message_delta") => {
                let output = collector.count(&event["usage"], "output_tokens");
                // Subagents stream at the same time. The total at the end includes their output.
                if let Some(streamed) = self.streamed.take_if(|streamed| streamed.parent == *parent) {
                    let tokens = streamed.tokens.with_output(output);
                    let usage = collector.usage(streamed.model.as_deref(), &tokens, None, false);
                    collector.totals.message(Some(&streamed.id), usage);
                }
            }
            _ => {}
        }
    }

    fn result(&mut self, line: &Value, collector: &mut ReportCollector) {
        let subtype = text(line, "subtype").unwrap_or_default();
        self.has_ended = true;
        self.cut = cut_by(line).or(self.cut.take());
        let words = text(line, "result").filter(|words| !words.trim().is_empty());
        if matches!(subtype, "error_max_turns" | "error_max_budget_usd") {
            collector.recovers();
            collector.fault = Some(format!("the agent reached its own limit: {subtype}"));
            self.cut = Some(format!("reached its own limit: {subtype}"));
        } else if line["is_error"] == true || subtype.starts_with("error") {
            self.fails(line, words.or_else(|| line["errors"][0].as_str()).unwrap_or(subtype), collector);
        } else {
            collector.recovers();
        }
        self.limit = None;
        if let Some(words) = words {
            collector.says(words);
        }
        let is_failed = collector.failure.is_some();
        let spoke = !is_failed && (self.model_spoke || words.is_some() && !self.is_synthetic);
        let total = self.total(line, spoke, collector);
        collector.total(
            text(line, "session_id").map_or(TotalScope::Process, TotalScope::ProcessSoFar),
            line,
            total,
        );
    }

    fn fails(&self, line: &Value, message: &str, collector: &mut ReportCollector) {
        let status = line["api_error_status"].as_u64();
        if self.model_spoke && status.is_none() {
            collector.fails_at(message, None);
        } else {
            collector.fails(message, status);
        }
        self.name_limit(collector);
    }

    /// Returns the tokens of all models and their cost, or those of the turn if it does not name models.
    fn total(&self, line: &Value, spoke: bool, collector: &mut ReportCollector) -> Usage {
        let told = collector.usd(line, "total_cost_usd");
        let models = line.get("modelUsage").and_then(Value::as_object).filter(|models| !models.is_empty());
        let Some(models) = models else {
            let usage = &line["usage"];
            let tokens = input_of(usage, collector).with_output(collector.count(usage, "output_tokens"));
            return collector.usage(self.model.as_deref(), &tokens, told, spoke);
        };
        // A cost of zero for tokens means that it has no price for a model.
        let told = told.filter(|cost| *cost > Usd::ZERO);
        let is_none = |counts: &[&str]| {
            models.values().all(|usage| counts.iter().all(|key| usage[key].as_f64().unwrap_or(0.0) == 0.0))
        };
        if spoke
            && (is_none(&["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"])
                || is_none(&["outputTokens"]))
        {
            collector.mark_unreliable();
        }
        let mut sum = models.iter().fold(Usage::unknown(), |sum, (model, usage)| {
            let tokens = TokenCounts {
                fresh: collector.count(usage, "inputTokens"),
                cached: collector.count(usage, "cacheReadInputTokens"),
                cache_written: collector.count(usage, "cacheCreationInputTokens"),
                output: collector.count(usage, "outputTokens"),
            };
            let cost = collector.usd(usage, "costUSD");
            sum + collector.usage(Some(model), &tokens, told.or(cost), false)
        });
        sum.cost = told.map(|usd| collector.believed(usd)).or(sum.cost);
        sum
    }

    /// Adds the details of the limit from a separate line, which has more than the text of the result.
    fn name_limit(&self, collector: &mut ReportCollector) {
        if let (Some(failure), Some(limit)) = (&mut collector.failure, self.limit) {
            let in_words = failure.rate_limit.and_then(|limit| limit.reset);
            failure.rate_limit = Some(RateLimit { reset: limit.reset.or(in_words) });
        }
    }
}

/// Returns why an answer does not end the work, if so.
fn cut_by(answer: &Value) -> Option<String> {
    let reason = text(answer, "stop_reason")?;
    (!matches!(reason, "end_turn" | "stop_sequence")).then(|| ended_by(reason))
}

fn input_of(usage: &Value, collector: &mut ReportCollector) -> TokenCounts {
    TokenCounts {
        fresh: collector.count(usage, "input_tokens"),
        cached: collector.count(usage, "cache_read_input_tokens"),
        cache_written: collector.count(usage, "cache_creation_input_tokens"),
        output: None,
    }
}

/// Returns the length in bytes of the longest block of a message. Each line of a message has one block. The longest one
/// is less than the sum of all, but the result does not depend on the order or on repeated lines.
fn longest_block(message: &Value) -> u64 {
    let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
    let bytes = |block: &Value| match text(block, "text").or_else(|| text(block, "thinking")) {
        Some(words) => words.len(),
        None => block.get("input").map_or(0, |input| input.to_string().len()),
    };
    blocks.iter().map(bytes).max().unwrap_or(0) as u64
}
