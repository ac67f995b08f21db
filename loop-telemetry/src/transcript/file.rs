//! A session's file, as its one writer has it.

use std::{
    fmt,
    marker::PhantomData,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Conversation, Entry, SessionError, Stamped, entry::WITH_ENDS};
use crate::{
    JournalError, folder,
    journal::{Appender, Lines, write_line},
    redact::Redactor,
};

/// The transcript of a session that goes on; made by a [`SessionStore`](super::SessionStore). The session is locked
/// for as long as this lives; the kernel gives the lock back if the process dies.
///
/// # Default
/// Nothing is taken out.
pub struct Transcript<M> {
    file: Appender,
    clock: Box<dyn FnMut() -> Timestamp + Send>,
    redactor: Option<Redactor>,
    /// The number of the next line.
    next: u64,
    /// The bytes of a last line that were cut off.
    torn: Option<u64>,
    lacks_end: bool,
    message: PhantomData<fn(M) -> M>,
}

impl<M: Serialize + DeserializeOwned> Transcript<M> {
    /// Begins a file that is not there yet.
    pub(super) fn create(
        path: PathBuf,
        clock: Box<dyn FnMut() -> Timestamp + Send>,
    ) -> Result<Self, SessionError> {
        let file = Appender::create(path)?;
        Ok(Self { file, clock, redactor: None, next: 0, torn: None, lacks_end: false, message: PhantomData })
    }

    /// Goes on with one that is.
    pub(super) fn open(
        path: PathBuf,
        clock: Box<dyn FnMut() -> Timestamp + Send>,
    ) -> Result<(Self, Conversation<M>), SessionError> {
        let mut file = Appender::open(path)?;
        let mut lines = Lines::open(file.path().to_owned())?;
        let mut conversation = Conversation::default();
        let mut lacks_end = false;
        while let Some(stamped) = next_entry(&mut lines)? {
            lacks_end = lines.format() >= WITH_ENDS && !matches!(stamped.entry, Entry::Ended);
            conversation.apply(stamped.entry).map_err(|misfit| damaged(&lines, misfit.to_string()))?;
        }
        if lines.count() == 0 {
            return Err(SessionError::Empty { path: lines.path().to_owned() });
        }
        let torn_bytes = lines.torn_bytes();
        if let Some(torn) = lines.torn() {
            file.cut(&torn)?;
        }
        let next = lines.count();
        let transcript =
            Self { file, clock, redactor: None, next, torn: torn_bytes, lacks_end, message: PhantomData };
        Ok((transcript, conversation))
    }

    /// Takes secrets out of all texts before they are written. Who takes the session up again finds
    /// [`REDACTED`](crate::REDACTED) where they stood. The bytes of attachments (objects of `media_type`, `base64`
    /// and perhaps `name`) are left as they are.
    #[must_use]
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// The bytes of a last line that was not written whole and was cut off when the session was taken up again: what it
    /// was to tell is lost.
    pub const fn torn_bytes(&self) -> Option<u64> {
        self.torn
    }

    /// Returns whether the session was resumed without an [end](Entry::Ended): its process was killed, or the end of its
    /// file was removed. The last messages may be missing then. Sessions of versions that wrote no ends lack none.
    pub const fn lacks_end(&self) -> bool {
        self.lacks_end
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Writes down what happened. What ends a turn, and all that is outside of one, is written through to the disk.
    ///
    /// It blocks, for the disk.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be written; the file is as before then, and the same entry or another one can be
    /// appended later. Only [`SessionError::Folder`] says otherwise: the entry is written, and the name of the session
    /// is not kept for lists. After [`SessionError::Meddled`] the file is not this session's any more.
    pub fn append(&mut self, entry: &Entry<M>) -> Result<(), SessionError> {
        let unwritable = |path: &Path, source| SessionError::Unwritable { path: path.to_owned(), source };
        let time = format!("{:.3}", (self.clock)());
        let mut line = Vec::new();
        let written = match &self.redactor {
            None => write_line::<Entry<M>>(&mut line, self.next, &time, entry, None),
            Some(redactor) => redactor
                .json(entry)
                .and_then(RawValue::from_string)
                .and_then(|json| write_line::<Entry<M>>(&mut line, self.next, &time, &json, None)),
        };
        written.map_err(|error| unwritable(self.file.path(), error))?;
        self.file.append(&line)?;
        if entry.is_settled()
            && let Err(error) = self.file.sync()()
        {
            if matches!(error, JournalError::Write { .. }) {
                self.file.take_back(line.len() as u64);
            }
            return Err(error.into());
        }
        self.next += 1;
        match entry {
            Entry::Renamed { name } => self.keep_name(name),
            _ => Ok(()),
        }
    }

    /// For lists, which do not read the file to its end.
    fn keep_name(&self, name: &str) -> Result<(), SessionError> {
        let path = self.path().with_extension("name");
        let name = self.redactor.as_ref().map_or(name.into(), |redactor| redactor.redact(name));
        folder::write_synced(&path, name.as_bytes()).map_err(|source| SessionError::Folder { path, source })
    }
}

/// The next entry of a file that is read; `None` if there is none yet.
pub(super) fn next_entry<M: DeserializeOwned>(lines: &mut Lines) -> Result<Option<Stamped<M>>, SessionError> {
    let Some(line) = lines.next_line::<Entry<M>>()? else { return Ok(None) };
    let (time, entry) = (line.time.parse(), line.event);
    match time {
        Ok(time) => Ok(Some(Stamped { time, entry })),
        Err(error) => Err(damaged(lines, format!("its time is none ({error})"))),
    }
}

/// The last line that was read is not what was written.
fn damaged(lines: &Lines, why: String) -> SessionError {
    SessionError::Damaged { path: lines.path().to_owned(), line: lines.count(), why }
}

impl<M> fmt::Debug for Transcript<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcript")
            .field("path", &self.file.path())
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
