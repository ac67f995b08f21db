//! Interprets the lines of each agent. There is one file per agent, which lists the findings about its numbers. The
//! streams behind these findings are in the folder `conformance`.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod pi;

use std::fmt;

use serde_json::Value;

use super::{Format, report_collector::ReportCollector};

/// The way an agent reports.
pub(super) trait Dialect: fmt::Debug + Send {
    /// Returns true if lines of this `type` contain anything of interest. Other lines are not even parsed, because some
    /// agents repeat the whole conversation in each line.
    fn reads(&self, kind: &str) -> bool;

    /// Handles a line that [`reads`](Self::reads) asked for.
    fn line(&mut self, kind: &str, line: &Value, collector: &mut ReportCollector);

    /// Returns true if no other agent prints lines of this `type`. A stream without any such line comes from another
    /// agent.
    fn is_own(&self, kind: &str) -> bool;

    /// Returns why the agent's last words do not end its work, if its stream says so, or if the stream has no end. The
    /// text follows "it".
    fn unfinished(&self) -> Option<String> {
        None
    }

    /// Returns true if this agent prints objects without a `type`, also to standard error.
    fn has_documents(&self) -> bool {
        false
    }

    /// Handles an object without a `type`, and returns true if it has this agent's form.
    fn document(&mut self, _document: &Value, _account: &mut ReportCollector) -> bool {
        false
    }
}

/// Returns the dialect of a format, or `None` if its output contains no usage.
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

/// Returns the message for an agent whose stream just stops.
fn no_end() -> String {
    "did not report that it had finished".to_owned()
}

/// Returns the message for an agent whose last answer ended for this reason.
fn ended_by(reason: &str) -> String {
    format!("ended in the middle of an answer ({reason})")
}

/// Returns a text in a JSON object.
fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// Returns the joined text blocks of a message's content.
fn content(message: &Value) -> String {
    let blocks = message.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| text(block, "type") == Some("text"))
        .filter_map(|block| text(block, "text"))
        .collect();
    texts.join("\n")
}
