//! `/model` and `/models`: show, list or change the model.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct ModelCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "model",
    aliases: &[],
    arguments: "[show | list | [use] NAME]",
    summary: "Show or change the model",
    help: "`/models` also lists them. A name is one of `[models]` in the settings, one that implies its vendor (`claude-sonnet-4-5`), or one with \
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
            ("list", "") => show_list(session).await?,
            ("use", "") => return Err(INFO.misused("the model is missing")),
            ("use", name) | (name, "") => {
                session.use_model(name)?;
                session.say(&format!("{} answers from now on", session.model_name()));
            }
            _ => return Err(INFO.misused(format!("`{arguments}` is not known"))),
        }
        Ok(())
    }
}

pub(in crate::command) struct ModelsCommand;

const LIST: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "models",
    aliases: &[],
    arguments: "",
    summary: "List the models",
    help: "These are the models of the settings, and those of the servers that respond. `/model NAME` changes the model.",
    argument_kind: ArgumentKind::Nothing,
};

#[async_trait]
impl Command for ModelsCommand {
    fn info(&self) -> &'static CommandInfo {
        &LIST
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        show_list(session).await
    }
}

async fn show_list(session: &mut Session) -> Result<(), InputError> {
    let names = session.all_models().await?;
    let answers = session.dialogue.model.as_ref().map(|model| (model.asked(), model.id()));
    session.say(&session.host().printable(&list(names, answers)));
    Ok(())
}

/// Lists the known models once each, and marks the current one, which has the name by which it was chosen and the name
/// that its server gives it. It is always in the list, however it was chosen.
fn list(names: Vec<String>, answers: Option<(&str, &str)>) -> String {
    let mut listed: Vec<String> = Vec::new();
    for name in names {
        if !listed.contains(&name) {
            listed.push(name);
        }
    }
    let current = answers.map(|(asked, id)| {
        let found = [asked, id].into_iter().find_map(|name| listed.iter().position(|listed| listed == name));
        found.unwrap_or_else(|| {
            listed.insert(0, asked.to_owned());
            0
        })
    });
    if listed.is_empty() {
        return "no models are known: name one in the settings, or start Ollama".to_owned();
    }
    let line = |(at, name)| if current == Some(at) { format!("{name}  (answers now)") } else { name };
    listed.into_iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_is_in_the_list_once_and_the_one_that_answers_is_marked() {
        let names = || ["box", "ollama:qwen3", "gpt-5", "box"].map(str::to_owned).to_vec();
        assert_eq!(list(names(), None), "box\nollama:qwen3\ngpt-5");
        assert_eq!(list(names(), Some(("box", "gpt-5"))), "box  (answers now)\nollama:qwen3\ngpt-5");
        let other = list(names(), Some(("openai:o3", "o3")));
        assert_eq!(other, "openai:o3  (answers now)\nbox\nollama:qwen3\ngpt-5");
        // The server calls it by its bare name.
        let own = list(names(), Some(("openai:gpt-5", "gpt-5")));
        assert_eq!(own, "box\nollama:qwen3\ngpt-5  (answers now)");
        assert_eq!(list(Vec::new(), Some(("box", "x"))), "box  (answers now)");
        assert!(list(Vec::new(), None).starts_with("no models are known"));
    }
}
