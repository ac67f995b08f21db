//! Reads a file line by line, and tells whole, torn and damaged lines apart.

use std::{
    fmt,
    fs::File,
    io::{BufReader, ErrorKind},
    path::{Path, PathBuf},
};

use super::{
    IoErrorContext, JournalError,
    chain::Chain,
    line_format::{self, LineError, LinePayload, StoredLine},
};
use crate::private_folder;

/// Reads lines from the start of a file, without a lock. The longest line bounds the memory.
pub(crate) struct LineReader {
    path: PathBuf,
    file: BufReader<File>,
    /// The current line, or the last one.
    line: Vec<u8>,
    /// Whether `line` still holds the last complete line.
    spent: bool,
    /// The number of lines read so far.
    lines: u64,
    /// The number of their bytes.
    bytes: u64,
    /// The length of the longest line.
    longest: usize,
    /// Whether the file is known to have had a line.
    is_begun: bool,
    /// The format of the last line.
    format: u32,
    chain: Chain,
}

/// A torn last line, whose writer died.
pub(crate) struct TornLine {
    /// The number of bytes before it.
    pub(super) whole: u64,
}

impl LineReader {
    pub(crate) fn open(path: PathBuf) -> Result<Self, JournalError> {
        let file = private_folder::read(&path).cannot_read(&path)?;
        Ok(Self::over(file, path))
    }

    pub(super) fn over(file: File, path: PathBuf) -> Self {
        let file = BufReader::with_capacity(64 * 1024, file);
        Self {
            path,
            file,
            line: Vec::new(),
            spent: false,
            lines: 0,
            bytes: 0,
            longest: 0,
            is_begun: false,
            format: 0,
            chain: Chain::default(),
        }
    }

    /// Sets whether the file is known to have had a line. If it has none now, it is damaged.
    pub(super) fn begun(mut self, is_begun: bool) -> Self {
        self.is_begun |= is_begun;
        self
    }

    /// Returns the file's path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the next line; `None` if there is none yet. Leaves an incomplete line for later.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] and [`JournalError::Newer`] name the line. [`JournalError::Empty`] if the file has no
    /// lines but is known to have had one.
    pub(crate) fn next_line<E: LinePayload>(&mut self) -> Result<Option<StoredLine<'_, E>>, JournalError> {
        if std::mem::take(&mut self.spent) {
            self.line.clear();
        }
        match private_folder::read_line(&mut self.file, &mut self.line) {
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                return Err(self.damaged(self.lines + 1, error.to_string()));
            }
            read => read.cannot_read(&self.path)?,
        };
        if self.line.last() != Some(&b'\n') {
            // We must not cut off a line of a later version.
            return match line_format::newer::<E>(&self.line) {
                Some(found) => Err(self.newer::<E>(self.lines + 1, found)),
                None => self.end(),
            };
        }
        self.spent = true;
        let due = self.lines;
        self.lines += 1;
        self.bytes += self.line.len() as u64;
        self.longest = self.longest.max(self.line.len());
        let line = line_format::read(&self.line[..self.line.len() - 1]).map_err(|bad| self.bad::<E>(bad))?;
        if line.seq != due {
            let why = format!("it has the number {} instead of {due}", line.seq);
            return Err(self.bad::<E>(LineError::Damaged(why)));
        }
        if let Some(chained) = E::CHAINED
            && let Err(why) = self.chain.add(&self.line, line.prev, line.v >= chained)
        {
            return Err(self.bad::<E>(LineError::Damaged(why.to_owned())));
        }
        self.format = line.v;
        Ok(Some(line))
    }

    /// Handles the end of the complete lines.
    ///
    /// After a crash, a file system may leave zeros in place of the lost bytes. If there are more zeros than the
    /// longest line has bytes, they replace several lines, and are not the result of a single interrupted write.
    fn end<T>(&self) -> Result<Option<T>, JournalError> {
        let zeros = self.line.iter().filter(|byte| **byte == 0).count();
        if zeros > self.longest {
            let why = "it consists of zeros, and is longer than any line before it".to_owned();
            return Err(self.damaged(self.lines + 1, why));
        }
        match self.is_begun && self.lines == 0 {
            true => Err(JournalError::Empty { path: self.path.clone() }),
            false => Ok(None),
        }
    }

    /// Returns the format of the last line.
    pub(crate) const fn format(&self) -> u32 {
        self.format
    }

    /// Returns the chain of the lines read so far.
    pub(super) const fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Returns the number of lines read so far.
    pub(crate) const fn count(&self) -> u64 {
        self.lines
    }

    /// Returns the torn last line, if there is one.
    pub(crate) fn torn(&self) -> Option<TornLine> {
        (!self.spent && !self.line.is_empty()).then_some(TornLine { whole: self.bytes })
    }

    /// Returns the length of the torn last line.
    pub(crate) fn torn_bytes(&self) -> Option<u64> {
        self.torn().map(|_| self.line.len() as u64)
    }

    fn bad<E: LinePayload>(&self, bad: LineError) -> JournalError {
        match bad {
            LineError::Newer(found) => self.newer::<E>(self.lines, found),
            LineError::Damaged(why) => self.damaged(self.lines, why),
        }
    }

    /// Returns an error for the last line that was read.
    pub(crate) fn last_is_damaged(&self, why: impl Into<String>) -> JournalError {
        self.damaged(self.lines, why.into())
    }

    fn damaged(&self, line: u64, why: String) -> JournalError {
        JournalError::Damaged { path: self.path.clone(), line, why }
    }

    fn newer<E: LinePayload>(&self, line: u64, found: u32) -> JournalError {
        JournalError::Newer { path: self.path.clone(), line, found, known: E::FORMAT }
    }
}

impl fmt::Debug for LineReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("path", &self.path).field("lines", &self.lines).finish()
    }
}
