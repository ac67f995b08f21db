//! Pages that describe skills, and sets of them.

pub use crate::command::create_skill_set as create_set;
use loop_agents::skills::{Skill, SkillError, SkillSet, Skills, Trigger};
use loop_telemetry::words::style::{BOLD, DIM, paint};

/// Returns one line per skill.
pub fn list(skills: &Skills) -> String {
    let width = skills.all().map(|skill| skill.name().chars().count()).max().unwrap_or_default();
    let row = |skill: &Skill| {
        let description = skill.description().split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{:<width$}  {description}\n", skill.name())
    };
    let rows: String = skills.all().map(row).collect();
    if rows.is_empty() {
        return "there are no skills: `loop init --skill` writes one into .agents/skills".to_owned();
    }
    rows
}

/// Returns one line per set of skills.
pub fn list_of_sets(skills: &Skills) -> String {
    let row = |set: &SkillSet| format!("{}  {}\n", set.name(), set.description());
    let rows: String = skills.sets().map(row).collect();
    let none = "there are no sets: `loop skill-set create NAME SKILL...` writes one into .agents/skill-sets";
    if rows.is_empty() { none.to_owned() } else { rows }
}

/// Returns the description and the skills of a set.
pub fn page_of_set(set: &SkillSet) -> String {
    let metadata: String =
        set.metadata().iter().map(|(name, value)| format!("\n  metadata  {name}: {value}")).collect();
    format!("{}  {}\n  {}{metadata}", set.name(), set.description(), set.skills().join(", "))
}

/// Returns the fields and the body of a skill. Blocks on the disk.
///
/// # Errors
/// Its file cannot be read.
pub fn page(skill: &Skill, skills: &Skills) -> Result<String, SkillError> {
    let others: Vec<_> = skills.shadowed().iter().filter(|other| other.name() == skill.name()).collect();
    let script = match skill.script() {
        Ok(script) => script.map(|script| format!("{} {}", script.path(), script.digest())),
        Err(error) => Some(error.to_string()),
    };
    let mut rows = vec![("file", skill.shown_path()), ("digest", skill.digest()?)];
    let mut add = |label, text: Option<String>| rows.extend(text.map(|text| (label, text)));
    add("license", skill.license().map(str::to_owned));
    add("needs", skill.compatibility().map(str::to_owned));
    add("tools", skill.allowed_tools().map(|tools| tools.join(", ")));
    add("trigger", skill.trigger().map(|trigger: &Trigger| trigger.as_str().replace('\n', " | ")));
    add("script", script);
    for other in others {
        add("unused", Some(format!("{} has the same name", other.shown_path())));
    }
    for variable in skill.variables() {
        add("variable", Some(format!("{{{{{}}}}} {}", variable.name, variable.description)));
    }
    for (name, value) in skill.metadata() {
        add("metadata", Some(format!("{name}: {value}")));
    }
    let rows: String =
        rows.iter().map(|(label, text)| format!("  {label:<10}{}\n", paint(DIM, text))).collect();
    let head = paint(BOLD, skill.name());
    Ok(format!("{head}  {}\n{rows}\n{}", skill.description(), skill.body()?))
}
