//! The permissions that a call needs.

use loop_guardrails::policy::{
    Verb,
    workspace::{Workspace, WorkspaceError},
};

use super::{ToolError, line_question, pending_approval::PendingApproval};

/// An action of a call that a policy can refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// An access to this path.
    Path(String, Verb),
    /// A run of this command, or of commands with `|` between them. A person can be asked about all of the line.
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

    /// Returns the question for a person if only they can allow the action. Other errors than a refusal, such as a
    /// missing file, are left to the call itself.
    ///
    /// # Errors
    /// The policy refuses the action, and nobody can allow it.
    pub(super) fn question(&self, workspace: &Workspace) -> Result<Option<PendingApproval>, ToolError> {
        let checked = match self {
            Self::Path(path, verb) => workspace.check(path, *verb).map(drop),
            Self::Command(line) => return line_question::question(line, workspace),
        };
        let refusal = checked.err().filter(WorkspaceError::is_refusal);
        refusal.map(|refusal| PendingApproval::of(refusal, self, workspace)).transpose()
    }
}
