//! The answer of a policy, with the rule behind it.
//!
//! "Permission denied" makes a person search three files for the responsible line. So every answer contains the rule
//! that decided, and its origin.

use std::fmt;

use super::{LocalPath, command::CommandPrefix};

/// The origin of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Origin {
    /// Built into this library.
    #[default]
    BuiltIn,
    /// The answer of a person to a question about one action.
    Person,
    /// Said by a person in a session: the command, such as `/allow`, or the kind of answer.
    Session(String),
    /// A line in a settings file.
    File {
        /// The file, as a person would name it.
        file: String,
        /// The line in it, from 1.
        line: usize,
    },
}

impl Origin {
    /// Creates the origin for a line of a file.
    pub fn line(file: impl Into<String>, line: usize) -> Self {
        Self::File { file: file.into(), line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::Session(said) => f.write_str(said),
            Self::Person => f.write_str("a person's answer"),
            Self::File { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

/// A setting with its origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WithOrigin<T> {
    /// The setting.
    pub value: T,
    /// The origin of the setting.
    pub origin: Origin,
}

impl<T> WithOrigin<T> {
    /// Creates a setting with its origin.
    pub fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// An answer: whether an action is allowed, and the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ruling {
    /// Whether the action is allowed.
    pub allowed: bool,
    /// The rule, as a sentence without a full stop. For a refusal it also says what to do instead.
    pub rule: String,
    /// The origin of the rule.
    pub origin: Origin,
    /// The path that a person could approve changes to, with links resolved if they were followed: see
    /// [`ActionPolicy::approving`](super::ActionPolicy::approving). Nothing for all other rules.
    pub needs_approval: Option<Box<LocalPath>>,
    /// The entry that would allow the command, if no entry covers it: see
    /// [`ActionPolicy::allowing`](super::ActionPolicy::allowing). Other rules may still refuse the command. Nothing for
    /// commands that no entry can allow, and for all other rules.
    pub needs_entry: Option<Box<CommandPrefix>>,
    /// Whether no entry can allow the line, but a person who reads it could allow it once, for a shell in the sandbox: see
    /// [`ActionPolicy::allowing_in_shell`](super::ActionPolicy::allowing_in_shell). It has the syntax of a shell, or it
    /// starts another program, or nobody knows that its options are harmless.
    pub needs_shell: bool,
}

impl Ruling {
    pub(super) fn allowed(rule: impl Into<String>, origin: &Origin) -> Self {
        Self {
            allowed: true,
            rule: rule.into(),
            origin: origin.clone(),
            needs_approval: None,
            needs_entry: None,
            needs_shell: false,
        }
    }

    pub(super) fn denied(rule: impl Into<String>, origin: &Origin) -> Self {
        Self { allowed: false, ..Self::allowed(rule, origin) }
    }

    pub(super) fn without_shell(rule: impl Into<String>) -> Self {
        Self::denied(rule, &Origin::BuiltIn).or_in_shell()
    }

    /// Lets a person allow the line for a shell.
    pub(super) fn or_in_shell(self) -> Self {
        Self { needs_shell: true, ..self }
    }

    /// Converts the ruling to a result, for `?`.
    ///
    /// # Errors
    /// [`DeniedAction`] if the action is not allowed.
    pub fn into_result(self, action: impl Into<String>) -> Result<Self, DeniedAction> {
        if self.allowed { Ok(self) } else { Err(DeniedAction { action: action.into(), ruling: self }) }
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
pub struct DeniedAction {
    /// The requested action: "to read `.env`".
    pub action: String,
    /// The ruling that denies it.
    pub ruling: Ruling,
}
