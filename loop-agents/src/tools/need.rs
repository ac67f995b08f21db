//! The permissions that a call needs.

use loop_guardrails::policy::{
    Verb,
    workspace::{Workspace, WorkspaceError},
};

/// An action of a call that a policy can refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// An access to this path.
    Path(String, Verb),
    /// A run of this command.
    Command(String),
}

impl Need {
    /// Needs to read this path.
    pub fn read(path: impl Into<String>) -> Self {
        Self::Path(path.into(), Verb::Read)
    }

    /// Needs to write this path.
    pub fn write(path: impl Into<String>) -> Self {
        Self::Path(path.into(), Verb::Write)
    }

    /// Returns the path as the caller wrote it, if the need is about one.
    pub(super) fn path(&self) -> Option<&str> {
        if let Self::Path(path, _) = self { Some(path) } else { None }
    }

    /// Returns the policy's refusal, if any. Other errors, such as a missing file, are left to the call itself.
    pub(super) fn refusal(&self, workspace: &Workspace) -> Option<WorkspaceError> {
        let checked = match self {
            Self::Path(path, verb) => workspace.check(path, *verb).map(drop),
            Self::Command(line) => workspace.check_command(line).map(drop),
        };
        checked.err().filter(WorkspaceError::is_refusal)
    }
}
