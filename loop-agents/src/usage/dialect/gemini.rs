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
use crate::usage::{Tokens, account::Account, ledger::Total, tokens::sum};

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

    fn line(&mut self, kind: &str, line: &Value, account: &mut Account) {
        match kind {
            "message" if text(line, "role") == Some("assistant") => {
                let words = text(line, "content").unwrap_or_default();
                if self.speaking {
                    account.says_more(words);
                } else {
                    account.says(words);
                }
                self.speaking = true;
                self.spoke |= !words.is_empty();
            }
            "result" => {
                match text(line, "status") {
                    Some("success") => account.recovers(),
                    Some(_) => fail(&line["error"], account),
                    None => {}
                }
                statistics(&line["stats"], line, std::mem::take(&mut self.spoke), account);
            }
            "error" if text(line, "severity") == Some("error") => fail(line, account),
            _ => {
                self.speaking = false;
                self.spoke |= kind == "tool_use";
            }
        }
    }

    fn has_documents(&self) -> bool {
        true
    }

    fn document(&mut self, document: &Value, account: &mut Account) -> bool {
        let words = text(document, "response");
        if let Some(words) = words {
            account.says(words);
        }
        if document.get("error").is_some_and(Value::is_object) {
            fail(&document["error"], account);
        }
        statistics(&document["stats"], document, words.is_some_and(|words| !words.is_empty()), account);
        ["response", "error", "stats"].iter().any(|key| document.get(key).is_some())
    }
}

fn fail(error: &Value, account: &mut Account) {
    account.fails(text(error, "message").unwrap_or("an error without a message"), error["code"].as_u64());
}

fn statistics(stats: &Value, told: &Value, spoke: bool, account: &mut Account) {
    let Some(models) = stats.get("models").and_then(Value::as_object) else { return };
    let mut read = |(model, numbers): (&String, &Value)| {
        let tokens = match numbers.get("tokens") {
            Some(tokens) => of_document(tokens, account),
            None => of_stream(numbers, account),
        };
        (model.clone(), tokens)
    };
    let models: Vec<_> = models.iter().map(&mut read).collect();
    // Some models failed, or only chose the model that answers.
    let is_counted = |count: fn(&Counted) -> u64| models.iter().any(|(_, counted)| count(counted) > 0);
    if spoke && !(is_counted(|counted| counted.read) && is_counted(|counted| counted.said)) {
        account.doubt();
    }
    let usages =
        models.iter().map(|(model, counted)| account.usage(Some(model), &counted.tokens, None, false));
    if let Some(total) = usages.reduce(|sum, usage| sum + usage) {
        account.total(Total::Process, told, total);
    }
}

/// The counts of a model.
struct Counted {
    tokens: Tokens,
    read: u64,
    /// The tokens of the reply, without the thoughts.
    said: u64,
}

fn of_document(tokens: &Value, account: &mut Account) -> Counted {
    let (prompt, said) = (account.count(tokens, "prompt"), account.count(tokens, "candidates"));
    if prompt.is_none() || said.is_none() {
        // The other counts are only a part of the whole.
        account.doubt();
    }
    let input = sum([prompt, account.count(tokens, "tool")]);
    let output = sum([said, account.count(tokens, "thoughts")]);
    let tokens = Tokens::within(input, account.count(tokens, "cached"), None).with_output(output);
    Counted { tokens, read: prompt.unwrap_or(0), said: said.unwrap_or(0) }
}

fn of_stream(tokens: &Value, account: &mut Account) -> Counted {
    let input = account.count(tokens, "input_tokens");
    let said = account.count(tokens, "output_tokens");
    if said.is_none() {
        account.doubt();
    }
    let thought = account.count(tokens, "total_tokens").and_then(|total| total.checked_sub(input?));
    let tokens = Tokens::within(input, account.count(tokens, "cached"), None).with_output(said.max(thought));
    Counted { tokens, read: input.unwrap_or(0), said: said.unwrap_or(0) }
}
