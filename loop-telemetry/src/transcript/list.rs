//! The list of sessions.
//!
//! A year of sessions is a gigabyte, so a list does not read them. It reads the first line of each session, which has
//! the facts at its start, and the small file with its name. The file system knows when a session was last used.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::de::IgnoredAny;

use super::{SessionError, SessionInfo, TranscriptEntry};
use crate::{clamped, journal::LineReader, private_folder};

/// The extension of a session's file.
pub(super) const EXTENSION: &str = "jsonl";

/// The maximum size of a name that we read. No person writes a longer one.
const MAX_NAME_BYTES: u64 = 4 * 1024;

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEntry {
    /// The facts at its start.
    pub info: SessionInfo,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// The time of the last write.
    pub last_used: Timestamp,
    /// The length of its file.
    pub bytes: u64,
}

/// A file with the name of a session that cannot be read as one.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnreadableSession {
    /// The id in the file's name.
    pub id: String,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// The time of the last write.
    pub last_used: Timestamp,
    /// The reason why it cannot be read.
    pub why: SessionError,
}

/// A session, readable or not.
pub(super) type SessionListing = Result<SessionEntry, UnreadableSession>;

/// Returns the id in the file's name.
pub(super) fn id_of(listed: &SessionListing) -> &str {
    listed.as_ref().map_or_else(|unreadable| &unreadable.id, |entry| &entry.info.id)
}

/// Returns the name that a person gave it.
pub(super) fn name_of(listed: &SessionListing) -> Option<&str> {
    listed.as_ref().map_or_else(|unreadable| unreadable.name.as_deref(), |entry| entry.name.as_deref())
}

/// The file of a session.
pub(super) struct SessionFile {
    pub(super) path: PathBuf,
    /// The id in its name.
    pub(super) id: String,
    pub(super) last_used: Timestamp,
    bytes: u64,
}

/// Returns the files of all sessions in this folder, last used first. Skips files with other names.
pub(super) fn files_in(folder: &Path) -> Result<Vec<SessionFile>, SessionError> {
    let failed = |source| SessionError::Folder { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        files.extend(session_file(entry.map_err(failed)?.path()));
    }
    files.sort_by(|a, b| (b.last_used, &b.id).cmp(&(a.last_used, &a.id)));
    Ok(files)
}

/// Returns the file of a session, if the path is named like one.
fn session_file(path: PathBuf) -> Option<SessionFile> {
    let id = path.file_stem().filter(|_| path.extension().is_some_and(|it| it == EXTENSION))?;
    let id = id.to_string_lossy().into_owned();
    // A session that was removed meanwhile does not count.
    let metadata = fs::metadata(&path).ok()?;
    let last_used = metadata.modified().map_or(Timestamp::UNIX_EPOCH, clamped);
    Some(SessionFile { path, id, last_used, bytes: metadata.len() })
}

/// Returns all sessions in this folder, last used first.
pub(super) fn sessions_in(folder: &Path) -> Result<Vec<SessionListing>, SessionError> {
    Ok(files_in(folder)?.into_iter().map(listing).collect())
}

fn listing(file: SessionFile) -> SessionListing {
    let SessionFile { path, id, last_used, bytes } = file;
    let name = name(&path);
    match begun(&path, &id) {
        Ok(info) => Ok(SessionEntry { info, name, last_used, bytes }),
        Err(why) => Err(UnreadableSession { id, name, last_used, why }),
    }
}

/// Reads the facts on the first line.
fn begun(path: &Path, id: &str) -> Result<SessionInfo, SessionError> {
    let mut lines = LineReader::open(path.to_owned())?;
    match lines.next_line::<TranscriptEntry<IgnoredAny>>()?.map(|line| line.event) {
        Some(TranscriptEntry::Begun(info)) if info.id == id => Ok(info),
        Some(TranscriptEntry::Begun(info)) => {
            Err(lines.last_is_damaged(format!("it belongs to the session {}", info.id)).into())
        }
        Some(_) => Err(lines.last_is_damaged("a session does not begin with this entry").into()),
        None => Err(SessionError::Empty { path: path.to_owned() }),
    }
}

fn name(path: &Path) -> Option<String> {
    let mut name = Vec::new();
    let file = private_folder::read(&path.with_extension("name")).ok()?;
    file.take(MAX_NAME_BYTES).read_to_end(&mut name).ok()?;
    // We show the readable part of a damaged name.
    Some(String::from_utf8_lossy(&name).into_owned())
}
