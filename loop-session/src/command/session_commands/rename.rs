//! `/rename`: names the session.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct RenameCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "rename",
    aliases: &[],
    arguments: "NAME",
    summary: "Give the session a name",
    help: "`/session continue NAME` and `loop chat --resume NAME` find the session by this name.",
    argument_kind: ArgumentKind::Other,
};

#[async_trait]
impl Command for RenameCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if arguments.is_empty() {
            return Err(INFO.misused("the name is missing"));
        }
        session.rename(arguments);
        session.say(&format!("this session is now called {arguments}"));
        Ok(())
    }
}
