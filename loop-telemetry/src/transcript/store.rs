//! The sessions of a state directory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Conversation, Entry, SessionEntry, SessionError, SessionInfo, Stamped, Transcript, UnreadableSession,
    file::next_entry,
    list::{EXTENSION, Listed, id_of, name_of, sessions_in},
};
use crate::{
    folder,
    journal::{Lines, is_locked},
};

/// All sessions of one state directory. Any number of processes may use it at once. It blocks, for the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStore {
    path: PathBuf,
}

impl SessionStore {
    /// The store in this folder. Nothing is made yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a session: makes its file, with [`Entry::Begun`] in it. `clock` tells the wall-clock time:
    /// `Timestamp::now`.
    ///
    /// # Errors
    /// If the id cannot be one or is taken, or something cannot be written; there is no such session then.
    pub fn begin<M: Serialize + DeserializeOwned>(
        &self,
        info: &SessionInfo,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Transcript<M>, SessionError> {
        let mut transcript = Transcript::create(self.file_of(&info.id)?, Box::new(clock))?;
        if let Err(error) = transcript.append(&Entry::Begun(info.clone())) {
            // A file in which nothing stands would be in the way of the next attempt.
            let _ = fs::remove_file(transcript.path());
            return Err(error);
        }
        Ok(transcript)
    }

    /// Takes a session up again: returns its transcript, and what its entries have made of it. A torn last line is
    /// cut off. That it goes on is [noted](Entry::Resumed) by the caller, who knows the model.
    ///
    /// # Errors
    /// [`SessionError::InUse`] if a process holds it; [`SessionError::Damaged`] names the line;
    /// others if there is no such session, or it cannot be read.
    pub fn resume<M: Serialize + DeserializeOwned>(
        &self,
        id: &str,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<(Transcript<M>, Conversation<M>), SessionError> {
        Transcript::open(self.existing(id)?, Box::new(clock))
    }

    /// Everything that happened in a session, in its order. It may be held by a process meanwhile.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be read; [`SessionError::Damaged`] names the line.
    pub fn entries<M: DeserializeOwned>(&self, id: &str) -> Result<Vec<Stamped<M>>, SessionError> {
        let mut lines = Lines::open(self.existing(id)?)?;
        let mut entries = Vec::new();
        while let Some(entry) = next_entry(&mut lines)? {
            entries.push(entry);
        }
        match entries.is_empty() {
            true => Err(SessionError::Empty { path: lines.path().to_owned() }),
            false => Ok(entries),
        }
    }

    /// All sessions that can be read, those that were used last at first. It reads the first line of each.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<SessionEntry>, SessionError> {
        Ok(sessions_in(&self.path)?.into_iter().filter_map(Result::ok).collect())
    }

    /// [`list`](Self::list), but those of this folder first; and the others, whose first line cannot be read, as it
    /// is damaged or of a later version. Of which folder these are nobody knows.
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

    /// The session that a person means: its id, the name that it was given, or the beginning of an id that no other
    /// has. Of several with one name, none.
    ///
    /// # Errors
    /// [`SessionError::NoSuchSession`] and [`SessionError::Ambiguous`], and why the one that is meant cannot be read.
    pub fn find(&self, wanted: &str) -> Result<SessionEntry, SessionError> {
        let mut meant = sessions_in(&self.path)?;
        if let Some(exact) = meant.iter().position(|session| id_of(session) == wanted) {
            return meant.swap_remove(exact).map_err(|unreadable| unreadable.why);
        }
        let is_called = |session: &Listed| name_of(session) == Some(wanted);
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

    /// Whether a process holds the session, as the kernel knows it: one that was killed does not.
    ///
    /// # Errors
    /// If its lock cannot be asked for.
    pub fn is_held(&self, id: &str) -> Result<bool, SessionError> {
        Ok(is_locked(&self.file_of(id)?)?)
    }

    fn existing(&self, id: &str) -> Result<PathBuf, SessionError> {
        let path = self.file_of(id)?;
        match path.is_file() {
            true => Ok(path),
            false => Err(SessionError::NoSuchSession { wanted: id.to_owned() }),
        }
    }

    fn file_of(&self, id: &str) -> Result<PathBuf, SessionError> {
        match folder::is_id(id) {
            true => Ok(self.path.join(id).with_extension(EXTENSION)),
            false => Err(SessionError::BadId { id: id.to_owned() }),
        }
    }
}
