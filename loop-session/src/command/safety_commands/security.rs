//! `/security`: shows all rules.

use async_trait::async_trait;

use loop_manifest::model::command_sandbox;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, policy};

pub(in crate::command) struct SecurityCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "security",
    aliases: &[],
    arguments: "",
    summary: "Show all rules for tools and commands",
    help: "Each rule comes with its file and line.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for SecurityCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        let audit = session.audit_file();
        let page = policy::page(
            &session.context.settings,
            session.tools.workspace.policy(),
            &command_sandbox(&session.context.execution),
            audit,
        );
        session.say(page.trim_end());
        Ok(())
    }
}
