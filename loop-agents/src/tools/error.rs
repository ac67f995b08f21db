//! Why a call came to nothing.

use std::{io, path::Path};

use loop_core::with_causes;
use loop_guardrails::policy::{Denied, workspace::WorkspaceError};

/// Why a call came to nothing. A model reads the text, so it says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// It was not done: the tool does not exist, its arguments are wrong, or the policy refuses.
    #[error("{0}")]
    Rejected(String),
    /// It was tried, and did not work.
    #[error("{0}")]
    Failed(String),
}

impl ToolError {
    /// It was not done, and this is why.
    pub fn rejected(text: impl Into<String>) -> Self {
        Self::Rejected(text.into())
    }

    /// It did not work, and this is why.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// The disk refused.
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

impl From<Denied> for ToolError {
    fn from(denied: Denied) -> Self {
        Self::Rejected(denied.to_string())
    }
}
