//! `/files`: list a folder.

use async_trait::async_trait;
use serde_json::json;

use super::{About, Command, Takes, folder::or_here};
use crate::{InputError, Session};

pub(crate) struct Files;

const ABOUT: About = About {
    name: "files",
    aliases: &[],
    arguments: "[PATH]",
    summary: "List a folder",
    help: "",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for Files {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        session
            .show_call(
                "list_files",
                &json!({ "path": arguments }),
                &format!("I listed {}", or_here(arguments)),
            )
            .await
    }
}
