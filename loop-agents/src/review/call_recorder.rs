//! Records the actions of a turn, as its tools report them.

use serde_json::Value;

use super::{ActionLog, CallListener};
use crate::{
    chat::{ToolCall, TurnEvent},
    output::first_line,
    tools::{ToolOutcome, ToolReport},
};

/// Records the tool calls of a turn.
#[derive(Debug)]
pub(super) struct CallRecorder<'a> {
    actions: &'a mut ActionLog,
    listener: &'a CallListener,
    /// The subject of the current call. Calls run one after the other.
    about: String,
}

impl<'a> CallRecorder<'a> {
    pub(super) const fn new(actions: &'a mut ActionLog, listener: &'a CallListener) -> Self {
        Self { actions, listener, about: String::new() }
    }

    /// Records an event of the turn.
    pub(super) fn on_event(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Calling(ToolCall { name, arguments, .. }) => {
                self.listener.began("", name, arguments);
                self.about = subject(arguments).to_owned();
            }
            TurnEvent::Called(report) => self.note(report),
            _ => {}
        }
    }

    fn note(&mut self, report: &ToolReport) {
        let Self { actions, listener, about } = self;
        for file in &report.files {
            if report.tool == "edit_file" { actions.edited(&file.path) } else { actions.wrote(&file.path) }
        }
        for command in &report.commands {
            actions.ran(&command.line, Some(command.exit_code));
        }
        let (what, why) = (format!("{}({about})", report.tool), first_line(&report.text));
        let message = if report.outcome == ToolOutcome::Done { "" } else { &why };
        listener.ended("", report.outcome, report.commands.last().map(|command| command.exit_code), message);
        match report.outcome {
            ToolOutcome::Done if report.tool == "read_file" => actions.read(about),
            ToolOutcome::Done => {}
            ToolOutcome::Failed => actions.failed(&what, &why),
            ToolOutcome::Rejected => actions.rejected(&what, &why),
        }
    }
}

/// Returns the subject of a call, under the argument names that agents use for it.
pub(crate) fn subject(arguments: &Value) -> &str {
    const NAMES: [&str; 7] = ["command", "cmd", "file_path", "path", "notebook_path", "pattern", "arguments"];
    NAMES.into_iter().find_map(|name| arguments.get(name)?.as_str()).unwrap_or_default()
}
