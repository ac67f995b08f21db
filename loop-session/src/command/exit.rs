//! `/exit`: leave.

use async_trait::async_trait;

use super::{About, Command, Repeated, Takes};
use crate::{InputError, Session};

pub(crate) struct Exit;

const ABOUT: About = About {
    name: "exit",
    aliases: &["quit", "bye"],
    arguments: "",
    summary: "Leave the session, which is kept",
    help: "Ctrl+D does the same. While a loop runs, both end the loop, and not the session.",
    takes: Takes::Nothing,
};

#[async_trait]
impl Command for Exit {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn repeated(&self, _: &str) -> Repeated {
        Repeated::End
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.leave();
        Ok(())
    }
}
