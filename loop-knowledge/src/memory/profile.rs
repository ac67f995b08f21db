//! The profile of a workspace: a memory that a person makes from a template.

use std::{fmt, str::FromStr};

use jiff::Timestamp;

use super::{Memories, Memory, MemoryError, MemoryState, MemoryType, NewMemory};

/// The summary of a profile that nobody has edited.
pub(super) const SUMMARY: &str = "Profile of the workspace";

/// A template of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileTemplate {
    name: &'static str,
    headings: &'static [&'static str],
}

const ALL: [ProfileTemplate; 7] = [
    template("software", &["Purpose", "Build and test", "Structure", "Conventions", "Must not change"]),
    template("library", &["Purpose", "Public interface", "Compatibility", "Build and test", "Release"]),
    template("data", &["Sources", "Formats and units", "Pipeline", "Checks", "Known gaps"]),
    template("writing", &["Subject", "Readers", "Tone and style", "Structure", "Sources"]),
    template("research", &["Question", "Methods", "Data", "Findings so far", "Literature"]),
    template("operations", &["Systems", "Access", "Procedures", "Limits", "Contacts"]),
    template("empty", &[]),
];

const fn template(name: &'static str, headings: &'static [&'static str]) -> ProfileTemplate {
    ProfileTemplate { name, headings }
}

impl ProfileTemplate {
    /// All templates.
    pub const ALL: &[Self] = &ALL;

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    fn body(self) -> String {
        let sections: Vec<_> = self.headings.iter().map(|heading| format!("## {heading}\n")).collect();
        sections.join("\n")
    }
}

impl fmt::Display for ProfileTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A word is not the name of a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a template: write software, library, data, writing, research, operations or empty")]
pub struct UnknownTemplate(pub String);

impl FromStr for ProfileTemplate {
    type Err = UnknownTemplate;

    fn from_str(word: &str) -> Result<Self, UnknownTemplate> {
        ALL.into_iter().find(|template| template.name == word).ok_or_else(|| UnknownTemplate(word.to_owned()))
    }
}

impl Memories<'_> {
    /// Makes the profile from a template, for a person to edit.
    ///
    /// # Errors
    ///
    /// Fails if there is a profile, and if the file cannot be written.
    pub fn create_profile(
        &mut self,
        template: ProfileTemplate,
        now: Timestamp,
    ) -> Result<Memory, MemoryError> {
        if let Some(profile) = self.profile()? {
            return Err(MemoryError::ProfileExists(self.path(&profile)));
        }
        let content = NewMemory::new(MemoryType::WorkspaceProfile, SUMMARY, template.body());
        self.add(content, MemoryState::Active, now)
    }
}
