//! Errors of keeping and resuming sessions.

use std::{io, path::PathBuf};

use crate::JournalError;

/// An error of keeping or resuming a session. Each message names the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A session's file cannot be used.
    #[error(transparent)]
    File(#[from] JournalError),
    /// The file holds nothing of the session that it recorded.
    #[error(
        "{0} is damaged: it holds nothing of the session that began in it (restore the file from a backup; \
         without one, the session is lost, and `rm '{0}'` removes it from the list)",
        path.display()
    )]
    Empty {
        /// The session file.
        path: PathBuf,
    },
    /// A message cannot be serialised as JSON.
    #[error("an entry cannot be written to {} as JSON", path.display())]
    Unwritable {
        /// The session file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// The folder of sessions cannot be read, or a session's name cannot be saved in it.
    #[error("{} cannot be used (check that you may read and write it, and that the disk is not full)", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A session's id is not usable as a file name.
    #[error("{id:?} cannot be a session's id: an id has 1 to 64 letters, digits, `-` and `_`")]
    BadId {
        /// The id.
        id: String,
    },
    /// There is no such session.
    #[error("no session is called {wanted:?}, and no id begins with that")]
    NoSuchSession {
        /// The requested session.
        wanted: String,
    },
    /// More than one session matches.
    #[error(
        "{count} sessions are called {wanted:?}, or have an id that begins with that: write more of an id"
    )]
    Ambiguous {
        /// The requested session.
        wanted: String,
        /// The number of matches.
        count: usize,
    },
}
