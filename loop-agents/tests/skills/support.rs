//! A project with skills.

use std::{fs, path::Path};

use loop_agents::skills::{SkillSource, Skills};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

/// A folder that can contain skills.
pub(crate) struct Project(tempfile::TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
        self
    }

    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::open(self.path(), ActionPolicy::default()).expect("a workspace")
    }

    pub(crate) fn skills(&self) -> Skills {
        Skills::load(&SkillSource::of_project(&self.workspace()))
    }
}

/// Returns a valid `SKILL.md`.
pub(crate) fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}
