//! `/model`: who answers.

use async_trait::async_trait;

use super::{About, Command, Takes};
use crate::{
    session::{Session, input::word},
    view::text,
};

pub(super) struct Model;

const ABOUT: About = About {
    name: "model",
    aliases: &[],
    arguments: "[show | list | use NAME]",
    summary: "Say who answers, or let somebody else",
    help: "A name is one of `[models]` in settings, one that tells its vendor (`claude-sonnet-4-5`), or one with its \
           vendor in front (`ollama:qwen3`). What was said stays. `@NAME TEXT` asks another model once.",
    takes: Takes::Models,
};

#[async_trait]
impl Command for Model {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> anyhow::Result<()> {
        match word(arguments) {
            ("" | "show", "") => {
                session.say(&format!("{} answers; {}", session.model_name(), session.measured()));
            }
            ("list", "") => {
                let names = session.all_models().await?;
                let text = if names.is_empty() {
                    "no models are known: name one in settings, or start Ollama".to_owned()
                } else {
                    names.join("\n")
                };
                session.say(&text::printable(&text));
            }
            ("use", "") => return Err(ABOUT.misused("the model is missing")),
            ("use", name) => {
                session.use_model(name)?;
                session.say(&format!("{} answers from now on", session.model_name()));
            }
            _ => return Err(ABOUT.misused(format!("`{arguments}` is not known"))),
        }
        Ok(())
    }
}
