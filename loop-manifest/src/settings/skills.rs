//! `[skills]`: where skills are.
//!
//! A skill is text and permits nothing, so a project can name folders in it. Folders elsewhere belong to the user.

use std::path::{Component, Path};

use serde_json::{Value, json};

use super::table::{SettingsOwner, SettingsTable};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["folders"];

/// The values of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillSettings {
    /// The folders that contain skills: paths in the project, or absolute ones of the user's own.
    pub folders: Option<Vec<String>>,
}

impl SkillSettings {
    /// Returns the folders to search, in this order; `None` for the usual ones. A project replaces the folders in it, and
    /// the user's absolute ones come after them.
    pub(super) fn folders_under<'a>(&'a self, user: &'a Self) -> Option<Vec<&'a str>> {
        let users = || user.folders.iter().flatten().map(String::as_str);
        match &self.folders {
            None => user.folders.as_ref().map(|_| users().collect()),
            Some(own) => {
                let elsewhere = users().filter(|folder| Path::new(folder).is_absolute());
                Some(own.iter().map(String::as_str).chain(elsewhere).collect())
            }
        }
    }
}

pub(super) fn read(mut table: SettingsTable<'_>, owner: SettingsOwner) -> SkillSettings {
    let folders = table.list_if_there("folders", |folder| match owner {
        SettingsOwner::User if Path::new(folder).is_absolute() => Ok(folder.to_owned()),
        _ => within_project(folder),
    });
    SkillSettings { folders: folders.map(|all| all.into_iter().map(|folder| folder.value).collect()) }
}

fn within_project(folder: &str) -> Result<String, String> {
    let is_within = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !folder.trim().is_empty() && Path::new(folder).components().all(is_within) {
        return Ok(folder.to_owned());
    }
    let elsewhere = "only your own settings can name a folder elsewhere, by its absolute path";
    Err(format!("`{folder}` is not the path of a folder in the project; {elsewhere}"))
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Where skills are.",
        "additionalProperties": false,
        "properties": {
            "folders": {
                "type": "array",
                "items": { "type": "string", "minLength": 1 },
                "description": "The folders that contain skills, in the order in which they are searched. By default, \
                    `agents/skills`, `.agents/skills` and `.claude/skills`. Your own settings can also name absolute \
                    paths. The folder `skills` beside your own settings always comes last.",
            },
        },
    })
}
