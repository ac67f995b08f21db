//! `/context`: shows what fills the window, and manages text that the model always sees.

use async_trait::async_trait;
use loop_agents::chat::ContextParts;
use loop_telemetry::words;

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, session::UNKNOWN_WINDOW,
    split_word,
};

pub(in crate::command) struct ContextCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "context",
    aliases: &[],
    arguments: "[show | add TEXT | clear]",
    summary: "Show what fills the context, or pin text",
    help: "Without an argument, the command lists what the next request contains, in estimated tokens. `show` shows the \
           pinned text. Pinned context survives `/clear` and `/summarize`.",
    argument_kind: ArgumentKind::Words(&["show", "add", "clear"]),
};

#[async_trait]
impl Command for ContextCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match split_word(arguments) {
            ("", "") => session.say(&table(session)),
            ("show", "") => {
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

/// Lists the parts of the next request, and the window.
fn table(session: &Session) -> String {
    let chat = &session.dialogue.chat;
    let parts = chat.context_parts();
    let ContextParts { system, pinned, messages, tools, .. } = parts;
    let rows = [
        ("system prompt", system),
        ("pinned", pinned),
        ("messages", messages),
        ("tools", tools),
        ("in all", parts.total()),
    ];
    let row = |(name, tokens): (&str, u64)| format!("  {name:<14} {:>9} tokens", words::grouped(tokens));
    let mut lines: Vec<_> = rows.into_iter().map(row).collect();
    lines.push(match chat.measure().window {
        Some(window) => row(("window", window)),
        None => format!("  {:<14}  {UNKNOWN_WINDOW}", "window"),
    });
    lines.join("\n")
}
