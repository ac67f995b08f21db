//! Records the actions of a turn, as its tools report them.

use serde_json::Value;

use super::Account;
use crate::{
    chat::{ToolCall, TurnEvent},
    tools::{ToolOutcome, ToolReport},
};

/// Records the tool calls of a turn.
#[derive(Debug)]
pub(super) struct Recorder<'a> {
    account: &'a mut Account,
    /// The subject of the current call. Calls run one after the other.
    about: String,
}

impl<'a> Recorder<'a> {
    pub(super) const fn new(account: &'a mut Account) -> Self {
        Self { account, about: String::new() }
    }

    /// Records an event of the turn.
    pub(super) fn hear(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Calling(ToolCall { arguments, .. }) => self.about = subject(arguments).to_owned(),
            TurnEvent::Called(report) => self.note(report),
            _ => {}
        }
    }

    fn note(&mut self, report: &ToolReport) {
        let Self { account, about } = self;
        for file in &report.files {
            if report.tool == "edit_file" { account.edited(&file.path) } else { account.wrote(&file.path) }
        }
        for command in &report.commands {
            account.ran(&command.line, Some(command.exit_code));
        }
        let (what, why) =
            (format!("{}({about})", report.tool), report.text.lines().next().unwrap_or_default());
        match report.outcome {
            ToolOutcome::Done if report.tool == "read_file" => account.read(about),
            ToolOutcome::Done => {}
            ToolOutcome::Failed => account.failed(&what, why),
            ToolOutcome::Rejected => account.rejected(&what, why),
        }
    }
}

/// Returns the subject of a call, under the argument names that agents use for it.
pub(super) fn subject(arguments: &Value) -> &str {
    const NAMES: [&str; 7] = ["command", "cmd", "file_path", "path", "notebook_path", "pattern", "arguments"];
    NAMES.into_iter().find_map(|name| arguments.get(name)?.as_str()).unwrap_or_default()
}
