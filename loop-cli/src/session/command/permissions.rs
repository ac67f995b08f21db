//! `/permissions`: which paths may be used.

use async_trait::async_trait;
use loop_guardrails::policy::Verb;

use super::{About, Command, Takes};
use crate::{command::policy, session::Session};

pub(super) struct Permissions;

const ABOUT: About = About {
    name: "permissions",
    aliases: &[],
    arguments: "[read | write | exec | delete] [PATH]",
    summary: "Say which paths may be used, or whether one may",
    help: "They are set in settings: `[policy.permissions]` in a loop.toml.",
    takes: Takes::Words(&["read", "write", "exec", "delete"]),
};

#[async_trait]
impl Command for Permissions {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> anyhow::Result<()> {
        let workspace = &session.tools.workspace;
        let words = ABOUT.words(arguments)?;
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let text = match words[..] {
            [] => policy::rules_on(workspace.policy(), "permissions"),
            [word] if verb(word).is_none() => {
                policy::explained(word, &workspace.explain_path(word, Verb::Read))
            }
            [word, path] => match verb(word) {
                Some(verb) => policy::explained(path, &workspace.explain_path(path, verb)),
                None => return Err(ABOUT.misused(format!("`{word}` is not known"))),
            },
            _ => return Err(ABOUT.misused("the path is missing")),
        };
        session.say(text.trim_end());
        Ok(())
    }
}

fn verb(word: &str) -> Option<Verb> {
    [Verb::Read, Verb::Write, Verb::Exec, Verb::Delete].into_iter().find(|verb| verb.as_str() == word)
}
