//! What a policy answers, and which rule made it answer so.
//!
//! "Permission denied" sends a person searching through three files for the line that did it. So every
//! answer carries the rule that decided, and where it stands.

use std::fmt;

use super::LocalPath;

/// Where a rule stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Origin {
    /// In this library.
    #[default]
    BuiltIn,
    /// In a file of settings.
    File {
        /// The file, as a person would name it.
        file: String,
        /// The line in it, from 1.
        line: usize,
    },
}

impl Origin {
    /// A line of a file.
    pub fn line(file: impl Into<String>, line: usize) -> Self {
        Self::File { file: file.into(), line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

/// A setting, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// The setting.
    pub value: T,
    /// Where it stands.
    pub origin: Origin,
}

impl<T> Placed<T> {
    /// A setting from a line of a file, or of this library.
    pub fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// An answer: whether an action is allowed, and the rule that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ruling {
    /// Whether the action may be done.
    pub allowed: bool,
    /// The rule, as a sentence without its full stop, and for a refusal what to do instead.
    pub rule: String,
    /// Where the rule stands.
    pub origin: Origin,
    /// The path, without links where they were followed, to whose change a person can say yes all the same: see
    /// [`ActionPolicy::approving`](super::ActionPolicy::approving). Nothing for all other rules.
    pub needs_approval: Option<LocalPath>,
}

impl Ruling {
    pub(super) fn allowed(rule: impl Into<String>, origin: &Origin) -> Self {
        Self { allowed: true, rule: rule.into(), origin: origin.clone(), needs_approval: None }
    }

    pub(super) fn denied(rule: impl Into<String>, origin: &Origin) -> Self {
        Self { allowed: false, rule: rule.into(), origin: origin.clone(), needs_approval: None }
    }

    /// The ruling as a result, for `?`.
    ///
    /// # Errors
    /// [`Denied`] if the action is not allowed.
    pub fn into_result(self, action: impl Into<String>) -> Result<Self, Denied> {
        if self.allowed { Ok(self) } else { Err(Denied { action: action.into(), ruling: self }) }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = if self.allowed { "allowed" } else { "denied" };
        write!(f, "{answer}: {} ({})", self.rule, self.origin)
    }
}

/// An action that a policy does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{action} is not allowed: {} ({})", ruling.rule, ruling.origin)]
#[non_exhaustive]
pub struct Denied {
    /// What was to be done: "to read `.env`".
    pub action: String,
    /// Why not.
    pub ruling: Ruling,
}
