//! The skills of a folder and a user, and what models read about them.

use std::path::Path;

use loop_agents::skills::{SkillError, SkillSource, Skills};
use loop_guardrails::policy::workspace::Workspace;

use crate::settings::Settings;

/// Stands before the list of skills in a system prompt.
const INTRODUCTION: &str = "\n\n## Skills\n\nEach skill has instructions for one kind of task. Before such a task, read \
                            them with the tool `load_skill`, if you have it.\n\n";

/// Finds the skills in a workspace: those in the folders that the settings name, and then those in the folder `skills`
/// beside the user's settings. Blocks on the disk.
///
/// # Errors
/// A folder of the user's own exists but cannot be opened.
pub fn find(settings: &Settings, workspace: &Workspace) -> Result<Skills, SkillError> {
    let mut sources = Vec::new();
    match settings.skill_folders() {
        None => sources.extend(SkillSource::of_project(workspace)),
        Some(folders) => {
            for folder in folders {
                if Path::new(folder).is_absolute() {
                    sources.extend(SkillSource::of_user(Path::new(folder))?);
                } else {
                    sources.push(SkillSource::in_project(workspace, folder));
                }
            }
        }
    }
    let beside = settings.user.path.as_deref().and_then(Path::parent);
    sources.extend(beside.map(|folder| SkillSource::of_user(&folder.join("skills"))).transpose()?.flatten());
    Ok(Skills::load(&sources))
}

/// Returns the section of a system prompt that lists the skills; empty without skills.
pub fn section(skills: &Skills) -> String {
    skills.catalogue().map(|list| format!("{INTRODUCTION}{list}")).unwrap_or_default()
}
