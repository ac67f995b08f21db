//! The sessions of a state directory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Conversation, SessionEntry, SessionError, SessionInfo, TimedEntry, Transcript, TranscriptEntry,
    UnreadableSession,
    file::next_entry,
    list::{EXTENSION, SessionListing, id_of, name_of, sessions_in},
};
use crate::{
    journal::{LineReader, is_locked},
    private_folder,
};

/// The sessions of one state directory. Any number of processes may use it at once. Its methods block on disk I/O.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStore {
    path: PathBuf,
}

impl SessionStore {
    /// Returns the store in this folder. Creates nothing yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a session: creates its file with [`TranscriptEntry::Begun`]. `clock` returns the wall-clock time, for
    /// example `Timestamp::now`.
    ///
    /// # Errors
    /// If the id is invalid or taken, or a write fails; then there is no such session.
    pub fn begin<M: Serialize + DeserializeOwned>(
        &self,
        info: &SessionInfo,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Transcript<M>, SessionError> {
        let mut transcript = Transcript::create(self.file_of(&info.id)?, Box::new(clock))?;
        if let Err(error) = transcript.append(&TranscriptEntry::Begun(info.clone())) {
            // An empty file would block the next attempt.
            let _ = fs::remove_file(transcript.path());
            return Err(error);
        }
        Ok(transcript)
    }

    /// Resumes a session: returns its transcript and the fold of its entries. Cuts off a torn last line. The caller,
    /// who knows the model, appends [`TranscriptEntry::Resumed`].
    ///
    /// # Errors
    /// `JournalError::InUse` if a process holds it; `JournalError::Damaged` names the line; other errors if there is no
    /// such session or it cannot be read.
    pub fn resume<M: Serialize + DeserializeOwned>(
        &self,
        id: &str,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<(Transcript<M>, Conversation<M>), SessionError> {
        Transcript::open(self.existing(id)?, Box::new(clock))
    }

    /// Returns all entries of a session, in order. A process may hold the session meanwhile.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be read; `JournalError::Damaged` names the line.
    pub fn entries<M: DeserializeOwned>(&self, id: &str) -> Result<Vec<TimedEntry<M>>, SessionError> {
        let mut lines = LineReader::open(self.existing(id)?)?;
        let mut entries = Vec::new();
        while let Some(entry) = next_entry(&mut lines)? {
            entries.push(entry);
        }
        match entries.is_empty() {
            true => Err(SessionError::Empty { path: lines.path().to_owned() }),
            false => Ok(entries),
        }
    }

    /// Returns the first prompt of a session. Returns `None` if it has none, or if it cannot be read. Reads no further than
    /// to the prompt.
    pub fn first_prompt<M: DeserializeOwned>(&self, id: &str) -> Option<M> {
        let mut lines = LineReader::open(self.existing(id).ok()?).ok()?;
        while let Some(entry) = next_entry::<M>(&mut lines).ok()? {
            if let TranscriptEntry::Asked { prompt, .. } = entry.entry {
                return Some(prompt);
            }
        }
        None
    }

    /// Returns all readable sessions, last used first. It reads the first line of each.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<SessionEntry>, SessionError> {
        Ok(sessions_in(&self.path)?.into_iter().filter_map(Result::ok).collect())
    }

    /// Like [`list`](Self::list), with the sessions of this folder first. Also returns the sessions that cannot be
    /// read, because their first line is damaged or has a later format; their folders are unknown.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn list_from(
        &self,
        folder: impl AsRef<Path>,
    ) -> Result<(Vec<SessionEntry>, Vec<UnreadableSession>), SessionError> {
        let folder = folder.as_ref();
        let (mut sessions, mut unreadable) = (Vec::new(), Vec::new());
        for listed in sessions_in(&self.path)? {
            match listed {
                Ok(session) => sessions.push(session),
                Err(session) => unreadable.push(session),
            }
        }
        sessions.sort_by_key(|session| !session.info.works_in(folder));
        Ok((sessions, unreadable))
    }

    /// Finds the session that a person means by its id, its name, or a unique prefix of its id. A name that several
    /// sessions share finds none.
    ///
    /// # Errors
    /// [`SessionError::NoSuchSession`], [`SessionError::Ambiguous`], or the reason why the session cannot be read.
    pub fn find(&self, wanted: &str) -> Result<SessionEntry, SessionError> {
        let mut meant = sessions_in(&self.path)?;
        if let Some(exact) = meant.iter().position(|session| id_of(session) == wanted) {
            return meant.swap_remove(exact).map_err(|unreadable| unreadable.why);
        }
        let is_called = |session: &SessionListing| name_of(session) == Some(wanted);
        let is_named = meant.iter().any(is_called);
        meant.retain(|session| match is_named {
            true => is_called(session),
            false => !wanted.is_empty() && id_of(session).starts_with(wanted),
        });
        let wanted = wanted.to_owned();
        match (meant.pop(), meant.len()) {
            (None, _) => Err(SessionError::NoSuchSession { wanted }),
            (Some(session), 0) => session.map_err(|unreadable| unreadable.why),
            (Some(_), others) => Err(SessionError::Ambiguous { wanted, count: others + 1 }),
        }
    }

    /// Returns whether there is a session with this id, readable or not.
    pub fn contains(&self, id: &str) -> bool {
        self.existing(id).is_ok()
    }

    /// Returns whether a process holds the session. The kernel knows this, so a killed process does not count.
    ///
    /// # Errors
    /// If the lock cannot be queried.
    pub fn is_held(&self, id: &str) -> Result<bool, SessionError> {
        Ok(is_locked(&self.file_of(id)?)?)
    }

    pub(super) fn existing(&self, id: &str) -> Result<PathBuf, SessionError> {
        let path = self.file_of(id)?;
        match path.is_file() {
            true => Ok(path),
            false => Err(SessionError::NoSuchSession { wanted: id.to_owned() }),
        }
    }

    fn file_of(&self, id: &str) -> Result<PathBuf, SessionError> {
        match private_folder::is_id(id) {
            true => Ok(self.path.join(id).with_extension(EXTENSION)),
            false => Err(SessionError::BadId { id: id.to_owned() }),
        }
    }
}
