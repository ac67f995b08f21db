//! The chain of a journal's lines.
//!
//! A checksum finds damage. It does not find a change by somebody who computes the checksum again. So each line contains
//! the SHA-256 of the line before it, and the run's record contains that of the last line, the *head*. A line that was
//! changed, removed, swapped or inserted does not fit its neighbours, unless every later line and the record were
//! rewritten too.
//!
//! The first line contains the SHA-256 of `run.json`, so that nobody can give the run another manifest.
//!
//! `tail -n 1 events.jsonl | sha256sum` prints the head, also without this program.

use std::{fmt, io, path::Path};

use sha2::{Digest as _, Sha256};

use super::{IoErrorContext, JournalError};
use crate::private_folder;

/// The SHA-256 of a line with its line end. As text it is hexadecimal.
///
/// ```
/// use loop_telemetry::LineDigest;
/// let digest = LineDigest::of(b"{}\n").to_string();
/// assert_eq!(digest, "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LineDigest([u8; 32]);

impl LineDigest {
    /// Returns the digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the digest of the initial data of the run in this folder, and of no bytes if it has none.
    pub(super) fn of_run_info(run: &Path) -> Result<Self, JournalError> {
        let path = run.join("run.json");
        match private_folder::read_all(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::of(b"")),
            read => Ok(Self::of(&read.cannot_read(&path)?)),
        }
    }

    /// Returns its text.
    pub(super) fn hex(&self) -> [u8; 64] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        hex
    }
}

impl fmt::Display for LineDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hex().iter().try_for_each(|digit| fmt::Write::write_char(f, char::from(*digit)))
    }
}

impl fmt::Debug for LineDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The position of the next line in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinePosition {
    /// Its number, from 0.
    pub(crate) number: u64,
    /// The digest that it contains; `None` in a file without a chain, and before a journal writes its first line.
    pub(crate) before: Option<LineDigest>,
}

impl LinePosition {
    /// Returns the position of the line that follows this one, which has these bytes.
    pub(crate) fn after(self, line: &[u8]) -> Self {
        Self { number: self.number + 1, before: self.before.map(|_| LineDigest::of(line)) }
    }
}

/// The chain of the lines that were read so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    /// The text of the digest in the first line.
    origin: Option<String>,
    /// The number of lines without a digest, which all come first.
    unchained: u64,
    lines: u64,
    /// The digest of the last line.
    head: Option<LineDigest>,
}

impl Chain {
    /// Adds a line, which contains `before`. `must_be_chained` says whether its format requires that.
    ///
    /// # Errors
    /// In words, why the line does not follow from the one before it.
    pub(super) fn add(
        &mut self,
        line: &[u8],
        before: Option<&str>,
        must_be_chained: bool,
    ) -> Result<(), &'static str> {
        match (before, &self.head) {
            (None, _) if must_be_chained || self.unchained < self.lines => {
                return Err("it does not contain the digest of the line before it");
            }
            (None, _) => self.unchained += 1,
            (Some(before), None) => self.origin = Some(before.to_owned()),
            (Some(before), Some(head)) if before.as_bytes() != head.hex() => {
                return Err("it does not follow from the line before it, so one of them was changed");
            }
            (Some(_), Some(_)) => {}
        }
        self.lines += 1;
        self.head = Some(LineDigest::of(line));
        Ok(())
    }

    /// Returns the digest of the last line, if it contains that of the line before it.
    pub(super) fn head(&self) -> Option<LineDigest> {
        self.head.filter(|_| self.unchained < self.lines)
    }

    /// Returns the number of the first lines that contain no digest, because an earlier version wrote them.
    pub(super) const fn unchained(&self) -> u64 {
        self.unchained
    }

    /// Returns whether the first line contains this digest.
    pub(super) fn begins_with(&self, origin: &LineDigest) -> bool {
        self.origin.as_deref().is_some_and(|stored| stored.as_bytes() == origin.hex())
    }

    /// Returns the position of the next line.
    pub(super) const fn next(&self) -> LinePosition {
        LinePosition { number: self.lines, before: self.head }
    }
}
