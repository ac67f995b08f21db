//! Gemini CLI: `gemini --output-format json`, or `stream-json`.
//!
//! - `json` is one document at the end, with the process's numbers for each model. A budget is enforced after the run,
//!   and a run that is cut reports nothing. `stream-json` has lines, but its numbers are in the last of them too.
//! - `cached` is part of `prompt`. `thoughts` are not part of `candidates`, and the tokens that tools read (`tool`) are
//!   not part of `prompt`.
//! - In `stream-json` the output leaves out the thoughts, but `total_tokens` includes them.
//! - Gemini does not report a cost.
//! - A failure is a document too. Gemini prints it to standard error.

use serde_json::Value;

use super::{Dialect, text};
use crate::usage::{TokenCounts, report_collector::ReportCollector, tokens::sum, usage_totals::TotalScope};

#[derive(Debug, Default)]
pub(super) struct Gemini {
    /// Whether the last text may continue.
    speaking: bool,
    /// Whether the model has said or done something since the last numbers.
    spoke: bool,
}

impl Dialect for Gemini {
    fn reads(&self, kind: &str) -> bool {
        matches!(kind, "message" | "tool_use" | "result" | "error")
    }

    fn is_own(&self, kind: &str) -> bool {
        matches!(kind, "init" | "message")
    }

    fn line(&mut self, kind: &str, line: &Value, collector: &mut ReportCollector) {
        match kind {
            "message" if text(line, "role") == Some("assistant") => {
                let words = text(line, "content").unwrap_or_default();
                if self.speaking {
                    collector.says_more(words);
                } else {
                    collector.says(words);
                }
                self.speaking = true;
                self.spoke |= !words.is_empty();
            }
            "result" => {
                match text(line, "status") {
                    Some("success") => collector.recovers(),
                    Some(_) => fail(&line["error"], collector),
                    None => {}
                }
                statistics(&line["stats"], line, std::mem::take(&mut self.spoke), collector);
            }
            "error" if text(line, "severity") == Some("error") => fail(line, collector),
            _ => {
                self.speaking = false;
                self.spoke |= kind == "tool_use";
            }
        }
    }

    fn has_documents(&self) -> bool {
        true
    }

    fn document(&mut self, document: &Value, collector: &mut ReportCollector) -> bool {
        let words = text(document, "response");
        if let Some(words) = words {
            collector.says(words);
        }
        if document.get("error").is_some_and(Value::is_object) {
            fail(&document["error"], collector);
        }
        statistics(&document["stats"], document, words.is_some_and(|words| !words.is_empty()), collector);
        ["response", "error", "stats"].iter().any(|key| document.get(key).is_some())
    }
}

fn fail(error: &Value, collector: &mut ReportCollector) {
    collector.fails(text(error, "message").unwrap_or("an error without a message"), error["code"].as_u64());
}

fn statistics(stats: &Value, told: &Value, spoke: bool, collector: &mut ReportCollector) {
    let Some(models) = stats.get("models").and_then(Value::as_object) else { return };
    let mut read = |(model, numbers): (&String, &Value)| {
        let tokens = match numbers.get("tokens") {
            Some(tokens) => of_document(tokens, collector),
            None => of_stream(numbers, collector),
        };
        (model.clone(), tokens)
    };
    let models: Vec<_> = models.iter().map(&mut read).collect();
    // Some models failed, or only chose the model that answers.
    let is_counted = |count: fn(&Counted) -> u64| models.iter().any(|(_, counted)| count(counted) > 0);
    if spoke && !(is_counted(|counted| counted.read) && is_counted(|counted| counted.said)) {
        collector.mark_unreliable();
    }
    let usages =
        models.iter().map(|(model, counted)| collector.usage(Some(model), &counted.tokens, None, false));
    if let Some(total) = usages.reduce(|sum, usage| sum + usage) {
        collector.total(TotalScope::Process, told, total);
    }
}

/// The counts of a model.
struct Counted {
    tokens: TokenCounts,
    read: u64,
    /// The tokens of the reply, without the thoughts.
    said: u64,
}

fn of_document(tokens: &Value, collector: &mut ReportCollector) -> Counted {
    let (prompt, said) = (collector.count(tokens, "prompt"), collector.count(tokens, "candidates"));
    if prompt.is_none() || said.is_none() {
        // The other counts are only a part of the whole.
        collector.mark_unreliable();
    }
    let input = sum([prompt, collector.count(tokens, "tool")]);
    let output = sum([said, collector.count(tokens, "thoughts")]);
    let tokens = TokenCounts::within(input, collector.count(tokens, "cached"), None).with_output(output);
    Counted { tokens, read: prompt.unwrap_or(0), said: said.unwrap_or(0) }
}

fn of_stream(tokens: &Value, collector: &mut ReportCollector) -> Counted {
    let input = collector.count(tokens, "input_tokens");
    let said = collector.count(tokens, "output_tokens");
    if said.is_none() {
        collector.mark_unreliable();
    }
    let thought = collector.count(tokens, "total_tokens").and_then(|total| total.checked_sub(input?));
    let tokens =
        TokenCounts::within(input, collector.count(tokens, "cached"), None).with_output(said.max(thought));
    Counted { tokens, read: input.unwrap_or(0), said: said.unwrap_or(0) }
}
