//! `/read`: shows files and addresses to the model.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct ReadCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "read",
    aliases: &[],
    arguments: "FILE|ADDRESS...",
    summary: "Show files and web pages to the model",
    help: "Put paths with spaces in quotes. Secrets, such as `.env`, are refused. \
           Addresses need `enabled = true` under `[remote]` in your own settings.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for ReadCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let paths = INFO.words(arguments)?;
        if paths.is_empty() {
            return Err(INFO.misused("the file or the address is missing"));
        }
        for path in paths {
            let read = session.read_for_model(&path).await?;
            session.say(&format!("read {read}"));
        }
        Ok(())
    }
}
