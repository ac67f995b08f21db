//! `/context`: manages text that the model always sees.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct ContextCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "context",
    aliases: &[],
    arguments: "show | add TEXT | clear",
    summary: "Pin text that the model always sees",
    help: "Pinned context survives `/clear` and `/summarize`.",
    argument_kind: ArgumentKind::Words(&["show", "add", "clear"]),
};

#[async_trait]
impl Command for ContextCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match split_word(arguments) {
            ("" | "show", "") => {
                let pinned = session.dialogue.chat.pinned();
                let text = if pinned.is_empty() {
                    "nothing is pinned".to_owned()
                } else {
                    session.host().printable(&pinned.join("\n\n"))
                };
                session.say(&text);
            }
            ("add", "") => return Err(INFO.misused("the text to pin is missing")),
            ("add", text) if session.dialogue.chat.pinned().iter().any(|pinned| pinned == text) => {
                session.say("it is already pinned");
            }
            ("add", text) => {
                session.pin(text);
                session.say("pinned");
            }
            ("clear", "") => {
                session.unpin();
                session.say("nothing is pinned any more");
            }
            _ => return Err(INFO.misused(format!("`{arguments}` is not known"))),
        }
        Ok(())
    }
}
