//! `/security`: all rules.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session, policy};

pub(crate) struct Security;

const ABOUT: About = About {
    name: "security",
    aliases: &[],
    arguments: "",
    summary: "Show all rules for tools and commands",
    help: "With the file and the line in which each stands.",
    takes: Takes::Nothing,
};

#[async_trait]
impl Command for Security {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        let audit = session.audit_file();
        let page = policy::page(&session.context.settings, session.tools.workspace.policy(), audit);
        session.say(page.trim_end());
        Ok(())
    }
}
