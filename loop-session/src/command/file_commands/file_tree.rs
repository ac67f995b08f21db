//! `/file-tree`: shows a folder and its subfolders.

use async_trait::async_trait;
use serde_json::json;

use super::folder_arguments::{depth, or_here};
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct FileTreeCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "file-tree",
    aliases: &[],
    arguments: "[PATH] [--depth N]",
    summary: "Show a folder with its subfolders",
    help: "Goes four levels deep unless you give `--depth`.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for FileTreeCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (path, depth) = depth(&INFO, arguments)?;
        let mut call = json!({ "path": path });
        if let Some(depth) = depth {
            call["depth"] = depth.get().into();
        }
        session.show_call("file_tree", &call, &format!("I listed {} with its folders", or_here(&path))).await
    }
}
