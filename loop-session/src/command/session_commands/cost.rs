//! `/cost`: shows what the session has used.

use async_trait::async_trait;

use loop_telemetry::words;

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session,
    session::{at_least, money},
};

pub(in crate::command) struct CostCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "cost",
    aliases: &[],
    arguments: "",
    summary: "Show the tokens and the cost of the session",
    help: "Counts turns, summaries and questions to other models, also those before a `--resume`. A figure that no server \
           reported is unknown, and not zero.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for CostCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        let usage = &session.dialogue.usage;
        let tokens = |count: Option<u64>| {
            let shown = |count| format!("{}{}", at_least(usage), words::grouped(count));
            count.map_or_else(|| "unknown".to_owned(), shown)
        };
        let rows = [
            ("turns", session.dialogue.turns.to_string()),
            ("tokens read", tokens(usage.input_tokens)),
            ("tokens written", tokens(usage.output_tokens)),
            ("cost", usage.cost.map_or_else(|| "unknown".to_owned(), money)),
        ];
        let lines: Vec<_> = rows.iter().map(|(what, is)| format!("  {what:<15} {is}")).collect();
        session.say(&lines.join("\n"));
        Ok(())
    }
}
