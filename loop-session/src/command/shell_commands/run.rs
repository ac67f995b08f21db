//! `/run`: runs a command.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct RunCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Shell,
    name: "run",
    aliases: &[],
    arguments: "COMMAND",
    summary: "Run a command, and show its output to the model",
    help: "`!COMMAND` runs as you: with your shell and your terminal, and without these rules. `/allow` and `/safemode` \
           decide which commands may run. There is no shell: a `|` passes output on, and `>`, `&&` and `$` are refused \
           outside quotes.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for RunCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if arguments.is_empty() {
            return Err(INFO.misused("the command is missing"));
        }
        session.shell(arguments).await
    }
}
