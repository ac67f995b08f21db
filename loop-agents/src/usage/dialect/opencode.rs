//! opencode: `opencode run --format json`.
//!
//! - Each step of the model ends with a `step_finish`, which has the numbers of that step.
//! - `cache.read` and `cache.write` stand beside `input`, and `reasoning` beside `output`.
//! - The cost is computed by opencode from its own table; it is zero for a model without a price there,
//!   and with a subscription. The model is not named.
//! - `error` ends the run. What can be tried again (429, 5xx) it tries again for ever, and prints nothing
//!   meanwhile: a limit on silence ends that, nothing else does.

use serde_json::Value;

use super::{Dialect, text};
use crate::usage::{Tokens, account::Account, tokens::sum};

#[derive(Debug, Default)]
pub(super) struct Opencode {
    /// The message that the last text belongs to.
    speaking: Option<String>,
    /// The model has said something in this step.
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
    /// A message may have several texts.
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
        // The reasoning beside it is not the whole.
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
