//! Errors of the store of runs.

use std::{io, path::PathBuf};

use crate::JournalError;

/// The reason why the store of runs failed. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A run's journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The index, or a run's own file, cannot be read, written or removed.
    #[error("{} cannot be used (check that you may read and write it, and that the disk is not full)", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// A file was not written by this program.
    #[error("{} is damaged: {why} (restore it from a backup, or remove its run)", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        why: String,
    },
    /// A later version of this program wrote the file.
    #[error(
        "{} has the format {found}, but this version knows at most {known}: use the version that wrote it, or a \
         later one",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that this version knows.
        known: u32,
    },
    /// A run's id is not valid as the name of a folder.
    #[error("{id:?} cannot be a run's id: an id has 1 to 64 letters, digits, `-` and `_`")]
    BadId {
        /// The id.
        id: String,
    },
    /// There is no such run.
    #[error("there is no run whose id begins with {id:?}")]
    NoSuchRun {
        /// The requested id.
        id: String,
    },
    /// Several runs match.
    #[error("{count} runs have an id that begins with {id:?}: write more of it")]
    Ambiguous {
        /// The requested id.
        id: String,
        /// The number of matches.
        count: usize,
    },
    /// Another run works in the folder.
    #[error(
        "the run {id} already works in {folder}: wait until it has ended, or allow both to work there at once"
    )]
    FolderBusy {
        /// The other run.
        id: String,
        /// The folder.
        folder: String,
        /// Whether it is listed, and has a journal.
        has_journal: bool,
    },
    /// The run is still alive.
    #[error("the run {id} is still running: end it first")]
    Alive {
        /// The run.
        id: String,
    },
}
