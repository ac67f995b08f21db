//! New skills, which a person writes.

use loop_guardrails::policy::{
    Verb,
    workspace::{Workspace, WorkspaceError},
};

use super::{
    SkillError,
    front_matter::{FrontMatter, split},
};

/// The folder in a project for new skills.
const FOLDER: &str = ".agents/skills";

/// A skill that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSkill {
    name: String,
    text: String,
}

impl NewSkill {
    /// Describes a skill. Empty texts are left out. Its body only has a heading, for the author to go on.
    ///
    /// # Errors
    /// The name or another field breaks a rule of the format, or the trigger never fires.
    ///
    /// ```
    /// use loop_agents::skills::NewSkill;
    ///
    /// let skill = NewSkill::new("tidy", "Sorts imports.", "tidy up", "")?;
    /// let text = "---\nname: tidy\ndescription: \"Sorts imports.\"\ntrigger: \"tidy up\"\n---\n\n# tidy\n";
    /// assert_eq!(skill.text(), text);
    /// assert!(NewSkill::new("Tidy Up", "Sorts imports.", "", "").is_err());
    /// # Ok::<(), loop_agents::skills::SkillError>(())
    /// ```
    pub fn new(
        name: &str,
        description: &str,
        trigger: &str,
        compatibility: &str,
    ) -> Result<Self, SkillError> {
        let faulty = |problem: String| SkillError::faulty(name, problem);
        let mut text = format!("---\nname: {name}\n");
        let fields = [("description", description), ("trigger", trigger), ("compatibility", compatibility)];
        for (field, value) in fields.iter().filter(|(_, value)| !value.trim().is_empty()) {
            // A text in JSON is a text in YAML too.
            text += &format!("{field}: {}\n", serde_json::Value::from(value.trim()));
        }
        text += &format!("---\n\n# {name}\n");
        let (front, _) = split(&text).map_err(faulty)?;
        let read = FrontMatter::read(front, name).map_err(faulty)?;
        match read.remarks.first() {
            Some(remark) => Err(faulty(remark.clone())),
            None => Ok(Self { name: name.to_owned(), text }),
        }
    }

    /// Returns the text of its `SKILL.md`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes its `SKILL.md` into `.agents/skills`, and returns the path. A person has to want this: models follow the
    /// file. Blocks on the disk.
    ///
    /// # Errors
    /// The skill exists already, or the file cannot be written.
    pub fn write(&self, workspace: &Workspace) -> Result<String, SkillError> {
        let path = format!("{FOLDER}/{}/SKILL.md", self.name);
        create(workspace, &path, &self.text)?;
        Ok(path)
    }
}

/// Writes a new file for a person. Links do not lead it out of the workspace.
pub(super) fn create(workspace: &Workspace, path: &str, text: &str) -> Result<(), SkillError> {
    match workspace.status(path) {
        Err(WorkspaceError::NotFound { .. }) => put(workspace, path, text),
        Err(error) => Err(error.into()),
        Ok(_) => Err(SkillError::faulty(path, "it already exists, and was not changed")),
    }
}

/// Writes a file for a person who agreed to its text.
pub(super) fn put(workspace: &Workspace, path: &str, text: &str) -> Result<(), SkillError> {
    let place = workspace.check(path, Verb::Read)?;
    workspace.approving([place]).write(path, text.as_bytes())?;
    Ok(())
}
