//! `/undo`, `/redo` and `/rewind`: return the folder to an earlier state.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session};

pub(in crate::command) struct UndoCommand;

const UNDO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "undo",
    aliases: &[],
    arguments: "",
    summary: "Return the files to their state before the last turn",
    help: "It undoes what tools and commands changed in the folder, and also what other programs changed since that turn. \
           The session captures the folder before each prompt and each command, in the state directory. Ignored files, \
           files of more than 50 MB and secret files stay as they are. `/redo` takes it back.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for UndoCommand {
    fn info(&self) -> &'static CommandInfo {
        &UNDO
    }

    fn repeat_effect(&self, _: &str) -> RepeatEffect {
        RepeatEffect::Restores
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.undo().await
    }
}

pub(in crate::command) struct RedoCommand;

const REDO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "redo",
    aliases: &[],
    arguments: "",
    summary: "Take the last /undo or /rewind back",
    help: "It restores everything that an `/undo` or a `/rewind` took back, in one step. A new turn after an `/undo` \
           begins from there: then there is nothing to redo.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for RedoCommand {
    fn info(&self) -> &'static CommandInfo {
        &REDO
    }

    fn repeat_effect(&self, _: &str) -> RepeatEffect {
        RepeatEffect::Restores
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.redo().await
    }
}

pub(in crate::command) struct RewindCommand;

const REWIND: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "rewind",
    aliases: &[],
    arguments: "[N]",
    summary: "Return to the files before turn N, or list the turns",
    help: "Turns are your prompts and commands of this session, from 1. Without N, it lists them. The conversation stays \
           as it is. `/redo` takes it back.",
    argument_kind: ArgumentKind::Other,
};

#[async_trait]
impl Command for RewindCommand {
    fn info(&self) -> &'static CommandInfo {
        &REWIND
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        if arguments.trim().is_empty() { RepeatEffect::Same } else { RepeatEffect::Restores }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if arguments.trim().is_empty() {
            session.list_turns();
            return Ok(());
        }
        let turn = arguments.trim().parse().map_err(|_| REWIND.misused("write the number of a turn"))?;
        session.rewind(turn).await
    }
}
