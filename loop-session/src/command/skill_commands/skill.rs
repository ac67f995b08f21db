//! `/skill`: shows skills, and puts their instructions into the conversation.

use async_trait::async_trait;
use loop_agents::skills::{NewSkill, Skill, Skills, checked};
use loop_manifest::closest;

use super::{show_loaded, show_status};
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, skills, split_word};

pub(in crate::command) struct SkillCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "skill",
    aliases: &["skills"],
    arguments: "list | info NAME | load NAME | unload NAME | status | run NAME [KEY=VALUE]... [TEXT] | \
                new NAME --description TEXT [--trigger TEXT] [--compatibility TEXT] | suggest [SESSION] | \
                compile NAME | check [NAME] [--strict] | agreed | withdraw NAME",
    summary: "Give the model the instructions of a skill",
    help: "A skill is a folder with a `SKILL.md` in `.agents/skills`, `agents/skills` or `.claude/skills`, or in `skills` \
           beside your settings. The model sees a list of them, and reads one with the tool `load_skill`. A prompt that you \
           type and that matches the `trigger` of a skill goes with its instructions; repeated and scheduled prompts do \
           not. `load` puts the instructions into the conversation, and `unload` removes them. `run` sends one prompt \
           with them; `KEY=VALUE` fills `{{KEY}}`. `allowed-tools` narrows the tools of the model during that turn. It \
           never allows anything that the rules forbid. If the skill has a script `scripts/compiled.bash` whose first \
           lines contain the digest of its `SKILL.md`, `run` shows the script, and runs it after a `yes`. The yes is kept \
           for this text in this folder: `agreed` lists these scripts, and `withdraw` makes those of a skill ask again. \
           Repeated and scheduled lines never ask. If the script does not run, the model does the work. `compile` asks the \
           model for the script, and writes it after a `yes`. A skill with a script is also `/NAME`. `new` writes a \
           skill into `.agents/skills`. `suggest` shows at most 3 skills that the model proposes after it read the \
           conversation, or a stored session, and writes none. `check` reports what is wrong with skills.",
    argument_kind: ArgumentKind::Words(&[
        "list", "info", "load", "unload", "status", "run", "new", "suggest", "compile", "check", "agreed",
        "withdraw",
    ]),
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
            ("check", _, _) => check(&found, rest, session)?,
            ("suggest", session_id, "") => return session.suggest_skills(session_id).await,
            ("agreed", "", "") => {
                let rows: Vec<_> =
                    session.tools.agreed_scripts.all()?.iter().map(ToString::to_string).collect();
                let none = "you agreed to no script in this folder";
                let text = if rows.is_empty() { none.to_owned() } else { rows.join("\n") };
                session.say(&session.host().printable(&text));
            }
            ("info" | "show" | "load" | "unload" | "run" | "new" | "compile" | "withdraw", "", _) => {
                return Err(INFO.misused("the name of the skill is missing"));
            }
            ("info" | "show", name, "") => {
                let page = skills::page(known(&found, name)?, &found)?;
                session.say(&session.host().printable(&page));
            }
            ("new", name, options) => {
                session.expect_person("only a person writes skills")?;
                let skill = new_skill(name, options).map_err(|problem| INFO.misused(problem))?;
                let path = skill.write(&session.tools.workspace)?;
                session.say(&session.host().one_line(&format!("wrote {path}: add the instructions to it")));
            }
            ("compile", name, "") => return session.compile_skill(known(&found, name)?).await,
            ("withdraw", name, "") => withdraw(name, session)?,
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

/// Reports what is wrong with one skill, or with all of them.
fn check(found: &Skills, arguments: &str, session: &Session) -> Result<(), InputError> {
    let words: Vec<_> = arguments.split_whitespace().collect();
    let (is_strict, folders) = match words.as_slice() {
        [] => (false, Vec::new()),
        ["--strict"] => (true, Vec::new()),
        [name] => (false, vec![known(found, name)?.path()]),
        [name, "--strict"] | ["--strict", name] => (true, vec![known(found, name)?.path()]),
        _ => return Err(INFO.misused(format!("`check {arguments}` is not understood"))),
    };
    let rows: Vec<_> = checked(found, &folders, is_strict).iter().map(ToString::to_string).collect();
    let text = if rows.is_empty() { "there are no skills to check".to_owned() } else { rows.join("\n") };
    session.say(&session.host().printable(&text));
    Ok(())
}

fn known<'a>(found: &'a Skills, name: &str) -> Result<&'a Skill, InputError> {
    found.find(name).ok_or_else(|| {
        let meant = closest(name, found.all(), |skill| skill.name());
        let meant = meant.map(|skill| format!(" (did you mean `{}`?)", skill.name())).unwrap_or_default();
        InputError::refused(format!("there is no skill `{name}`{meant}; `/skill list` lists them"))
    })
}

fn withdraw(name: &str, session: &Session) -> Result<(), InputError> {
    let withdrawn = session.tools.agreed_scripts.withdraw(name)?;
    if withdrawn.is_empty() {
        let problem = format!("you agreed to no script of `{name}`; `/skill agreed` lists them");
        return Err(InputError::refused(problem));
    }
    let rows: Vec<_> = withdrawn.iter().map(|script| format!("withdrawn: {script}")).collect();
    session.say(&session.host().printable(&rows.join("\n")));
    Ok(())
}

/// Reads the options of a new skill.
fn new_skill(name: &str, options: &str) -> Result<NewSkill, String> {
    let words = shlex::split(options).ok_or_else(|| "a quote is not closed".to_owned())?;
    let (mut fields, mut words) = ([const { String::new() }; 3], words.into_iter());
    while let Some(word) = words.next() {
        let field = ["--description", "--trigger", "--compatibility"].iter().position(|field| *field == word);
        let field = field.ok_or_else(|| format!("`{word}` is not understood"))?;
        fields[field] = words.next().ok_or_else(|| format!("`{word}` has no text"))?;
    }
    let [description, trigger, compatibility] = &fields;
    NewSkill::new(name, description, trigger, compatibility).map_err(|error| error.to_string())
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
