//! `/summarize`: replaces the conversation with a summary.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Summarize;

const ABOUT: About = About {
    name: "summarize",
    aliases: &["compact"],
    arguments: "",
    summary: "Replace the conversation with a summary",
    help: "Pinned context stays. At 80 % of the context this happens automatically, and the last messages stay \
           unchanged.",
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
