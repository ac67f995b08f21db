//! `/skill-set`: loads skills that belong together.

use async_trait::async_trait;
use loop_agents::skills::{Skill, SkillSet, Skills};
use loop_guardrails::policy::workspace::Workspace;

use super::{show_loaded, show_status};
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, skills, split_word};

pub(in crate::command) struct SkillSetCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "skill-set",
    aliases: &[],
    arguments: "list | info NAME | load NAME | unload NAME | status | create NAME SKILL...",
    summary: "Give the model the instructions of several skills",
    help: "A set is a file `skill-sets/NAME.yaml` beside the folder of skills, with `name`, `description` and `skills`, the \
           names of its skills. A set that would fill half of the window of the model gets a warning, and one that would \
           fill all of it is refused. `create` writes a set into `.agents/skill-sets`.",
    argument_kind: ArgumentKind::Words(&["list", "info", "load", "unload", "status", "create"]),
};

#[async_trait]
impl Command for SkillSetCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let found = session.find_skills().await?;
        let (word, name) = split_word(arguments);
        match (word, name) {
            ("list" | "", "") => {
                session.say(&session.host().printable(&skills::list_of_sets(&found)));
            }
            ("status", "") => show_status(session),
            ("create", words) => {
                session.expect_person("only a person writes sets of skills")?;
                let mut words = words.split_whitespace().map(str::to_owned);
                let name = words.next().ok_or_else(|| INFO.misused("the name of the set is missing"))?;
                let said = create(&found, &name, &words.collect::<Vec<_>>(), &session.tools.workspace)?;
                session.say(&session.host().one_line(&said));
            }
            ("info" | "load" | "unload", "") => return Err(INFO.misused("the name of the set is missing")),
            ("info" | "show", name) => {
                session.say(&session.host().printable(&skills::page_of_set(known(&found, name)?)));
            }
            ("load", name) => {
                let new = session.load_skills(&skills_of(&found, known(&found, name)?)?, &[])?;
                show_loaded(session, &new);
            }
            ("unload", name) => {
                let set = known(&found, name)?;
                let removed = set.skills().iter().filter(|skill| session.unload_skill(skill)).count();
                if removed == 0 {
                    return Err(InputError::refused(format!("no skill of the set `{name}` is loaded")));
                }
                session.say(&session.host().one_line(&format!("unloaded {}", set.skills().join(", "))));
            }
            _ => return Err(INFO.misused(format!("`{arguments}` is not understood"))),
        }
        Ok(())
    }
}

/// Writes a set of skills that exist, and returns what was done.
///
/// # Errors
/// A skill does not exist or is named twice, or the set exists already.
pub fn create(
    found: &Skills,
    name: &str,
    skills: &[String],
    workspace: &Workspace,
) -> Result<String, InputError> {
    if found.set(name).is_some() {
        return Err(InputError::refused(format!("there is a set `{name}` already")));
    }
    let set = SkillSet::new(name, "", skills).map_err(InputError::refused)?;
    skills_of(found, &set)?;
    Ok(format!("wrote {}", set.write(workspace)?))
}

fn known<'a>(found: &'a Skills, name: &str) -> Result<&'a SkillSet, InputError> {
    let problem = || format!("there is no set `{name}`; `/skill-set list` lists them");
    found.set(name).ok_or_else(|| InputError::refused(problem()))
}

fn skills_of<'a>(found: &'a Skills, set: &SkillSet) -> Result<Vec<&'a Skill>, InputError> {
    let skill = |name: &String| {
        let problem = || format!("the set `{}` names the skill `{name}`, which does not exist", set.name());
        found.find(name).ok_or_else(|| InputError::refused(problem()))
    };
    set.skills().iter().map(skill).collect()
}
