//! `/verbose`: shows or sets how much of a tool call appears.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct VerboseCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "verbose",
    aliases: &[],
    arguments: "[on | off]",
    summary: "Show tool calls as JSON, with whole results",
    help: "`off` shows one line for each call, edits as diffs, and the last lines of a command that failed. Without an \
           argument, the command says which of them is on. `on` does the same as `--verbose`, for the rest of the \
           session.",
    argument_kind: ArgumentKind::Words(&["on", "off"]),
};

#[async_trait]
impl Command for VerboseCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let on = match arguments {
            "" => None,
            "on" => Some(true),
            "off" => Some(false),
            other => return Err(INFO.misused(format!("`{other}` is not known"))),
        };
        session.say(match session.host().verbose(on) {
            Some(true) => "tool calls appear as JSON, with their whole results; `/verbose off` ends that",
            Some(false) => "each tool call appears as one line; `/verbose on` shows all of it",
            None => return Err(InputError::refused("there is only one way to show tool calls here")),
        });
        Ok(())
    }
}
