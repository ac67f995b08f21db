//! `/clear`: clears the conversation.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct ClearCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "clear",
    aliases: &[],
    arguments: "",
    summary: "Forget the conversation",
    help: "The system prompt and pinned context stay. The transcript keeps everything.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for ClearCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.clear().await;
        session.say("the conversation is forgotten");
        Ok(())
    }
}
