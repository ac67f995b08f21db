//! `/read`: shows files to the model.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct ReadCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "read",
    aliases: &[],
    arguments: "FILE...",
    summary: "Show files to the model",
    help: "Put paths with spaces in quotes. Secrets, such as `.env`, are refused.",
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
            return Err(INFO.misused("the file is missing"));
        }
        for path in paths {
            let read = session.read_for_model(&path).await?;
            session.say(&format!("read {read}"));
        }
        Ok(())
    }
}
