//! Reasons why a database cannot be used.

use std::{error, io, path::PathBuf};

/// An error of code that the caller hands in.
pub type BoxError = Box<dyn error::Error + Send + Sync>;

/// The reason why an operation on a database failed. Each message says what to do.
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
    /// SQLite refused an operation. The database has its former contents.
    #[error("the database {} cannot be used (check that the disk is not full)", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// The error from SQLite.
        source: rusqlite::Error,
    },
    /// Another process wrote for more than 5 seconds.
    #[error("the database {} is in use by another process: try again when that process is done", .0.display())]
    Busy(PathBuf),
    /// The file is not a database, or its contents are damaged. It stays unchanged.
    #[error(
        "the database {} is damaged: {why}. A store of documents is made anew: `loop rag drop NAME`, `loop rag new NAME` \
         and `loop rag ingest PATH`. If it is knowledge.db, move the file away, with those whose names also end in -wal and \
         -shm: memories come from their files, and `loop rag use NAME` chooses a store again. Notes (`loop kb`) are only in \
         that file: put a copy of it in its place",
        path.display()
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The damage.
        why: String,
    },
    /// Others than the owner can use a file or folder.
    #[error("other users can use {} (mode {mode:o}): `chmod go= {}`", path.display(), path.display())]
    Exposed {
        /// The file or folder.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A later version of the program wrote the database. It stays unchanged.
    #[error(
        "the database {} has format {found}, but this version reads formats up to {known}: use the version that \
         wrote it",
        path.display()
    )]
    LaterFormat {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The latest format that this version knows.
        known: i64,
    },
}

impl Error {
    /// Returns a function that adds the path to an error of the system.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// Returns a function that adds the path to an error of SQLite, and recognises damage and a busy database.
    pub(crate) fn database(path: impl Into<PathBuf>) -> impl FnOnce(rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, NotADatabase};
        let path = path.into();
        move |source| match source.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged { path, why: source.to_string() },
            Some(DatabaseBusy) => Self::Busy(path),
            _ => Self::Database { path, source },
        }
    }
}
