//! A session's file, held by its only writer.

use std::{
    fmt,
    marker::PhantomData,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Conversation, SessionError, TimedEntry, TranscriptEntry, entry::WITH_ENDS};
use crate::{
    JournalError,
    journal::{Appender, LinePosition, LineReader, write_line},
    private_folder,
    redact::Redactor,
};

/// The transcript of a running session, created by a [`SessionStore`](super::SessionStore). It locks the session while
/// it lives; if the process dies, the kernel releases the lock.
///
/// # Default
/// No redaction.
pub struct Transcript<M> {
    file: Appender,
    clock: Box<dyn FnMut() -> Timestamp + Send>,
    redactor: Option<Redactor>,
    /// The number of the next line.
    next: u64,
    /// The number of bytes of a torn last line that we cut off.
    torn: Option<u64>,
    lacks_end: bool,
    message: PhantomData<fn(M) -> M>,
}

impl<M: Serialize + DeserializeOwned> Transcript<M> {
    /// Creates the file, which must not exist.
    pub(super) fn create(
        path: PathBuf,
        clock: Box<dyn FnMut() -> Timestamp + Send>,
    ) -> Result<Self, SessionError> {
        let file = Appender::create(path)?;
        Ok(Self { file, clock, redactor: None, next: 0, torn: None, lacks_end: false, message: PhantomData })
    }

    /// Opens an existing file.
    pub(super) fn open(
        path: PathBuf,
        clock: Box<dyn FnMut() -> Timestamp + Send>,
    ) -> Result<(Self, Conversation<M>), SessionError> {
        let mut file = Appender::open(path)?;
        let mut lines = LineReader::open(file.path().to_owned())?;
        let mut conversation = Conversation::default();
        let mut lacks_end = false;
        while let Some(timed) = next_entry(&mut lines)? {
            lacks_end = lines.format() >= WITH_ENDS && !matches!(timed.entry, TranscriptEntry::Ended);
            conversation.apply(timed.entry).map_err(|misfit| lines.last_is_damaged(misfit.to_string()))?;
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

    /// Redacts secrets in all texts before they are written. A resumed session contains [`REDACTED`](crate::REDACTED)
    /// in their place. The bytes of attachments (objects with `media_type`, `base64` and perhaps `name`) stay as they
    /// are.
    #[must_use]
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// Returns the number of bytes of a torn last line that the resume cut off. The content of that line is lost.
    pub const fn torn_bytes(&self) -> Option<u64> {
        self.torn
    }

    /// Returns whether the session was resumed without an [end](TranscriptEntry::Ended): its process was killed, or the
    /// end of its file was removed. The last messages may be missing then. Sessions of versions that wrote no ends lack
    /// none.
    pub const fn lacks_end(&self) -> bool {
        self.lacks_end
    }

    /// Returns the path of its file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Appends an entry. Entries that end a turn, and all entries outside a turn, are synced to disk.
    ///
    /// Blocks on disk I/O.
    ///
    /// # Errors
    /// [`SessionError`] if the entry cannot be written. The file is unchanged then, and you can append this or another
    /// entry later. [`SessionError::Folder`] is different: the entry is written, but the session's new name is not
    /// saved for lists. After [`JournalError::Tampered`] the file no longer belongs to this session.
    pub fn append(&mut self, entry: &TranscriptEntry<M>) -> Result<(), SessionError> {
        let unwritable = |path: &Path, source| SessionError::Unwritable { path: path.to_owned(), source };
        let time = format!("{:.3}", (self.clock)());
        let position = LinePosition { number: self.next, before: None };
        let mut line = Vec::new();
        let written = match &self.redactor {
            None => write_line::<TranscriptEntry<M>>(&mut line, position, &time, entry, None),
            Some(redactor) => redactor
                .json(entry)
                .and_then(RawValue::from_string)
                .and_then(|json| write_line::<TranscriptEntry<M>>(&mut line, position, &time, &json, None)),
        };
        written.map_err(|error| unwritable(self.file.path(), error))?;
        self.file.append(&line)?;
        if entry.is_settled()
            && let Err(error) = self.file.sync()().and_then(|()| self.file.check())
        {
            if matches!(error, JournalError::Write { .. }) {
                self.file.take_back(line.len() as u64);
            }
            return Err(error.into());
        }
        self.next += 1;
        match entry {
            TranscriptEntry::Renamed { name } => self.keep_name(name),
            _ => Ok(()),
        }
    }

    /// Saves the name for lists, which do not read the whole file.
    fn keep_name(&self, name: &str) -> Result<(), SessionError> {
        let path = self.path().with_extension("name");
        let name = self.redactor.as_ref().map_or(name.into(), |redactor| redactor.redact(name));
        private_folder::write_synced(&path, name.as_bytes())
            .map_err(|source| SessionError::Folder { path, source })
    }
}

/// Returns the next entry of a file; `None` if there is none yet.
pub(super) fn next_entry<M: DeserializeOwned>(
    lines: &mut LineReader,
) -> Result<Option<TimedEntry<M>>, SessionError> {
    let Some(line) = lines.next_line::<TranscriptEntry<M>>()? else { return Ok(None) };
    let (time, entry) = (line.time.parse(), line.event);
    match time {
        Ok(time) => Ok(Some(TimedEntry { time, entry })),
        Err(error) => Err(lines.last_is_damaged(format!("its time is invalid ({error})")).into()),
    }
}

impl<M> fmt::Debug for Transcript<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcript")
            .field("path", &self.file.path())
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
