//! `/clear`: begin anew.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Clear;

const ABOUT: About = About {
    name: "clear",
    aliases: &[],
    arguments: "",
    summary: "Forget what was said",
    help: "The system prompt and pinned context stay; the transcript keeps all of it.",
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
