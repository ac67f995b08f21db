//! `/summarize`: the conversation in a few words, to go on with.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Summarize;

const ABOUT: About = About {
    name: "summarize",
    aliases: &["compact"],
    arguments: "",
    summary: "Have what was said put in a few words, and go on",
    help: "Pinned context stays. At 80 % of the context it happens by itself, and the last messages stay as they are.",
    takes: Takes::Nothing,
};

#[async_trait]
impl Command for Summarize {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.summarise(0).await
    }
}
