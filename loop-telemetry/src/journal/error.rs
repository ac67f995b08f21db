//! Errors of journals, and of the files of sessions, which have the same form.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::private_folder;

/// The reason why a journal, or the file of a session, cannot be used. Each message names the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The folder or file cannot be created.
    #[error("{} cannot be created (choose another state directory, or one that you can write to)", path.display())]
    Create {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be opened or read.
    #[error("{} cannot be read (check that it is there and that you may read and write it)", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The path is not a regular file, but a link, a pipe or a folder.
    #[error(
        "{} is not a regular file any more (find out what put it there, perhaps the run's own commands; remove \
         it and restore the file from a backup, or start a new run)",
        path.display()
    )]
    NotPlain {
        /// The path.
        path: PathBuf,
    },
    /// The journal has no events, but the run had recorded some.
    #[error(
        "{} is damaged: it has no events, and the run had recorded some (restore the file from a backup; without \
         one, start a new run: the actions and the cost of this one are lost)",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written or synced.
    #[error("{} cannot be written (make sure that the disk has space, then continue: what was recorded is kept)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be locked.
    #[error("{} cannot be locked (put the state directory on a file system that has locks)", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process works on the run or the session.
    #[error("another process holds {} (continue there, wait until it has ended, or end it)", path.display())]
    InUse {
        /// The locked file.
        path: PathBuf,
    },
    /// A line is damaged.
    #[error(
        "line {line} of {} is damaged: {why} (restore the file from a backup; or cut it off before that line, \
         and everything after it is lost, so that a run repeats it)",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// The damage.
        why: String,
    },
    /// Another process removed, cut or wrote the file meanwhile.
    #[error(
        "{} was changed by another program while this one wrote it: {why} (find out which one does that, perhaps \
         a command of the agent; then restore the file from a backup, or start a new run or session)",
        path.display()
    )]
    Tampered {
        /// The file.
        path: PathBuf,
        /// The change.
        why: String,
    },
    /// A later version of this program wrote it.
    #[error(
        "line {line} of {} has the format {found}, but this version knows at most {known}: use the version that \
         wrote it, or a later one",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// The line's format.
        found: u32,
        /// The newest format that this version knows.
        known: u32,
    },
    /// An output cannot be stored or read back.
    #[error("an output of the run cannot be stored in {}: {why}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// You tried to append events to a journal that was opened but not loaded.
    #[error("{} was not loaded, so new lines would not fit the existing ones: load it first", path.display())]
    NotLoaded {
        /// The file.
        path: PathBuf,
    },
}

/// Adds the path to an error of the system.
pub(crate) trait IoErrorContext<T> {
    fn cannot_create(self, path: &Path) -> Result<T, JournalError>;
    fn cannot_read(self, path: &Path) -> Result<T, JournalError>;
    fn cannot_write(self, path: &Path) -> Result<T, JournalError>;
}

impl<T> IoErrorContext<T> for io::Result<T> {
    fn cannot_create(self, path: &Path) -> Result<T, JournalError> {
        self.map_err(|source| JournalError::Create { path: path.to_owned(), source })
    }
    fn cannot_read(self, path: &Path) -> Result<T, JournalError> {
        self.map_err(|source| match private_folder::is_other(path) {
            true => JournalError::NotPlain { path: path.to_owned() },
            false => JournalError::Read { path: path.to_owned(), source },
        })
    }
    fn cannot_write(self, path: &Path) -> Result<T, JournalError> {
        self.map_err(|source| JournalError::Write { path: path.to_owned(), source })
    }
}
