//! Records the actions that a command's output stream reports.
//!
//! Some agents print their actions for other programs to read, each in its own format. These lines come from the
//! agent's program and not from its model, so they are worth more than any report. There is one file per agent. The
//! folder `conformance` has the streams that they were written from.

mod claude;
mod codex;
mod pi;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{ActionLog, ActionSource, CallListener, call_event::MAX_OPEN_CALLS, call_recorder::subject};
use crate::{
    output::{first_line, json_objects::ParsedJson},
    tools::ToolOutcome,
    usage::{Format, LineSplitter, StreamLine, lenient_json},
};

/// The longest line to read: 8 MiB, as for usage.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// Reads one run of an agent.
#[derive(Debug)]
pub(super) struct ActionStream {
    lines: LineSplitter,
    /// Interprets a line of this agent.
    read: fn(&Value, &mut StreamActions),
    deeds: StreamActions,
}

/// The actions known so far.
#[derive(Debug)]
struct StreamActions {
    actions: ActionLog,
    /// Paths below this folder are shortened.
    root: PathBuf,
    /// The unfinished calls, by their ids.
    calls: BTreeMap<String, Call>,
    listener: CallListener,
    /// Whether we missed a line or a call.
    has_lost: bool,
}

/// A call of one of the agent's own tools.
#[derive(Debug)]
struct Call {
    tool: String,
    about: String,
}

impl ActionStream {
    /// Creates a reader for an agent of this format that works in this folder. Returns `None` if the format does not
    /// report actions.
    pub(super) fn of(format: Format, root: PathBuf, listener: CallListener) -> Option<Self> {
        let read = match format {
            Format::ClaudeStreamJson => claude::read,
            Format::CodexJson => codex::read,
            Format::PiJson => pi::read,
            _ => return None,
        };
        let deeds = StreamActions {
            actions: ActionLog::from_source(ActionSource::Stream),
            root,
            calls: BTreeMap::new(),
            listener,
            has_lost: false,
        };
        Some(Self { lines: LineSplitter::with_max(MAX_LINE_BYTES), read, deeds })
    }

    /// Reads the next bytes of standard output, split anywhere.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let Self { lines, read, deeds } = self;
        lines.feed(bytes, |line| take(line, *read, deeds));
    }

    /// Returns the recorded actions.
    pub(super) fn finish(mut self) -> ActionLog {
        let Self { lines, read, deeds } = &mut self;
        lines.finish(|line| take(line, *read, deeds));
        self.deeds.finish()
    }
}

fn take(line: StreamLine<'_>, read: fn(&Value, &mut StreamActions), deeds: &mut StreamActions) {
    let StreamLine::Whole(line) = line else {
        deeds.has_lost = true;
        return;
    };
    // As for usage, the parser tolerates invalid UTF-8 and invalid numbers, which come from the output of tools.
    if let Ok(ParsedJson { value: object @ Value::Object(_), duplicate_keys }) =
        lenient_json::parse(&String::from_utf8_lossy(line))
    {
        deeds.has_lost |= !duplicate_keys.is_empty();
        read(&object, deeds);
    }
}

impl StreamActions {
    /// Records that a call has begun.
    fn begun(&mut self, id: &Value, tool: &Value, arguments: &Value) {
        let (Some(id), Some(tool)) = (id.as_str(), tool.as_str()) else { return };
        self.has_lost |= self.calls.len() >= MAX_OPEN_CALLS;
        if self.calls.len() < MAX_OPEN_CALLS {
            let call = Call { tool: tool.to_owned(), about: subject(arguments).to_owned() };
            self.calls.insert(id.to_owned(), call);
            self.listener.began(id, tool, arguments);
        }
    }

    /// Forgets a call that has ended, and reports its end. It need not have begun before.
    fn completed(&mut self, id: &Value, tool: &str, arguments: &Value, end: CallEnd) {
        let id = id.as_str().unwrap_or_default();
        if self.calls.remove(id).is_none() {
            self.listener.began(id, tool, arguments);
        }
        self.listener.ended(id, end.outcome, end.exit_code, end.message);
    }

    /// Records that a call has ended, with its output, whether it failed, and a command's exit code.
    fn ended(&mut self, id: &Value, text: &str, is_error: bool, exit_code: Option<i32>) {
        let Some((id, Call { tool, about })) = id.as_str().and_then(|id| Some((id, self.calls.remove(id)?)))
        else {
            return;
        };
        let why = if text.trim().is_empty() { "it failed".to_owned() } else { first_line(text) };
        let (outcome, message) =
            if is_error { (ToolOutcome::Failed, &*why) } else { (ToolOutcome::Done, "") };
        self.listener.ended(id, outcome, exit_code.filter(|_| is_command(&tool)), message);
        let actions = &mut self.actions;
        if is_command(&tool) && (!is_error || exit_code.is_some()) {
            return actions.ran(&about, exit_code);
        }
        // A command without an exit code was rejected, or cut off.
        if is_error {
            return actions.failed(&format!("{tool}({about})"), &why);
        }
        let path = local(&self.root, &about);
        match tool.to_ascii_lowercase().as_str() {
            _ if path.is_empty() => {}
            "write" => actions.wrote(path),
            "edit" | "multiedit" | "notebookedit" => actions.edited(path),
            "read" => actions.read(path),
            _ => {}
        }
    }

    /// Returns the recorded actions. We do not know how far unfinished calls came.
    fn finish(self) -> ActionLog {
        let Self { mut actions, calls, has_lost, .. } = self;
        for Call { tool, about } in calls.values() {
            actions.unknown(&format!("how {tool}({about}) ended"));
        }
        if has_lost {
            actions.unknown(
                "the content of lines of its stream that are too long, and of calls beyond the limit",
            );
        }
        actions
    }

    /// Shortens a path for the action log.
    fn local<'a>(&self, path: &'a str) -> &'a str {
        local(&self.root, path)
    }
}

/// How a call ended, as one line of a stream describes it.
#[derive(Debug, Clone, Copy)]
struct CallEnd {
    outcome: ToolOutcome,
    exit_code: Option<i32>,
    message: &'static str,
}

fn is_command(tool: &str) -> bool {
    tool.eq_ignore_ascii_case("bash") || tool.eq_ignore_ascii_case("shell")
}

fn local<'a>(root: &Path, path: &'a str) -> &'a str {
    Path::new(path).strip_prefix(root).ok().and_then(|path| path.to_str()).unwrap_or(path)
}

/// Returns the number in the text, if there is one.
fn number(text: &str) -> Option<i32> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests;
