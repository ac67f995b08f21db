//! `/summarize`: replaces the conversation with a summary.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct SummarizeCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "summarize",
    aliases: &["compact"],
    arguments: "",
    summary: "Replace the conversation with a summary",
    help: "Pinned context stays. At 80 % of the context this happens automatically, and the last messages stay \
           unchanged.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for SummarizeCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.summarise(0).await
    }
}
