//! `/inspect`: shows the facts about models.

use async_trait::async_trait;
use loop_manifest::model::{self, Model, models_table};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct InspectCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "inspect",
    aliases: &[],
    arguments: "[MODEL] [--refresh]",
    summary: "Show the facts about models, with their sources",
    help: "Without a model, the command lists all known models. `loop` keeps what a server reports for a day; \
           `--refresh` asks it again.",
    argument_kind: ArgumentKind::Models,
};

#[async_trait]
impl Command for InspectCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (name, refresh) = match split_word(arguments) {
            ("--refresh", rest) => (rest, true),
            (name, "--refresh") => (name, true),
            (name, "") => (name, false),
            _ => return Err(INFO.misused(format!("`{arguments}` names more than one model"))),
        };
        let (settings, execution) = (&session.context.settings, &session.context.execution);
        let text = if name.is_empty() {
            models_table(&model::available(settings, execution, refresh)?)
        } else {
            let model = Model::choose(Some(name), settings, execution.variables())?;
            model.learn(execution, refresh).entry().lines()
        };
        session.say(&session.host().printable(&text));
        Ok(())
    }
}
