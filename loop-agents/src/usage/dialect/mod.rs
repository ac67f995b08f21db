//! What each agent's lines mean. One file an agent, each with what was found out about its numbers; the
//! streams that it was found out from are in the folder `conformance`.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod pi;

use std::fmt;

use serde_json::Value;

use super::{Format, account::Account};

/// How an agent reports.
pub(super) trait Dialect: fmt::Debug + Send {
    /// Whether lines of this `type` say anything that is looked for. The rest is not even parsed: some
    /// agents repeat the whole conversation in each line.
    fn reads(&self, kind: &str) -> bool;

    /// Takes a line that [`reads`](Self::reads) asked for.
    fn line(&mut self, kind: &str, line: &Value, account: &mut Account);

    /// Whether no other agent prints lines of this `type`: a stream without any is another agent's.
    fn is_own(&self, kind: &str) -> bool;

    /// Why the agent's last words are no end of its work, if its stream says so, or does not say that it ended. Reads
    /// after "it".
    fn unfinished(&self) -> Option<String> {
        None
    }

    /// Whether objects without a `type` are read, also from standard error.
    fn has_documents(&self) -> bool {
        false
    }

    /// Takes an object without a `type`, and says whether it is as this agent prints it.
    fn document(&mut self, _document: &Value, _account: &mut Account) -> bool {
        false
    }
}

/// None for formats in which the output says nothing.
pub(super) fn of(format: Format) -> Option<Box<dyn Dialect>> {
    Some(match format {
        Format::Text | Format::UsageFile => return None,
        Format::ClaudeStreamJson => Box::new(claude::Claude::default()),
        Format::CodexJson => Box::new(codex::Codex::default()),
        Format::GeminiJson => Box::new(gemini::Gemini::default()),
        Format::OpencodeJson => Box::new(opencode::Opencode::default()),
        Format::PiJson => Box::new(pi::Pi::default()),
    })
}

/// What is said of an agent whose stream just stops.
fn no_end() -> String {
    "did not say that it came to its end".to_owned()
}

/// What is said of an agent whose last answer ended for this reason.
fn ended_by(reason: &str) -> String {
    format!("ended in the middle of an answer ({reason})")
}

/// A text in a JSON object.
fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// The text blocks of a message's content, one after the other.
fn content(message: &Value) -> String {
    let blocks = message.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| text(block, "type") == Some("text"))
        .filter_map(|block| text(block, "text"))
        .collect();
    texts.join("\n")
}
