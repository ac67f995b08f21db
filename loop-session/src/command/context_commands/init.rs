//! `/init`: has the model write `AGENTS.md`.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct InitCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "init",
    aliases: &[],
    arguments: "[WISHES]",
    summary: "Have the model write AGENTS.md for this project",
    help: "The model looks at the project first. You see the file before it is written, and type `yes` to allow it. If \
           there is an AGENTS.md, the model improves it.",
    argument_kind: ArgumentKind::Other,
};

/// The prompt. It asks for facts of this project: models tend to fill such a file with general advice.
const PROMPT: &str = "\
Write the file AGENTS.md in the root of this project, for coding agents that will work here. If it exists, read it and \
improve it, and keep what is still true.

Look first: list the files, and read the README, the build files, the configuration of tests and linters, and some \
source files. Then write down only what an agent cannot guess and what you have seen in these files:

- one paragraph about the purpose of the project and its main parts, with their folders;
- the exact commands that build it, run all tests, run a single test, format and lint;
- rules about style, names, errors and tests that the code follows;
- files that must not be edited by hand, and steps that are easy to forget.

Keep it below 80 lines. Leave out general advice, secrets, and anything that you have not checked. Afterwards, say in \
one sentence what you could not find out.";

#[async_trait]
impl Command for InitCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, wishes: &str, session: &mut Session) -> Result<(), InputError> {
        let prompt = match wishes {
            "" => PROMPT.to_owned(),
            wishes => format!("{PROMPT}\n\nThe user adds: {wishes}"),
        };
        session.turn(&prompt).await?;
        // The system prompt contains the file.
        session.rebuild_system_prompt().await;
        Ok(())
    }
}
