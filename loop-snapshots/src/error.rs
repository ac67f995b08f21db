//! Reasons why a snapshot cannot be taken, read or restored.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{capture::Limit, record::SnapshotId};

/// The reason why an operation on snapshots failed. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{} cannot be used (check its mode, and that the disk is not full)", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The store differs from what was written to it. It stays unchanged.
    #[error(
        "the snapshots in {} are damaged: {why}. Nothing was restored from them. Make the store anew; its snapshots \
         are lost then",
        path.display()
    )]
    Damaged {
        /// The damaged file.
        path: PathBuf,
        /// The damage.
        why: String,
    },
    /// There is no such snapshot.
    #[error("there is no snapshot {0}: list the snapshots to see which there are")]
    NotFound(SnapshotId),
    /// There is a snapshot of this number already, and snapshots never change.
    #[error("the snapshot {0} exists already: choose another number")]
    Exists(SnapshotId),
    /// The name of a run contains a byte other than letters, digits, `.`, `-` and `_`, or is empty, hidden or too long.
    #[error(
        "the run name {0:?} cannot be used: write 1 to 128 letters, digits, `.`, `-` or `_`, and no `.` first"
    )]
    RunName(String),
    /// The folder exceeds a limit of [`CaptureOptions::limits`](crate::CaptureOptions::limits).
    #[error("the folder exceeds the limit for snapshots: {0}. Raise the limit, or turn snapshots off")]
    OverLimit(Limit),
    /// The store exceeds its bound although only the newest snapshots are left.
    #[error(
        "the snapshots need {size} bytes, but may have {bound}: raise the bound, or leave large files out of them"
    )]
    Full {
        /// The size of the store, in bytes.
        size: u64,
        /// The bound, in bytes.
        bound: u64,
    },
    /// A named path is not relative to the folder, or leads through a link.
    #[error("{} cannot be restored: {why}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The reason.
        why: &'static str,
    },
    /// The folder changed after the restore was planned. Nothing was restored.
    #[error("the folder changed since the restore was planned, and nothing was restored: plan it again")]
    PlanOutdated,
    /// A patch cannot have the bytes of this change.
    #[error(
        "{} cannot be part of a patch: only UTF-8 texts of at most 1 MiB can",
        .0.display()
    )]
    NoPatch(PathBuf),
    /// Something has changed both in a folder and in its copy. Nothing was handed back.
    #[error(
        "{} changed while its copy was worked on, and nothing was handed back: {} changed in both",
        folder.display(), some(paths)
    )]
    ChangedMeanwhile {
        /// The folder.
        folder: PathBuf,
        /// The paths of the changes in both, below the folder.
        paths: Vec<PathBuf>,
    },
    /// Something changed a copy on which a sealed tree stands.
    #[error(
        "{} is not as it was when it was copied: something outside of the check changed it, so it proves nothing. Begin a \
         new run",
        path.display()
    )]
    SealBroken {
        /// The path, below the copies.
        path: PathBuf,
    },
    /// No restore is left to undo.
    #[error("no restore is left to undo in this folder")]
    NothingToUndo,
}

impl Error {
    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }
}

/// The paths of a list that a person works through.
fn some(paths: &[PathBuf]) -> String {
    let named: Vec<_> = paths.iter().take(MAX_PATHS).map(|path| path.display().to_string()).collect();
    match paths.len().saturating_sub(MAX_PATHS) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

const MAX_PATHS: usize = 20;

/// Adds the path to an error from the system.
pub(crate) trait AtPath<T> {
    fn at(self, path: &Path) -> Result<T, Error>;
}

impl<T, E: Into<io::Error>> AtPath<T> for Result<T, E> {
    fn at(self, path: &Path) -> Result<T, Error> {
        self.map_err(|error| Error::File { path: path.to_owned(), source: error.into() })
    }
}
