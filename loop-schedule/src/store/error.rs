//! Reasons why a store cannot be used.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The reason why a store of jobs cannot be used. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or folder cannot be read or written.
    #[error("{} cannot be used (check that you may read and write it, and that the disk is not full)", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The path is not a plain file or folder: a link could lead anywhere.
    #[error(
        "{} is a link, or not the regular file or folder that belongs there. Jobs are not read through it, \
         because somebody else could choose your prompts. Put the real one in its place, or move it away: mv {} {}",
        path.display(), quoted(path, ""), quoted(path, ".moved")
    )]
    NotPlain {
        /// The path.
        path: PathBuf,
    },
    /// The file differs from what was written. It stays unchanged.
    #[error(
        "{} is damaged: {why}. No job of it fires, and it was not changed. Restore it from a backup, or move its folder \
         away to begin without jobs: mv {} {}",
        path.display(), quoted(folder_of(path), ""), quoted(folder_of(path), ".damaged")
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        why: String,
    },
    /// The file was removed after jobs had been stored in it.
    #[error(
        "{} is missing, although jobs were stored in it, so no job fires. Restore it from a backup, or begin without \
         jobs: rm {}",
        path.display(), quoted(lock, "")
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The file that records that jobs were stored.
        lock: PathBuf,
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
        found: u64,
        /// The newest format that this version knows.
        known: u64,
    },
    /// The work on the store was abandoned, since the program ends or a thread panicked.
    #[error("the change to the jobs was interrupted: try again")]
    GivenUp,
}

/// Returns the folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

/// Returns a path with a suffix, quoted as a word of a shell.
fn quoted(path: &Path, suffix: &str) -> String {
    format!("'{}{suffix}'", path.to_string_lossy().replace('\'', r"'\''"))
}
