//! Sessions as they are listed.
//!
//! A year of sessions is a gigabyte, so a list does not read them: of each it reads the first line, which says
//! what the session was begun with, and the little file that holds its name. When it was used last the file
//! system knows.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use jiff::Timestamp;
use serde::de::IgnoredAny;

use super::{Entry, SessionError, SessionInfo};
use crate::{clamped, folder, journal::Lines};

/// What the file of a session is called, beside its id.
pub(super) const EXTENSION: &str = "jsonl";

/// The longest name that is read: no person writes a longer one.
const MAX_NAME_BYTES: u64 = 4 * 1024;

/// A session as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEntry {
    /// What it was begun with.
    pub info: SessionInfo,
    /// How a person calls it.
    pub name: Option<String>,
    /// When it was written last.
    pub last_used: Timestamp,
    /// How long its file is.
    pub bytes: u64,
}

/// A file that is called as a session is, and cannot be read as one.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnreadableSession {
    /// What its file is called.
    pub id: String,
    /// How a person calls it.
    pub name: Option<String>,
    /// When it was written last.
    pub last_used: Timestamp,
    /// Why it cannot be read.
    pub why: SessionError,
}

/// A session, whether it can be read or not.
pub(super) type Listed = Result<SessionEntry, UnreadableSession>;

/// What its file is called.
pub(super) fn id_of(listed: &Listed) -> &str {
    listed.as_ref().map_or_else(|unreadable| &unreadable.id, |entry| &entry.info.id)
}

/// How a person calls it.
pub(super) fn name_of(listed: &Listed) -> Option<&str> {
    listed.as_ref().map_or_else(|unreadable| unreadable.name.as_deref(), |entry| entry.name.as_deref())
}

fn last_used(listed: &Listed) -> Timestamp {
    listed.as_ref().map_or_else(|unreadable| unreadable.last_used, |entry| entry.last_used)
}

/// All sessions in this folder, those that were used last at first. Files of other names are passed over.
pub(super) fn sessions_in(folder: &Path) -> Result<Vec<Listed>, SessionError> {
    let failed = |source| SessionError::Folder { path: folder.to_owned(), source };
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files.map_err(failed)?,
    };
    let mut sessions = Vec::new();
    for file in files {
        sessions.extend(session(&file.map_err(failed)?.path()));
    }
    sessions.sort_by(|a, b| (last_used(b), id_of(b)).cmp(&(last_used(a), id_of(a))));
    Ok(sessions)
}

/// The session of this file, if it is called like one.
fn session(path: &Path) -> Option<Listed> {
    let id = path.file_stem().filter(|_| path.extension().is_some_and(|it| it == EXTENSION))?;
    let id = id.to_string_lossy().into_owned();
    // One that was removed meanwhile is none.
    let metadata = fs::metadata(path).ok()?;
    let last_used = metadata.modified().map_or(Timestamp::UNIX_EPOCH, clamped);
    let name = name(path);
    Some(match begun(path, &id) {
        Ok(info) => Ok(SessionEntry { info, name, last_used, bytes: metadata.len() }),
        Err(why) => Err(UnreadableSession { id, name, last_used, why }),
    })
}

/// What its first line says.
fn begun(path: &Path, id: &str) -> Result<SessionInfo, SessionError> {
    let damaged = |why: &str| SessionError::Damaged { path: path.to_owned(), line: 1, why: why.to_owned() };
    let mut lines = Lines::open(path.to_owned())?;
    match lines.next_line::<Entry<IgnoredAny>>()?.map(|line| line.event) {
        Some(Entry::Begun(info)) if info.id == id => Ok(info),
        Some(Entry::Begun(info)) => Err(damaged(&format!("it is that of the session {}", info.id))),
        Some(_) => Err(damaged("no session begins so")),
        None => Err(SessionError::Empty { path: path.to_owned() }),
    }
}

fn name(path: &Path) -> Option<String> {
    let mut name = Vec::new();
    let file = folder::read(&path.with_extension("name")).ok()?;
    file.take(MAX_NAME_BYTES).read_to_end(&mut name).ok()?;
    // A damaged one is shown as far as it can be read.
    Some(String::from_utf8_lossy(&name).into_owned())
}
