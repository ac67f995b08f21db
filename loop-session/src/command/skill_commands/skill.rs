//! `/skill`: shows skills, and puts their instructions into the conversation.

use async_trait::async_trait;
use loop_agents::skills::{Skill, Skills};
use loop_manifest::closest;

use super::{show_loaded, show_status};
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, skills, split_word};

pub(in crate::command) struct SkillCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "skill",
    aliases: &["skills"],
    arguments: "list | info NAME | load NAME | unload NAME | status | run NAME [KEY=VALUE]... [TEXT]",
    summary: "Give the model the instructions of a skill",
    help: "A skill is a folder with a `SKILL.md` in `.agents/skills`, `agents/skills` or `.claude/skills`, or in `skills` \
           beside your settings. The model sees a list of them, and reads one with the tool `load_skill`. A prompt that you \
           type and that matches the `trigger` of a skill goes with its instructions; repeated and scheduled prompts do \
           not. `load` puts the instructions into the conversation, and `unload` removes them. `run` sends one prompt \
           with them; `KEY=VALUE` fills `{{KEY}}`. `allowed-tools` narrows the tools of the model during that turn. It \
           never allows anything that the rules forbid. If the skill has a script `scripts/compiled.bash` whose first \
           lines contain the digest of its `SKILL.md`, `run` shows the script, and runs it after a `yes`. The yes holds \
           for this text until the session ends. Repeated and scheduled lines never ask.",
    argument_kind: ArgumentKind::Words(&["list", "info", "load", "unload", "status", "run"]),
};

#[async_trait]
impl Command for SkillCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let found = session.find_skills().await?;
        let (word, rest) = split_word(arguments);
        let (name, text) = split_word(rest);
        match (word, name, text) {
            ("list" | "", "", "") => {
                session.say(&session.host().printable(&skills::list(&found)));
                found
                    .warnings()
                    .iter()
                    .for_each(|warning| session.warn(&session.host().one_line(&warning.to_string())));
            }
            ("status", "", "") => show_status(session),
            ("info" | "show" | "load" | "unload" | "run", "", _) => {
                return Err(INFO.misused("the name of the skill is missing"));
            }
            ("info" | "show", name, "") => {
                let page = skills::page(known(&found, name)?, &found)?;
                session.say(&session.host().printable(&page));
            }
            ("load", name, "") => {
                let new = session.load_skills(&[known(&found, name)?], &[])?;
                show_loaded(session, &new);
            }
            ("unload", name, "") => {
                if !session.unload_skill(name) {
                    return Err(InputError::refused(format!("the skill `{name}` is not loaded")));
                }
                session.say(&session.host().one_line(&format!("unloaded {name}")));
            }
            ("run", name, text) => {
                let skill = known(&found, name)?;
                let (values, text) = values(text);
                return session.run_skill(skill, &values, text).await;
            }
            _ => return Err(INFO.misused(format!("`{arguments}` is not understood"))),
        }
        Ok(())
    }
}

fn known<'a>(found: &'a Skills, name: &str) -> Result<&'a Skill, InputError> {
    found.find(name).ok_or_else(|| {
        let meant = closest(name, found.all(), |skill| skill.name());
        let meant = meant.map(|skill| format!(" (did you mean `{}`?)", skill.name())).unwrap_or_default();
        InputError::refused(format!("there is no skill `{name}`{meant}; `/skill list` lists them"))
    })
}

/// Splits the values of variables from the text after them.
fn values(text: &str) -> (Vec<(String, String)>, &str) {
    let (mut values, mut rest) = (Vec::new(), text);
    loop {
        let (word, after) = split_word(rest);
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| is_name(name)) else {
            return (values, rest);
        };
        values.push((name.to_owned(), value.to_owned()));
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_before_the_text() {
        let (filled, text) = values("WHO=Ann N=1=2  write to her a=b");
        let filled: Vec<_> = filled.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!((filled, text), (vec![("WHO", "Ann"), ("N", "1=2")], "write to her a=b"));
        assert_eq!(values("a+b=c").1, "a+b=c");
    }
}
