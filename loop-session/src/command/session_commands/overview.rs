//! `/hint` and `/workspace`: what to do next, and what is stored for the folder.

use async_trait::async_trait;
use loop_telemetry::StateDir;

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session,
    overview::{SessionFacts, WorkspaceStatus, hint_page, hints},
};

pub(in crate::command) struct HintCommand;
pub(in crate::command) struct WorkspaceCommand;

const HINT: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "hint",
    aliases: &["hints"],
    arguments: "",
    summary: "Suggest what to do next",
    help: "Lists at most 5 possible actions with their commands, the most useful first.",
    argument_kind: ArgumentKind::Nothing,
};

const WORKSPACE: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "workspace",
    aliases: &[],
    arguments: "[status]",
    summary: "Show the folder, its branch, and the data stored for it",
    help: "",
    argument_kind: ArgumentKind::Words(&["status"]),
};

#[async_trait]
impl Command for HintCommand {
    fn info(&self) -> &'static CommandInfo {
        &HINT
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        let (known, state) = (session.knowledge()?, state(session)?);
        let facts = SessionFacts {
            id: session.log.id(),
            lacks_window: session.dialogue.model.is_some() && session.context_window().is_none(),
            is_unsafe: session.is_unsafe(),
        };
        session.say(&session.host().printable(&hint_page(&hints(&known, &state, Some(facts)))));
        Ok(())
    }
}

#[async_trait]
impl Command for WorkspaceCommand {
    fn info(&self) -> &'static CommandInfo {
        &WORKSPACE
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if !matches!(arguments, "" | "status") {
            return Err(WORKSPACE.misused(format!("`{arguments}` is not known")));
        }
        let status = WorkspaceStatus::read(&session.knowledge()?, &state(session)?);
        session.say(&session.host().printable(&status.to_string()));
        Ok(())
    }
}

fn state(session: &Session) -> Result<StateDir, InputError> {
    let execution = &session.context.execution;
    Ok(StateDir::from_env_with(|name| execution.variable(name))
        .map_err(crate::knowledge::KnowledgeError::from)?)
}
