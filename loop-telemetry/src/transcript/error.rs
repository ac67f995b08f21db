//! Errors of keeping and resuming sessions.

use std::{io, path::PathBuf};

use crate::JournalError;

/// An error of keeping or resuming a session. Each message names the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A session file cannot be created, read or locked, or has a later format.
    #[error(transparent)]
    File(JournalError),
    /// Another process holds the session.
    #[error("another process holds this session: {} is locked (continue there, or end that process first)", path.display())]
    InUse {
        /// The session file.
        path: PathBuf,
    },
    /// An entry cannot be written.
    #[error("{} cannot be written (make sure that the disk has space; earlier entries are kept, and the session \
             can continue)", path.display())]
    Write {
        /// The session file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A line is damaged.
    #[error(
        "line {line} of {} is damaged: {why} (restore the file from a backup; or cut it off before that line, \
         and everything after it is lost)",
        path.display()
    )]
    Damaged {
        /// The session file.
        path: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// The damage.
        why: String,
    },
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
    /// Another process removed, cut or wrote the file while the session did.
    #[error(
        "{} was changed by another program while the session wrote it: {why} (find out which one does that; \
         messages from now on may be lost)",
        path.display()
    )]
    Tampered {
        /// The session file.
        path: PathBuf,
        /// The change.
        why: String,
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

/// Maps the journal's errors to those of a session.
impl From<JournalError> for SessionError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::InUse { path } => Self::InUse { path },
            JournalError::Write { path, source } => Self::Write { path, source },
            JournalError::Damaged { path, line, why } => Self::Damaged { path, line, why },
            JournalError::Tampered { path, why } => Self::Tampered { path, why },
            other => Self::File(other),
        }
    }
}
