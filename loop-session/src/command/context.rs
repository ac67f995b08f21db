//! `/context`: what the model always sees.

use crate::word;
use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Context;

const ABOUT: About = About {
    name: "context",
    aliases: &[],
    arguments: "show | add TEXT | clear",
    summary: "Pin text that the model always sees",
    help: "Pinned context survives `/clear` and `/summarize`.",
    takes: Takes::Words(&["show", "add", "clear"]),
};

#[async_trait]
impl Command for Context {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match word(arguments) {
            ("" | "show", "") => {
                let pinned = session.dialogue.chat.pinned();
                let text = if pinned.is_empty() {
                    "nothing is pinned".to_owned()
                } else {
                    session.host().printable(&pinned.join("\n\n"))
                };
                session.say(&text);
            }
            ("add", "") => return Err(ABOUT.misused("what is to be pinned is missing")),
            ("add", text) if session.dialogue.chat.pinned().iter().any(|pinned| pinned == text) => {
                session.say("it is pinned already");
            }
            ("add", text) => {
                session.pin(text);
                session.say("pinned");
            }
            ("clear", "") => {
                session.unpin();
                session.say("nothing is pinned any more");
            }
            _ => return Err(ABOUT.misused(format!("`{arguments}` is not known"))),
        }
        Ok(())
    }
}
