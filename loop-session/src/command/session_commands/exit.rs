//! `/exit`: leaves the session.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session};

pub(in crate::command) struct ExitCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "exit",
    aliases: &["quit", "bye"],
    arguments: "",
    summary: "Leave the session, which is saved",
    help: "Ctrl+D does the same. While a loop runs, both end the loop, not the session.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for ExitCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, _: &str) -> RepeatEffect {
        RepeatEffect::End
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.leave();
        Ok(())
    }
}
