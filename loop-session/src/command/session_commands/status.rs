//! `/status`: shows the state of the session.

use async_trait::async_trait;

use loop_manifest::model::command_sandbox;
use loop_telemetry::words;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, session::UNKNOWN_WINDOW};

pub(in crate::command) struct StatusCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "status",
    aliases: &[],
    arguments: "",
    summary: "Show the model, the context and the usage",
    help: "",
    argument_kind: ArgumentKind::Nothing,
};

/// Describes the window of the model.
fn window(session: &Session) -> String {
    match session.dialogue.chat.measure().window {
        Some(window) => words::count(window, "token"),
        None => UNKNOWN_WINDOW.to_owned(),
    }
}

#[async_trait]
impl Command for StatusCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        let messages = session.dialogue.chat.history().messages().len() as u64;
        let pinned = session.dialogue.chat.pinned().len() as u64;
        let rows = [
            ("model", session.model_name().to_owned()),
            ("folder", session.context.execution.folder().display().to_string()),
            (
                "history",
                format!(
                    "{}, {}",
                    words::count(session.dialogue.turns, "turn"),
                    words::count(messages, "message")
                ),
            ),
            ("context", session.context_fill()),
            ("window", window(session)),
            ("pinned", words::count(pinned, "text")),
            ("used", session.used()),
            ("tools", session.tools.state()),
            (
                "commands",
                if session.tools.are_unsafe() { "all run (/safemode on)" } else { "known ones run" }
                    .to_owned(),
            ),
            (
                "sandbox",
                command_sandbox(&session.context.execution).describe(session.tools.workspace.policy()),
            ),
            ("transcript", session.log.describe()),
        ];
        let debug_log = session.context.execution.debug_log();
        let debug_log = debug_log.map(|log| ("debug log", log.path().display().to_string()));
        let recalled = session.dialogue.recalled;
        let memory = (recalled > 0).then(|| ("memory", words::count(recalled, "recalled item")));
        let lines: Vec<_> = rows
            .iter()
            .chain(&memory)
            .chain(&debug_log)
            .map(|(what, is)| format!("  {what:<11} {}", session.host().one_line(is)))
            .collect();
        session.say(&lines.join("\n"));
        Ok(())
    }
}
