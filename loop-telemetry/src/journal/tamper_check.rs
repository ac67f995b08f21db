//! Checks that nobody else changed the journal: while a run writes it, and after the run.
//!
//! An agent that cleans up may remove or cut the journal of its own run. Lines that are written to a deleted file are
//! lost, and lines after a gap are useless. Without the first check, nobody would notice before the morning. The second
//! one finds what does not change the file's length, or happens later.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

use loop_core::Event;

use super::{IoErrorContext, JournalError, JournalReader, LineDigest, line_format};
use crate::private_folder;

/// The result of comparing a run's journal with its record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainState {
    /// All lines are those that were written.
    Intact {
        /// The number of lines.
        lines: u64,
        /// How many of them follow the last record, because the run was resumed since and has no new record yet. They are
        /// chained to the others, but an end that was cut off would not be missed.
        later: u64,
    },
    /// The lines fit each other, but no record contains their head: the run has not ended, or its process died.
    Unrecorded {
        /// The number of lines.
        lines: u64,
    },
    /// An earlier version, which made no chain, wrote the first lines.
    NotChained {
        /// How many lines that are.
        lines: u64,
    },
    /// The journal, or `run.json`, is not what the record says.
    Broken {
        /// The first difference, in words.
        why: String,
    },
}

/// Compares the journal in this folder with the head in the run's record. `has_ended` says whether the record is that of
/// the end; otherwise more lines may follow.
///
/// # Errors
/// [`JournalError::Newer`] and [`JournalError::Read`], which say nothing about the chain.
pub(crate) fn check_chain(
    run: &Path,
    recorded: Option<&str>,
    has_ended: bool,
) -> Result<ChainState, JournalError> {
    let (lines, recorded_at, reader) = match read_until_end(run, recorded) {
        Ok(read) => read,
        Err(JournalError::Read { path, source }) if source.kind() == io::ErrorKind::NotFound => {
            return Ok(ChainState::Broken { why: format!("{} was removed", path.display()) });
        }
        Err(JournalError::Newer { path, line, found, .. }) if is_changed(&path, line, recorded)? => {
            return Ok(ChainState::Broken {
                why: format!(
                    "line {line} has the format {found}, and does not fit what follows it, so it was changed"
                ),
            });
        }
        Err(error @ (JournalError::Newer { .. } | JournalError::Read { .. })) => return Err(error),
        Err(damage) => return Ok(ChainState::Broken { why: damage.to_string() }),
    };
    let (chain, broken) = (reader.chain(), |why: String| Ok(ChainState::Broken { why }));
    if chain.unchained() > 0 && (recorded.is_none() || chain.unchained() < lines) {
        return Ok(ChainState::NotChained { lines: chain.unchained() });
    }
    if chain.unchained() > 0 {
        return broken("its lines contain no digests, but the run's record contains one".to_owned());
    }
    if lines > 0 && !chain.begins_with(&LineDigest::of_run_info(run)?) {
        return broken("run.json is not the one with which the run began".to_owned());
    }
    match (recorded, recorded_at) {
        (None, _) if has_ended => {
            broken("its lines are chained, but the run's record lacks the digest of the last one".to_owned())
        }
        (None, _) => Ok(ChainState::Unrecorded { lines }),
        (Some(_), Some(at)) if at == lines || !has_ended => {
            Ok(ChainState::Intact { lines, later: lines - at })
        }
        (Some(_), Some(at)) => {
            broken(format!("{} lines follow the end that the run's record has", lines - at))
        }
        (Some(head), None) => broken(format!(
            "no line has the digest {head}, which the run's record contains: the end was cut off or rewritten"
        )),
    }
}

/// Returns whether a line only claims the format of a later version. A later version would have written all lines after
/// it, and the record.
fn is_changed(path: &Path, line: u64, recorded: Option<&str>) -> Result<bool, JournalError> {
    let text = private_folder::read_all(path).cannot_read(path)?;
    let before = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').skip(before);
    let newer = lines.next().unwrap_or_default();
    Ok(match lines.next() {
        Some(next) => line_format::newer::<Event>(next).is_none(),
        None => recorded.is_some_and(|head| !LineDigest::of(newer).hex().starts_with(head.as_bytes())),
    })
}

/// Reads a journal. Returns the number of its lines, and the number of the line, from 1, with the recorded digest.
fn read_until_end(
    run: &Path,
    recorded: Option<&str>,
) -> Result<(u64, Option<u64>, JournalReader), JournalError> {
    let (mut reader, mut lines, mut recorded_at) = (JournalReader::open(run)?, 0, None);
    while reader.next_entry()?.is_some() {
        lines += 1;
        if reader
            .head()
            .is_some_and(|head| recorded.is_some_and(|recorded| head.hex().starts_with(recorded.as_bytes())))
        {
            recorded_at = Some(lines);
        }
    }
    Ok((lines, recorded_at, reader))
}

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
