//! `/model`: shows or changes the model.

use async_trait::async_trait;
use loop_manifest::model::Model as Answering;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct ModelCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "model",
    aliases: &[],
    arguments: "[show | list | use NAME]",
    summary: "Show or change the model",
    help: "A name is one of `[models]` in the settings, one that implies its vendor (`claude-sonnet-4-5`), or one with \
           the vendor in front (`ollama:qwen3`). The conversation stays. `@NAME TEXT` asks another model once.",
    argument_kind: ArgumentKind::Models,
};

#[async_trait]
impl Command for ModelCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        match split_word(arguments) {
            ("" | "show", "") => {
                session.say(&format!("{} answers; {}", session.model_name(), session.context_fill()));
            }
            ("list", "") => {
                let names = session.all_models().await?;
                session.say(
                    &session
                        .host()
                        .printable(&list(names, session.dialogue.model.as_ref().map(Answering::asked))),
                );
            }
            ("use", "") => return Err(INFO.misused("the model is missing")),
            ("use", name) => {
                session.use_model(name)?;
                session.say(&format!("{} answers from now on", session.model_name()));
            }
            _ => return Err(INFO.misused(format!("`{arguments}` is not known"))),
        }
        Ok(())
    }
}

/// Lists the known models and marks the current one. The current model is always in the list, however it was chosen.
fn list(mut names: Vec<String>, answers: Option<&str>) -> String {
    if let Some(model) = answers.filter(|model| !names.iter().any(|name| name == model)) {
        names.insert(0, model.to_owned());
    }
    if names.is_empty() {
        return "no models are known: name one in the settings, or start Ollama".to_owned();
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
