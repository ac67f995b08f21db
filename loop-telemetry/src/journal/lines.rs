//! A file of lines, read one by one: what is whole, what is torn, and what is damaged.

use std::{
    fmt,
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use super::{
    At, JournalError,
    line::{self, Bad, Line, Told},
};
use crate::folder;

/// Reads lines from the beginning, without a lock. Memory is bounded by the longest one.
pub(crate) struct Lines {
    path: PathBuf,
    file: BufReader<File>,
    /// The line under way, or the last one.
    line: Vec<u8>,
    /// The last line that was read whole is still in `line`.
    spent: bool,
    /// Lines that were read.
    lines: u64,
    /// Their bytes.
    bytes: u64,
    /// The longest one.
    longest: usize,
    /// There has been one.
    is_begun: bool,
    /// The format of the last one.
    format: u32,
}

/// The last line is torn: its writer died.
pub(crate) struct Torn {
    /// The bytes before it.
    pub(super) whole: u64,
}

impl Lines {
    pub(crate) fn open(path: PathBuf) -> Result<Self, JournalError> {
        let file = folder::read(&path).cannot_read(&path)?;
        Ok(Self::over(file, path))
    }

    pub(super) fn over(file: File, path: PathBuf) -> Self {
        let file = BufReader::with_capacity(64 * 1024, file);
        let line = Vec::new();
        Self { path, file, line, spent: false, lines: 0, bytes: 0, longest: 0, is_begun: false, format: 0 }
    }

    /// There has been a line: without one the file is damaged.
    pub(super) fn begun(mut self, is_begun: bool) -> Self {
        self.is_begun |= is_begun;
        self
    }

    /// Where they are.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next one; `None` if there is none yet. One that is not whole yet is left for later.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] and [`JournalError::Newer`] name the line. [`JournalError::Empty`] if there is none, and
    /// there has been one.
    pub(crate) fn next_line<E: Told>(&mut self) -> Result<Option<Line<'_, E>>, JournalError> {
        if std::mem::take(&mut self.spent) {
            self.line.clear();
        }
        self.file.read_until(b'\n', &mut self.line).cannot_read(&self.path)?;
        if self.line.last() != Some(&b'\n') {
            // One of a later version must not be cut off.
            return match line::newer::<E>(&self.line) {
                Some(found) => Err(self.newer::<E>(self.lines + 1, found)),
                None => self.end(),
            };
        }
        self.spent = true;
        let due = self.lines;
        self.lines += 1;
        self.bytes += self.line.len() as u64;
        self.longest = self.longest.max(self.line.len());
        let line = line::read(&self.line[..self.line.len() - 1]).map_err(|bad| self.bad::<E>(bad))?;
        match line.seq {
            seq if seq == due => {
                self.format = line.v;
                Ok(Some(line))
            }
            seq => Err(self.bad::<E>(Bad::Damaged(format!("it is number {seq} where {due} is due")))),
        }
    }

    /// There is no other whole line.
    ///
    /// A file system that loses what was written last may leave zeros of its length. More of them than the longest line
    /// has bytes are those of several lines, and no write that a crash prevented.
    fn end<T>(&self) -> Result<Option<T>, JournalError> {
        let zeros = self.line.iter().filter(|byte| **byte == 0).count();
        if zeros > self.longest {
            let why = "it consists of zeros, and is longer than any line before it".to_owned();
            return Err(JournalError::Damaged { path: self.path.clone(), line: self.lines + 1, why });
        }
        match self.is_begun && self.lines == 0 {
            true => Err(JournalError::Empty { path: self.path.clone() }),
            false => Ok(None),
        }
    }

    /// The format of the line that was read last.
    pub(crate) const fn format(&self) -> u32 {
        self.format
    }

    /// Lines that were read.
    pub(crate) const fn count(&self) -> u64 {
        self.lines
    }

    /// The bytes of a last line that was not ended.
    pub(crate) fn torn(&self) -> Option<Torn> {
        (!self.spent && !self.line.is_empty()).then_some(Torn { whole: self.bytes })
    }

    /// How many bytes that are.
    pub(crate) fn torn_bytes(&self) -> Option<u64> {
        self.torn().map(|_| self.line.len() as u64)
    }

    fn bad<E: Told>(&self, bad: Bad) -> JournalError {
        match bad {
            Bad::Newer(found) => self.newer::<E>(self.lines, found),
            Bad::Damaged(why) => JournalError::Damaged { path: self.path.clone(), line: self.lines, why },
        }
    }

    fn newer<E: Told>(&self, line: u64, found: u32) -> JournalError {
        JournalError::Newer { path: self.path.clone(), line, found, known: E::FORMAT }
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("path", &self.path).field("lines", &self.lines).finish()
    }
}
