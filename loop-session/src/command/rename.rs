//! `/rename`: a name for the session.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Rename;

const ABOUT: About = About {
    name: "rename",
    aliases: &[],
    arguments: "NAME",
    summary: "Give the session a name",
    help: "`/session continue NAME` and `loop chat --resume NAME` find it by that.",
    takes: Takes::Other,
};

#[async_trait]
impl Command for Rename {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if arguments.is_empty() {
            return Err(ABOUT.misused("the name is missing"));
        }
        session.rename(arguments);
        session.say(&format!("this session is called {arguments} now"));
        Ok(())
    }
}
