//! `/model`: who answers.

use crate::word;
use async_trait::async_trait;
use loop_manifest::model::Model as Answering;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Model;

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

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match word(arguments) {
            ("" | "show", "") => {
                session.say(&format!("{} answers; {}", session.model_name(), session.measured()));
            }
            ("list", "") => {
                let names = session.all_models().await?;
                session.say(
                    &session
                        .host()
                        .printable(&list(names, session.dialogue.model.as_ref().map(Answering::asked))),
                );
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

/// The models that are known, with a word at the one that answers. That one is known, whoever named it.
fn list(mut names: Vec<String>, answers: Option<&str>) -> String {
    if let Some(model) = answers.filter(|model| !names.iter().any(|name| name == model)) {
        names.insert(0, model.to_owned());
    }
    if names.is_empty() {
        return "no models are known: name one in settings, or start Ollama".to_owned();
    }
    let line = |name: String| if answers == Some(&*name) { format!("{name}  (answers now)") } else { name };
    names.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_that_answers_is_in_the_list() {
        let names = || vec!["box".to_owned(), "ollama:qwen3".to_owned()];
        assert_eq!(list(names(), None), "box\nollama:qwen3");
        assert_eq!(list(names(), Some("box")), "box  (answers now)\nollama:qwen3");
        assert_eq!(list(names(), Some("openai:gpt-5")), "openai:gpt-5  (answers now)\nbox\nollama:qwen3");
        assert_eq!(list(Vec::new(), Some("box")), "box  (answers now)");
        assert!(list(Vec::new(), None).starts_with("no models are known"));
    }
}
