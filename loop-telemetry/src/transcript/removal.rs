//! Removes sessions: those that a person names, and old ones.

use std::{fs, io, path::Path};

use jiff::Timestamp;

use super::{SessionError, SessionStore, list::files_in};
use crate::{JournalError, Retention, journal::Appender};

impl SessionStore {
    /// Removes a session and its name, also if it is damaged.
    ///
    /// # Errors
    /// `JournalError::InUse` if a process holds it; other errors if there is no such session, or the removal fails.
    pub fn remove(&self, id: &str) -> Result<(), SessionError> {
        remove(&self.existing(id)?)
    }

    /// Removes the sessions that exceed the retention at time `now`, and returns their ids. Sessions that a process
    /// holds stay. It reads no session, so it is fast.
    ///
    /// # Errors
    /// If the folder cannot be read, or a session cannot be removed.
    pub fn retain(&self, retention: Retention, now: Timestamp) -> Result<Vec<String>, SessionError> {
        let mut removed = Vec::new();
        for (place, file) in files_in(self.path())?.into_iter().enumerate() {
            if place < retention.ended && !retention.is_expired(file.last_used, now) {
                continue;
            }
            match remove(&file.path) {
                Ok(()) => removed.push(file.id),
                Err(SessionError::File(JournalError::InUse { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }
}

/// Removes the file of a session, which nobody may hold, and its name.
fn remove(path: &Path) -> Result<(), SessionError> {
    let failed = |source| SessionError::Folder { path: path.to_owned(), source };
    // Holds the session until its file is gone, so that no process resumes it meanwhile.
    let held = Appender::open(path.to_owned())?;
    fs::remove_file(path).map_err(failed)?;
    drop(held);
    match fs::remove_file(path.with_extension("name")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}
