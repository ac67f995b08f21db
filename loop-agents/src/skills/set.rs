//! Sets of skills that belong together.

use std::collections::BTreeMap;

use loop_guardrails::policy::workspace::Workspace;
use serde::Serialize;

use super::{
    SkillError,
    front_matter::{is_of_name, texts_by_name},
    new_skill::create,
    skill::{End, read_text},
    yaml::{self, YamlSubset, YamlValue},
};

/// The maximum size of a set's file, in bytes.
const MAX_SET_BYTES: u64 = 64 << 10;

/// The number of tokens from which a set is large if the window is unknown.
const LARGE_TOKENS: u64 = 8_000;

/// A set: names of skills under one name, from `skill-sets/NAME.yaml` beside the skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillSet {
    name: String,
    description: String,
    skills: Vec<String>,
    metadata: BTreeMap<String, String>,
}

/// How the bodies of a set fit into a model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetFit {
    /// They leave room.
    Fits,
    /// They need half of the window or more, or 8,000 tokens or more if it is unknown.
    Large,
    /// They need the whole window or more.
    TooLarge,
}

impl SetFit {
    /// Judges bodies of this many tokens in a window of this size, if it is known.
    pub fn of(tokens: u64, window: Option<u64>) -> Self {
        match window {
            Some(window) if tokens >= window => Self::TooLarge,
            Some(window) if tokens.saturating_mul(2) >= window => Self::Large,
            None if tokens >= LARGE_TOKENS => Self::Large,
            _ => Self::Fits,
        }
    }
}

impl SkillSet {
    pub(super) fn read(workspace: &Workspace, path: &str) -> Result<Self, SkillError> {
        let text = read_text(workspace, path, MAX_SET_BYTES, End::IsThere)?;
        Self::parse(&text).map_err(|problem| SkillError::faulty(path, problem))
    }

    /// Parses a set.
    ///
    /// # Errors
    /// The text is not YAML, or the name or the skills are missing, or a skill is in it twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields = yaml::parse(text, YamlSubset::Lenient)?;
        let text = |key| fields.get(key).and_then(YamlValue::text).unwrap_or_default().trim().to_owned();
        let (name, description) = (text("name"), text("description"));
        if name.is_empty() {
            return Err("`name` is missing: write `name: ...`".to_owned());
        }
        let skills: Vec<_> = fields.get("skills").map(YamlValue::texts).unwrap_or_default();
        let skills: Vec<_> = skills.into_iter().map(str::to_owned).collect();
        if skills.is_empty() {
            return Err("`skills` is missing: list the names of skills".to_owned());
        }
        if let Some((_, twice)) = skills.iter().enumerate().find(|(at, name)| skills[..*at].contains(name)) {
            return Err(format!("the skill `{twice}` is listed twice"));
        }
        let metadata = texts_by_name(fields.get("metadata")).into_iter().collect();
        Ok(Self { name, description, skills, metadata })
    }

    /// Describes a set that does not exist yet.
    ///
    /// # Errors
    /// The name is not of letters, digits and `-`, or as for [`parse`](Self::parse).
    pub fn new(name: &str, description: &str, skills: &[String]) -> Result<Self, String> {
        if name.is_empty() || !name.chars().all(is_of_name) {
            return Err(format!(
                "the name `{}` must consist of letters, digits and `-`",
                name.escape_debug()
            ));
        }
        let (name, description, skills) = (name.to_owned(), description.to_owned(), skills.to_vec());
        let set = Self { name, description, skills, metadata: BTreeMap::new() };
        Self::parse(&set.text())
    }

    fn text(&self) -> String {
        let [name, description] =
            [&self.name, &self.description].map(|text| serde_json::Value::from(text.trim()));
        let skills = serde_json::Value::from(self.skills.clone());
        format!("name: {name}\ndescription: {description}\nskills: {skills}\n")
    }

    /// Writes its file into `.agents/skill-sets`, and returns the path. Blocks on the disk.
    ///
    /// # Errors
    /// The file exists already, or cannot be written.
    pub fn write(&self, workspace: &Workspace) -> Result<String, SkillError> {
        let path = format!(".agents/skill-sets/{}.yaml", self.name);
        create(workspace, &path, &self.text())?;
        Ok(path)
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its description; may be empty.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the names of its skills, in the order in which they are loaded.
    pub fn skills(&self) -> &[String] {
        &self.skills
    }

    /// Returns its further fields, by their names. They are shown and not interpreted.
    pub const fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_names_each_skill_once() {
        let set = SkillSet::parse(
            "name: web\ndescription: For the site\nskills: [css, html]\nmetadata:\n  owner: Ann\n",
        );
        let set = set.expect("a set");
        assert_eq!((set.name(), set.skills().len()), ("web", 2));
        assert_eq!(set.metadata()["owner"], "Ann");
        for (text, problem) in [
            ("skills: [a]", "`name` is missing"),
            ("name: x", "`skills` is missing"),
            ("name: x\nskills: [a, b, a]", "`a` is listed twice"),
            ("name: [", "line"),
        ] {
            let error = SkillSet::parse(text).expect_err(text);
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn the_bounds_of_a_window_hold() {
        for (tokens, window, fit) in [
            (7_999, None, SetFit::Fits),
            (8_000, None, SetFit::Large),
            (49, Some(100), SetFit::Fits),
            (50, Some(100), SetFit::Large),
            (99, Some(100), SetFit::Large),
            (100, Some(100), SetFit::TooLarge),
        ] {
            assert_eq!(SetFit::of(tokens, window), fit, "{tokens} of {window:?}");
        }
    }
}
