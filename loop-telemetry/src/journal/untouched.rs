//! Whether a journal is what was written.
//!
//! An agent that tidies up may remove or cut the journal of its own run. What is written to a file without a name
//! is never found again, and what follows a hole is no history; and nobody would know before the morning.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

use super::{At, JournalError};

/// Checks that the file is the one at this path, and as long as it was written.
pub(super) fn untouched(file: &File, path: &Path, length: u64) -> Result<(), JournalError> {
    let meddled = |why: String| Err(JournalError::Meddled { path: path.to_owned(), why });
    let ours = file.metadata().cannot_read(path)?;
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            meddled("it was removed".to_owned())
        }
        Ok(there) if !is_same(&ours, &there) => meddled("another file was put in its place".to_owned()),
        _ if ours.len() != length => {
            meddled(format!("it has {} bytes where {length} were written", ours.len()))
        }
        there => there.map(drop).cannot_read(path),
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Where an open file cannot be replaced, it is the same.
#[cfg(not(unix))]
const fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
