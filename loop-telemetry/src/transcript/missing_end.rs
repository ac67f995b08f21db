//! Finds out whether the end of a session's file is missing.
//!
//! A list has no time to read whole sessions, so this reads only the last line of a file.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use serde::de::IgnoredAny;

use super::{SessionError, SessionStore, TranscriptEntry, entry::WITH_ENDS};
use crate::{
    JournalError,
    journal::{is_locked, last_line},
    private_folder,
};

/// The number of bytes to read from the end of a file at first. Longer lines take further reads.
const BLOCK: u64 = 16 * 1024;

/// The part that is missing at the end of a session's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingEnd {
    /// A part of the last line. The file has this number of bytes of that line.
    Torn(u64),
    /// The [end](TranscriptEntry::Ended): the session's process was killed, or the end of the file was removed. The
    /// last messages may be missing too.
    Ended,
}

impl SessionStore {
    /// Returns the part that is missing at the end of a session's file. Returns `None` if the session is complete, if a
    /// process holds it, or if a version that wrote no ends wrote it. It reads only the last line.
    ///
    /// ```
    /// use jiff::Timestamp;
    /// use loop_telemetry::transcript::{MissingEnd, SessionInfo, SessionStore, TranscriptEntry};
    /// # let state = tempfile::tempdir()?;
    /// let store = SessionStore::at(state.path().join("sessions"));
    /// let info = SessionInfo::new("s-1", "/home/ann/project", "qwen3", Timestamp::now());
    /// let mut transcript = store.begin::<String>(&info, Timestamp::now)?;
    /// assert_eq!(store.missing_end("s-1")?, None, "it is open");
    /// drop(transcript);
    /// assert_eq!(store.missing_end("s-1")?, Some(MissingEnd::Ended));
    /// let (mut transcript, _) = store.resume::<String>("s-1", Timestamp::now)?;
    /// transcript.append(&TranscriptEntry::Ended)?;
    /// drop(transcript);
    /// assert_eq!(store.missing_end("s-1")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such session, or its file cannot be read.
    pub fn missing_end(&self, id: &str) -> Result<Option<MissingEnd>, SessionError> {
        let path = self.existing(id)?;
        if is_locked(&path)? {
            return Ok(None);
        }
        let line = private_folder::read(&path).and_then(|mut file| end_of(&mut file));
        let line = line.map_err(|source| JournalError::Read { path, source })?;
        Ok(missing_after(&line))
    }
}

fn missing_after(line: &[u8]) -> Option<MissingEnd> {
    let Some(whole) = line.strip_suffix(b"\n") else {
        return (!line.is_empty()).then_some(MissingEnd::Torn(line.len() as u64));
    };
    match last_line::<TranscriptEntry<IgnoredAny>>(whole) {
        Some((_, TranscriptEntry::Ended)) => None,
        Some((format, _)) if format < WITH_ENDS => None,
        Some(_) | None => Some(MissingEnd::Ended),
    }
}

/// Reads the last line of a file, with its line end if it has one.
fn end_of(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut size = BLOCK;
    loop {
        let start = length.saturating_sub(size);
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        file.by_ref().take(length - start).read_to_end(&mut block)?;
        let before_end = block.len().saturating_sub(1);
        match block[..before_end].iter().rposition(|byte| *byte == b'\n') {
            Some(at) => return Ok(block.split_off(at + 1)),
            None if start == 0 => return Ok(block),
            None => size *= 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_last_line_is_found_whatever_its_length() {
        for (before, last) in
            [("", ""), ("", "x"), ("", "x\n"), ("a\n", "\n"), ("a\nb\n", "c"), ("a\n", "c\n")]
        {
            for length in [1, 3, 20_000, 100_000] {
                let last = last.replace('c', &"c".repeat(length));
                let mut file = tempfile::tempfile().unwrap();
                write!(file, "{before}{last}").unwrap();
                assert_eq!(end_of(&mut file).unwrap(), last.as_bytes());
            }
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_is_no_end() {
        assert_eq!(missing_after(b""), None);
        assert_eq!(missing_after(b"{}\n"), Some(MissingEnd::Ended));
        assert_eq!(missing_after(b"{\"v\""), Some(MissingEnd::Torn(4)));
    }
}
