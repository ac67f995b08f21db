//! `/git`: what git says.

use crate::word;
use async_trait::async_trait;
use serde_json::json;

use super::{About, Command, Takes};
use crate::{InputError, Session};

/// What changes nothing.
const SUBCOMMANDS: [&str; 5] = ["status", "diff", "log", "show", "blame"];

pub(crate) struct Git;

const ABOUT: About = About {
    name: "git",
    aliases: &[],
    arguments: "status | diff | log | show | blame [ARGUMENTS]",
    summary: "Ask git, and tell the model what it said",
    help: "",
    takes: Takes::Words(&SUBCOMMANDS),
};

#[async_trait]
impl Command for Git {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (subcommand, rest) = word(arguments);
        if !SUBCOMMANDS.contains(&subcommand) {
            let what = if subcommand.is_empty() {
                "what to ask is missing".to_owned()
            } else {
                format!("`{subcommand}` is none of what can be asked")
            };
            return Err(ABOUT.misused(what));
        }
        let call = json!({ "subcommand": subcommand, "arguments": rest });
        session.show_call("git", &call, &format!("I ran: git {arguments}")).await
    }
}
