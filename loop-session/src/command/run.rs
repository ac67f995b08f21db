//! `/run`: a command.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Run;

const ABOUT: About = About {
    name: "run",
    aliases: &[],
    arguments: "COMMAND",
    summary: "Run a command, and tell the model what it printed",
    help: "`!COMMAND` does the same. What may run says `/safemode`; there is no shell, so `|` and `>` are words like others.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for Run {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if arguments.is_empty() {
            return Err(ABOUT.misused("the command is missing"));
        }
        session.shell(arguments).await
    }
}
