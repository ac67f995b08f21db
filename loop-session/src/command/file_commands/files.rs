//! `/files`: lists a folder.

use async_trait::async_trait;
use serde_json::json;

use super::folder_arguments::or_here;
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct FilesCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "files",
    aliases: &[],
    arguments: "[PATH]",
    summary: "List a folder",
    help: "",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for FilesCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        session
            .show_call(
                "list_files",
                &json!({ "path": arguments }),
                &format!("I listed {}", or_here(arguments)),
            )
            .await
    }
}
