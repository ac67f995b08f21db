//! The log of a phase: `execution.toml` and `review.toml`.
//!
//! A phase can take an hour, and it can be killed. So the log is written while the phase runs, and it is a valid TOML
//! file after each write. It begins with a few keys, and each call adds a table `[[event]]`:
//!
//! ```toml
//! [[event]]
//! time = "2026-11-25T03:00:00.125Z"
//! call = "run_command"
//! arguments = '{"command":"cargo test"}'
//! outcome = "done"
//! exit_code = 101
//! ```
//!
//! The first three keys are written when the call begins, and the others below them when it ends. So a call that was
//! cut off has no outcome. If another event comes before the end of a call, the end is an event of its own with all
//! keys.
//!
//! A failed write can leave half a table, so we cut the file to its length before. Somebody could put a link in the
//! place of the file between two writes, so we keep the file open.

use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, Write as _},
    sync::Arc,
};

use loop_agents::{
    output::{beginning, one_line},
    review::CallEvent,
    tools::ToolOutcome,
};
use loop_guardrails::policy::workspace::{Workspace, WorkspaceError};
use serde::Serialize;
use serde_json::Value;

/// The number of characters of the arguments to keep.
const ARGUMENT_CHARS: usize = 200;
/// The number of characters of a message to keep.
const MESSAGE_CHARS: usize = 2000;
/// The number of bytes of a text to look at. Secrets in it are removed before it is cut.
const READ_BYTES: usize = 64 * 1024;
/// The number of unfinished calls to remember.
const MAX_OPEN_CALLS: usize = 1000;

/// Removes secrets from a text.
pub(super) type Redact = dyn Fn(&str) -> String + Send + Sync;

/// The open log of the current phase.
pub(super) struct PhaseLog {
    file: File,
    /// The length of the file, in bytes, after the last complete write.
    length: u64,
    redact: Arc<Redact>,
    /// The name and the arguments of the calls that have begun, by their ids.
    calls: BTreeMap<String, (String, String)>,
    /// The id of the call in the last table, if it has not ended.
    last: Option<String>,
}

/// The first keys of an event.
#[derive(Serialize)]
struct EventStart<'a> {
    time: &'a str,
    call: &'a str,
    arguments: &'a str,
}

/// The last keys of an event.
#[derive(Serialize)]
struct EventEnd<'a> {
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
}

impl PhaseLog {
    /// Replaces the file, with these keys at its beginning.
    pub(super) fn begin(
        workspace: &Workspace,
        path: &str,
        head: &impl Serialize,
        redact: Arc<Redact>,
    ) -> Result<Self, WorkspaceError> {
        let head = redact(&as_toml(head));
        let file = workspace.replace(path, head.as_bytes())?;
        Ok(Self { file, length: head.len() as u64, redact, calls: BTreeMap::new(), last: None })
    }

    /// Adds an event of a call.
    pub(super) fn on_call(&mut self, time: &str, event: CallEvent<'_>) -> io::Result<()> {
        match event {
            CallEvent::Began { id, call, arguments } => {
                let call = self.line(call);
                let arguments = self.line(&compact(arguments));
                self.append(&start(time, &call, &arguments))?;
                self.last = Some(id.to_owned());
                if self.calls.len() < MAX_OPEN_CALLS {
                    self.calls.insert(id.to_owned(), (call, arguments));
                }
                Ok(())
            }
            CallEvent::Ended { id, outcome, exit_code, message } => {
                let begun = self.calls.remove(id);
                let before = match begun {
                    _ if self.last.as_deref() == Some(id) => String::new(),
                    Some((call, arguments)) => start(time, &call, &arguments),
                    None => return Ok(()),
                };
                self.last = None;
                let message = cut(&(self.redact)(&beginning(message, READ_BYTES)), MESSAGE_CHARS);
                let outcome = name(outcome);
                self.append(&(before + &as_toml(&EventEnd { outcome, exit_code, message: &message })))
            }
            _ => Ok(()),
        }
    }

    /// Adds the verdict of a review.
    pub(super) fn verdict(&mut self, time: &str, outcome: &str, findings: &str) -> io::Result<()> {
        let message = (self.redact)(findings);
        let end = EventEnd { outcome, exit_code: None, message: &message };
        self.last = None;
        self.append(&(start(time, "verdict", "") + &as_toml(&end)))
    }

    fn line(&self, text: &str) -> String {
        let text = (self.redact)(&beginning(text, READ_BYTES));
        cut(&one_line(&text), ARGUMENT_CHARS)
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // Report the error that led here, not this one.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += text.len() as u64;
        Ok(())
    }
}

impl fmt::Debug for PhaseLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhaseLog").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Returns a value as TOML.
pub(super) fn as_toml(value: &impl Serialize) -> String {
    toml::to_string(value)
        .unwrap_or_else(|error| unreachable!("texts and numbers can be written as TOML: {error}"))
}

fn start(time: &str, call: &str, arguments: &str) -> String {
    format!("\n[[event]]\n{}", as_toml(&EventStart { time, call, arguments }))
}

const fn name(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Done => "done",
        ToolOutcome::Failed => "failed",
        ToolOutcome::Rejected => "rejected",
    }
}

/// Returns arguments as one text. Short ones come first, so that the path of a file is not lost behind its content.
fn compact(arguments: &Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let mut fields: Vec<_> =
                fields.iter().map(|(key, value)| format!("{}:{value}", Value::from(&**key))).collect();
            fields.sort_by_key(String::len);
            format!("{{{}}}", fields.join(","))
        }
        other => other.to_string(),
    }
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
