//! `/git`: runs git commands that only read.

use async_trait::async_trait;
use serde_json::json;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

/// The subcommands that change nothing.
const SUBCOMMANDS: [&str; 5] = ["status", "diff", "log", "show", "blame"];

pub(in crate::command) struct GitCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Shell,
    name: "git",
    aliases: &[],
    arguments: "status | diff | log | show | blame [ARGUMENTS]",
    summary: "Run git, and show its output to the model",
    help: "",
    argument_kind: ArgumentKind::Words(&SUBCOMMANDS),
};

#[async_trait]
impl Command for GitCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (subcommand, rest) = split_word(arguments);
        if !SUBCOMMANDS.contains(&subcommand) {
            let what = if subcommand.is_empty() {
                "the subcommand is missing".to_owned()
            } else {
                format!("`{subcommand}` is not one of these subcommands")
            };
            return Err(INFO.misused(what));
        }
        let call = json!({ "subcommand": subcommand, "arguments": rest });
        session.show_call("git", &call, &format!("I ran: git {arguments}")).await
    }
}
