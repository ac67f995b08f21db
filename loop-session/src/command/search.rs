//! `/search`: lines of files that match.

use async_trait::async_trait;
use serde_json::json;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Search;

const ABOUT: About = About {
    name: "search",
    aliases: &[],
    arguments: "PATTERN [PATH]",
    summary: "Search files, and tell the model what was found",
    help: "The pattern is a regular expression; one with spaces stands in quotes.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for Search {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = ABOUT.words(arguments)?;
        let (pattern, path) = match &words[..] {
            [pattern] => (pattern, "."),
            [pattern, path] => (pattern, path.as_str()),
            [] => return Err(ABOUT.misused("what is to be searched for is missing")),
            _ => return Err(ABOUT.misused("these are too many words: put a pattern with spaces in quotes")),
        };
        let call = json!({ "pattern": pattern, "path": path });
        session.show_call("search_files", &call, &format!("I searched {path} for {pattern}")).await
    }
}
