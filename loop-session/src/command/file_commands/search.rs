//! `/search`: finds matching lines in files.

use async_trait::async_trait;
use serde_json::json;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct SearchCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "search",
    aliases: &[],
    arguments: "PATTERN [PATH]",
    summary: "Search files, and show the matches to the model",
    help: "The pattern is a regular expression. Put one with spaces in quotes.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for SearchCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let (pattern, path) = match &words[..] {
            [pattern] => (pattern, "."),
            [pattern, path] => (pattern, path.as_str()),
            [] => return Err(INFO.misused("the pattern is missing")),
            _ => return Err(INFO.misused("too many words: put a pattern with spaces in quotes")),
        };
        let call = json!({ "pattern": pattern, "path": path });
        session.show_call("search_files", &call, &format!("I searched {path} for {pattern}")).await
    }
}
