//! Why a store cannot be used.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a store of jobs cannot be used. Each text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or folder cannot be read or written.
    #[error("{} cannot be used (check that you may read and write it, and that the disk is not full)", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is something else than a plain file or folder: a link could lead anywhere.
    #[error(
        "{} is a link, or not the plain file or folder that belongs there. Jobs are not read through it, since somebody \
         else could choose your prompts. Put the real one in its place, or move it away: mv {} {}",
        path.display(), quoted(path, ""), quoted(path, ".moved")
    )]
    NotPlain {
        /// Which.
        path: PathBuf,
    },
    /// The file is not what was written. It is left as it is.
    #[error(
        "{} is damaged: {why}. No job of it fires, and it was not changed. Restore it from a backup, or move it away to \
         begin without jobs: mv {} {}",
        path.display(), quoted(path, ""), quoted(path, ".damaged")
    )]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A later version of this program wrote the file.
    #[error(
        "{} has the format {found}, and this version knows {known} at most: use the version that wrote it, or a later one",
        path.display()
    )]
    Newer {
        /// Which.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format that is known here.
        known: u64,
    },
    /// The work on the store was given up, since the program ends or a thread panicked.
    #[error("the work on the jobs was given up before it was done: try again")]
    GivenUp,
}

/// A path with something added to it, as a word of a shell.
fn quoted(path: &Path, suffix: &str) -> String {
    format!("'{}{suffix}'", path.to_string_lossy().replace('\'', r"'\''"))
}
