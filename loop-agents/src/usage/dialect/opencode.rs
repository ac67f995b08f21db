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
use crate::usage::{Tokens, account::Account, tokens::sum};

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

    fn line(&mut self, kind: &str, line: &Value, account: &mut Account) {
        let part = &line["part"];
        match kind {
            "text" => self.text(part, account),
            "step_finish" => {
                account.recovers();
                step(part, std::mem::take(&mut self.spoke), account);
            }
            _ => {
                let (error, data) = (&line["error"], &line["error"]["data"]);
                let message = text(data, "message").or_else(|| text(error, "name")).unwrap_or("an error");
                account.fails(message, data["statusCode"].as_u64());
            }
        }
    }
}

impl Opencode {
    /// Handles a text. A message may have several texts.
    fn text(&mut self, part: &Value, account: &mut Account) {
        let Some(words) = text(part, "text") else { return };
        self.spoke |= !words.is_empty();
        let message = text(part, "messageID");
        if message.is_some() && message == self.speaking.as_deref() {
            account.says_more("\n");
            account.says_more(words);
        } else {
            self.speaking = message.map(str::to_owned);
            account.says(words);
        }
    }
}

fn step(part: &Value, spoke: bool, account: &mut Account) {
    let tokens = &part["tokens"];
    let spoke = spoke || text(part, "reason") == Some("tool-calls");
    let said = account.count(tokens, "output");
    if tokens.is_object() && (said.is_none() || spoke && said == Some(0)) {
        // The reasoning is only a part of the output.
        account.doubt();
    }
    let tokens = Tokens {
        fresh: account.count(tokens, "input"),
        cached: account.count(&tokens["cache"], "read"),
        cache_written: account.count(&tokens["cache"], "write"),
        output: sum([said, account.count(tokens, "reasoning")]),
    };
    let cost = account.usd(part, "cost");
    let usage = account.usage(None, &tokens, cost, spoke);
    account.ledger.message(text(part, "id"), usage);
}
