//! What a call has to be allowed before it is made.

use loop_guardrails::policy::{
    Verb,
    workspace::{Workspace, WorkspaceError},
};

/// Something that a call does, and that a policy can refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// To do this with this path.
    Path(String, Verb),
    /// To run this command.
    Command(String),
}

impl Need {
    /// To read this path.
    pub fn read(path: impl Into<String>) -> Self {
        Self::Path(path.into(), Verb::Read)
    }

    /// To write this path.
    pub fn write(path: impl Into<String>) -> Self {
        Self::Path(path.into(), Verb::Write)
    }

    /// The path as it was written, if it is about one.
    pub(super) fn path(&self) -> Option<&str> {
        if let Self::Path(path, _) = self { Some(path) } else { None }
    }

    /// Whether it is refused. What is not there, for example, is no refusal: the call will say so.
    pub(super) fn refusal(&self, workspace: &Workspace) -> Option<WorkspaceError> {
        let checked = match self {
            Self::Path(path, verb) => workspace.check(path, *verb).map(drop),
            Self::Command(line) => workspace.check_command(line).map(drop),
        };
        checked.err().filter(WorkspaceError::is_refusal)
    }
}
