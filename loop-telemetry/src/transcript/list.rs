//! Sessions as they are listed.
//!
//! A year of sessions is a gigabyte, so a list does not read them: of each it reads the first line, which says
//! what the session was begun with, and the little file that holds its name. When it was used last the file
//! system knows.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::de::IgnoredAny;

use super::{Entry, SessionError, SessionInfo};
use crate::journal::Lines;

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

/// All sessions in this folder, those that were used last at first. Files that are no sessions are passed over.
pub(super) fn sessions_in(folder: &Path) -> Result<Vec<SessionEntry>, SessionError> {
    let failed = |source| SessionError::Folder { path: folder.to_owned(), source };
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files.map_err(failed)?,
    };
    let mut sessions = Vec::new();
    for file in files {
        sessions.extend(session(file.map_err(failed)?.path()));
    }
    sessions.sort_by(|a, b| (b.last_used, &b.info.id).cmp(&(a.last_used, &a.info.id)));
    Ok(sessions)
}

/// The session of this file, if it is one.
fn session(path: PathBuf) -> Option<SessionEntry> {
    let id = path.file_stem().filter(|_| path.extension().is_some_and(|it| it == EXTENSION))?.to_owned();
    let metadata = fs::metadata(&path).ok()?;
    let name = name(&path);
    let entry = Lines::open(path).ok()?.next_line::<Entry<IgnoredAny>>().ok()??.event;
    let Entry::Begun(info) = entry else { return None };
    let last_used = Timestamp::try_from(metadata.modified().ok()?).ok()?;
    (id == *info.id).then_some(SessionEntry { info, name, last_used, bytes: metadata.len() })
}

fn name(path: &Path) -> Option<String> {
    let mut name = String::new();
    let file = BufReader::new(File::open(path.with_extension("name")).ok()?);
    file.take(MAX_NAME_BYTES).read_to_string(&mut name).ok()?;
    Some(name)
}
