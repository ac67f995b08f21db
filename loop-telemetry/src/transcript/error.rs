//! Why a session cannot be kept, or not be taken up again.

use std::{io, path::PathBuf};

use crate::JournalError;

/// Why a session cannot be kept, or not be taken up again. Each text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A file of it cannot be made, read or locked, or is of a later version.
    #[error(transparent)]
    File(JournalError),
    /// Another process holds it.
    #[error("another process holds this session: {} is locked (go on there, or end that one first)", path.display())]
    InUse {
        /// Its file.
        path: PathBuf,
    },
    /// Something that happened cannot be written down.
    #[error("{} cannot be written (see that there is space on the disk; what was written before is kept, and the session can go on)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line is not what was written.
    #[error(
        "line {line} of {} is damaged: {why} (take the file from a backup; or cut it off before that line, and what came after is lost)",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// Nothing of what was written is in it any more.
    #[error(
        "{0} is damaged: it holds nothing of the session that began in it (take the file from a backup; without one, the session is lost, and `rm '{0}'` removes it from the list)",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else removed, cut or wrote it while the session did.
    #[error(
        "{} was changed by somebody else while the session wrote it: {why} (find out who does that; what is said from now on may not be found again)",
        path.display()
    )]
    Meddled {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A message has no JSON.
    #[error("what happened cannot be written to {} as JSON", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
    /// The folder of the sessions cannot be read, or a name not be kept in it.
    #[error("{} cannot be used (check that you may read and write it, and that the disk is not full)", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A session's id would not be the name of a file.
    #[error("{id:?} cannot be a session's id: an id has 1 to 64 letters, digits, `-` and `_`")]
    BadId {
        /// The id.
        id: String,
    },
    /// There is no such session.
    #[error("there is no session called {wanted:?}, and none whose id begins so")]
    NoSuchSession {
        /// What was asked for.
        wanted: String,
    },
    /// More than one session is meant.
    #[error("{count} sessions are called {wanted:?}, or have an id that begins so: give more of an id")]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// How many there are.
        count: usize,
    },
}

/// The same in a session's words.
impl From<JournalError> for SessionError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::InUse { path } => Self::InUse { path },
            JournalError::Write { path, source } => Self::Write { path, source },
            JournalError::Damaged { path, line, why } => Self::Damaged { path, line, why },
            JournalError::Meddled { path, why } => Self::Meddled { path, why },
            other => Self::File(other),
        }
    }
}
