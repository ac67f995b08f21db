//! `/read`: files for the model.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Read;

const ABOUT: About = About {
    name: "read",
    aliases: &[],
    arguments: "FILE...",
    summary: "Show files to the model",
    help: "Paths with spaces stand in quotes. Secrets, such as `.env`, are not read.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for Read {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let paths = ABOUT.words(arguments)?;
        if paths.is_empty() {
            return Err(ABOUT.misused("the file is missing"));
        }
        for path in paths {
            let read = session.read_for_model(&path).await?;
            session.say(&format!("read {read}"));
        }
        Ok(())
    }
}
