//! `/skill-set`: loads skills that belong together.

use async_trait::async_trait;
use loop_agents::skills::{Skill, SkillSet, Skills};

use super::{show_loaded, show_status};
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct SkillSetCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "skill-set",
    aliases: &[],
    arguments: "list | info NAME | load NAME | unload NAME | status",
    summary: "Give the model the instructions of several skills",
    help: "A set is a file `skill-sets/NAME.yaml` beside the folder of skills, with `name`, `description` and `skills`, the \
           names of its skills. A set that would fill half of the window of the model gets a warning, and one that would \
           fill all of it is refused.",
    argument_kind: ArgumentKind::Words(&["list", "info", "load", "unload", "status"]),
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
                let row = |set: &SkillSet| format!("{}  {}\n", set.name(), set.description());
                let rows: String = found.sets().map(row).collect();
                let none = "there are no sets: a set is a file `.agents/skill-sets/NAME.yaml`";
                session.say(&session.host().printable(if rows.is_empty() { none } else { &rows }));
            }
            ("status", "") => show_status(session),
            ("info" | "load" | "unload", "") => return Err(INFO.misused("the name of the set is missing")),
            ("info" | "show", name) => {
                let set = known(&found, name)?;
                let page = format!("{}  {}\n  {}", set.name(), set.description(), set.skills().join(", "));
                session.say(&session.host().printable(&page));
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
