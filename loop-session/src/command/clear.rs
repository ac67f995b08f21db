//! `/clear`: clears the conversation.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Clear;

const ABOUT: About = About {
    name: "clear",
    aliases: &[],
    arguments: "",
    summary: "Forget the conversation",
    help: "The system prompt and pinned context stay. The transcript keeps everything.",
    takes: Takes::Nothing,
};

#[async_trait]
impl Command for Clear {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.clear().await;
        session.say("what was said is forgotten");
        Ok(())
    }
}
