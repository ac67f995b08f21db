//! Why a skill, its script or a set cannot be used.

use loop_guardrails::policy::workspace::WorkspaceError;

/// The reason why a skill, its script or a set cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// A file is not accessible.
    #[error(transparent)]
    Access(#[from] WorkspaceError),
    /// The disk failed.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error from the system.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("`{path}`: {problem}")]
    Faulty {
        /// The file.
        path: String,
        /// The problem, and what to do.
        problem: String,
    },
    /// The script is older than the instructions.
    #[error("`{path}` was not made from this version of SKILL.md; its first lines would contain `{digest}`")]
    Outdated {
        /// The script.
        path: String,
        /// The digest of the current `SKILL.md`.
        digest: String,
    },
    /// The policy does not allow the script.
    #[error("the script of the skill may not run: {0}")]
    Denied(String),
}

impl SkillError {
    pub(super) fn faulty(path: &str, problem: impl Into<String>) -> Self {
        Self::Faulty { path: path.to_owned(), problem: problem.into() }
    }

    /// Returns whether there is simply no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Access(WorkspaceError::NotFound { .. }))
    }
}
