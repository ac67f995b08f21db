//! Errors of tool calls.

use std::{io, path::Path};

use loop_core::with_causes;
use loop_guardrails::policy::{DeniedAction, workspace::WorkspaceError};

/// The reason why a call failed. A model reads the text, so it should explain what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The call was not made: the tool does not exist, its arguments are wrong, or the policy refuses.
    #[error("{0}")]
    Rejected(String),
    /// The call was made, and failed.
    #[error("{0}")]
    Failed(String),
}

impl ToolError {
    /// Creates an error for a call that was not made.
    pub fn rejected(text: impl Into<String>) -> Self {
        Self::Rejected(text.into())
    }

    /// Creates an error for a call that failed.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// Creates the refusal of a line for a shell, for which there is no sandbox.
    pub(super) fn no_shell(why: &str) -> Self {
        Self::Rejected(format!(
            "the line was not run. A shell runs it only in a sandbox that holds, and {why}. Run its commands one by one, \
             without a shell"
        ))
    }

    /// Creates an error of the file system.
    pub(super) fn io(action: &str, path: impl AsRef<Path>, error: &io::Error) -> Self {
        Self::Failed(format!("cannot {action} `{}`: {error}", path.as_ref().display()))
    }
}

impl From<WorkspaceError> for ToolError {
    fn from(error: WorkspaceError) -> Self {
        let text = with_causes(&error);
        if error.is_refusal() { Self::Rejected(text) } else { Self::Failed(text) }
    }
}

impl From<DeniedAction> for ToolError {
    fn from(denied: DeniedAction) -> Self {
        Self::Rejected(denied.to_string())
    }
}
