//! Checks that nobody else changed the journal.
//!
//! An agent that cleans up may remove or cut the journal of its own run. Lines that are written to a deleted file are
//! lost, and lines after a gap are useless. Without this check, nobody would notice before the morning.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

use super::{IoErrorContext, JournalError};

/// Checks that the open file is still the one at this path, and has the expected length.
pub(super) fn check_untampered(file: &File, path: &Path, length: u64) -> Result<(), JournalError> {
    let tampered = |why: String| Err(JournalError::Tampered { path: path.to_owned(), why });
    let ours = file.metadata().cannot_read(path)?;
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            tampered("it was removed".to_owned())
        }
        Ok(there) if !is_same(&ours, &there) => tampered("another file was put in its place".to_owned()),
        _ if ours.len() != length => {
            tampered(format!("it has {} bytes, but {length} were written", ours.len()))
        }
        there => there.map(drop).cannot_read(path),
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Where an open file cannot be replaced, it is always the same.
#[cfg(not(unix))]
const fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
