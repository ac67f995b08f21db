//! The values that notes consist of.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// The kind of an observation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservationKind {
    /// Anything.
    #[default]
    Note,
    /// A result.
    Finding,
    /// A choice that was made.
    Decision,
    /// An open question.
    Question,
    /// An assumption to check.
    Hypothesis,
}

impl ObservationKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Note, Self::Finding, Self::Decision, Self::Question, Self::Hypothesis];

    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Finding => "finding",
            Self::Decision => "decision",
            Self::Question => "question",
            Self::Hypothesis => "hypothesis",
        }
    }
}

/// A word is not the kind of an observation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of observation: write note, finding, decision, question or hypothesis")]
pub struct UnknownKind(pub String);

impl FromStr for ObservationKind {
    type Err = UnknownKind;

    fn from_str(word: &str) -> Result<Self, UnknownKind> {
        let kind = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        kind.ok_or_else(|| UnknownKind(word.to_owned()))
    }
}

impl fmt::Display for ObservationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A project, with the names of its concepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Its description, which may be empty.
    pub description: String,
    /// `active`, `paused` or `concluded`.
    pub status: String,
    /// The number of its observations.
    pub observations: u64,
    /// The names of its concepts, joined by commas.
    pub concepts: String,
}

/// A concept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Concept {
    /// Its name.
    pub name: String,
    /// Its description, which may be empty.
    pub description: String,
    /// The identifier that its description names, such as `ror:03yrm5c26`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
}

/// A note that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// `project`, `concept` or `observation`.
    pub silo: String,
    /// Its id among those of its silo.
    pub id: i64,
    /// The name of a project or concept; the kind and the project of an observation.
    pub label: String,
    /// Its text: the description of a project or concept.
    pub text: String,
    /// The source of an observation, such as `10.1000/182`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
}

/// The numbers of notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NotesStatus {
    /// The name of the project in use.
    pub project: Option<String>,
    /// The number of projects.
    pub projects: u64,
    /// The number of observations.
    pub observations: u64,
    /// The number of concepts.
    pub concepts: u64,
}

/// Whether a name was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Added {
    /// It is new.
    New,
    /// The name exists, and its entry was not changed.
    Exists,
}
