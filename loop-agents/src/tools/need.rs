//! The permissions that a call needs.

use loop_guardrails::policy::{
    Verb,
    command::PipedCommand,
    workspace::{Workspace, WorkspaceError},
};

use super::{ToolError, pending_approval::PendingApproval, pipeline};

/// An action of a call that a policy can refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// An access to this path.
    Path(String, Verb),
    /// A run of this command.
    Command(String),
    /// Runs of these commands, each of which gets the output of the one before it. A person can be asked about all of it.
    Pipeline(Vec<PipedCommand>),
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
            Self::Command(line) => workspace.check_command(line).map(drop),
            Self::Pipeline(commands) => return pipeline::question(commands, workspace),
        };
        let refusal = checked.err().filter(WorkspaceError::is_refusal);
        refusal.map(|refusal| PendingApproval::of(refusal, self, workspace)).transpose()
    }
}
