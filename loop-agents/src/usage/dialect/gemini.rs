//! Gemini CLI: `gemini --output-format json`, or `stream-json`.
//!
//! - `json` is one document at the end, with the numbers of the process for each model. A budget binds
//!   after the run, and a run that is cut reports nothing. `stream-json` has lines, but its numbers are in
//!   the last of them too.
//! - `cached` is part of `prompt`. `thoughts` stand beside `candidates`, and what tools read (`tool`)
//!   beside `prompt`.
//! - In `stream-json` the output leaves out the thoughts; `total_tokens` has them.
//! - A cost is not named.
//! - A failure is a document too, and goes to standard error.

use serde_json::Value;

use super::{Dialect, text};
use crate::usage::{Tokens, account::Account, ledger::Total, tokens::sum};

#[derive(Debug, Default)]
pub(super) struct Gemini {
    /// The last text is still being said.
    speaking: bool,
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
            }
            "result" => {
                match text(line, "status") {
                    Some("success") => account.recovers(),
                    Some(_) => fail(&line["error"], account),
                    None => {}
                }
                statistics(&line["stats"], line, account);
            }
            "error" if text(line, "severity") == Some("error") => fail(line, account),
            _ => self.speaking = false,
        }
    }

    fn has_documents(&self) -> bool {
        true
    }

    fn document(&mut self, document: &Value, account: &mut Account) -> bool {
        if let Some(words) = text(document, "response") {
            account.says(words);
        }
        if document.get("error").is_some_and(Value::is_object) {
            fail(&document["error"], account);
        }
        statistics(&document["stats"], document, account);
        ["response", "error", "stats"].iter().any(|key| document.get(key).is_some())
    }
}

fn fail(error: &Value, account: &mut Account) {
    account.fails(text(error, "message").unwrap_or("an error without a message"), error["code"].as_u64());
}

fn statistics(stats: &Value, told: &Value, account: &mut Account) {
    let Some(models) = stats.get("models").and_then(Value::as_object) else { return };
    let mut total = None;
    for (model, numbers) in models {
        let tokens = match numbers.get("tokens") {
            Some(tokens) => of_document(tokens, account),
            None => of_stream(numbers, account),
        };
        let usage = account.usage(Some(model), &tokens, None);
        total = Some(total.unwrap_or_default() + usage);
    }
    if let Some(total) = total {
        account.total(Total::Process, told, total);
    }
}

fn of_document(tokens: &Value, account: &mut Account) -> Tokens {
    let input = sum([account.count(tokens, "prompt"), account.count(tokens, "tool")]);
    let output = sum([account.count(tokens, "candidates"), account.count(tokens, "thoughts")]);
    Tokens::within(input, account.count(tokens, "cached"), None).with_output(output)
}

fn of_stream(tokens: &Value, account: &mut Account) -> Tokens {
    let input = account.count(tokens, "input_tokens");
    let said = account.count(tokens, "output_tokens");
    let thought = account.count(tokens, "total_tokens").and_then(|total| total.checked_sub(input?));
    Tokens::within(input, account.count(tokens, "cached"), None).with_output(said.max(thought))
}
