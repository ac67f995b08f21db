//! The errors of an assay.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use loop_core::BuildError;
use loop_telemetry::JournalError;

/// Why a case cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseError {
    /// The file of the case, or the folder of the cases.
    pub path: PathBuf,
    /// The problem, and what to do.
    pub why: String,
}

impl CaseError {
    pub(crate) fn new(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

/// Everything that is wrong with the cases of an assay, one line for each finding. Nothing was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseErrors(pub Vec<CaseError>);

impl fmt::Display for CaseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for CaseErrors {}

impl From<CaseError> for CaseErrors {
    fn from(error: CaseError) -> Self {
        Self(vec![error])
    }
}

/// Why an assay has no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssayError {
    /// Cases cannot be used. Nothing was run.
    #[error(transparent)]
    Cases(#[from] CaseErrors),
    /// A journal of the assay cannot be read or written, or another process performs the same assay.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A journal contains a result that this version cannot read.
    #[error("{} has a result that this version cannot read: {why}. Remove the folder and begin anew.", .path.display())]
    Result {
        /// The folder of the journal.
        path: PathBuf,
        /// The error in words.
        why: String,
    },
    /// A file of the assay cannot be written or removed.
    #[error("cannot use {}: {source}", .path.display())]
    File {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The loop of the assay cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The loop of the assay itself failed.
    #[error("the assay failed: {0}")]
    Failed(String),
}
