//! Reading a journal line by line, also while somebody writes it.

use std::{
    fmt,
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use loop_core::Event;
use serde::de::DeserializeOwned;

use super::{
    EVENTS,
    error::{At, JournalError},
    line::{self, Bad, FORMAT, Line},
    outputs::Outputs,
};

/// Reads a run's journal from its beginning, without a lock. Memory is bounded by the longest line.
///
/// A run may be followed while it goes on: at the end of what is there, [`next_entry`](Self::next_entry) gives
/// `None`, and is asked again later. A line that is not whole yet is left for then.
///
/// ```no_run
/// # fn main() -> Result<(), loop_telemetry::JournalError> {
/// let mut journal = loop_telemetry::JournalReader::open("runs/r-1")?;
/// while let Some(entry) = journal.next_entry()? {
///     println!("{} {:?}", entry.time, entry.event.kind);
/// }
/// # Ok(())
/// # }
/// ```
pub struct JournalReader {
    path: PathBuf,
    file: BufReader<File>,
    outputs: Outputs,
    /// The line under way, or the last one.
    line: Vec<u8>,
    /// The last line that was read whole is still in `line`.
    spent: bool,
    /// Lines that were read.
    lines: u64,
    /// Their bytes.
    bytes: u64,
}

/// One line of a journal.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// Its number, from 0.
    pub number: u64,
    /// The wall-clock time, RFC 3339 in UTC with milliseconds. Clocks are set: it may lie before that of an
    /// earlier entry.
    pub time: &'a str,
    /// What happened.
    pub event: Event,
    /// What the iteration made, if this is its end and it made something.
    pub output: Option<KeptOutput<'a>>,
}

impl Entry<'_> {
    /// The wall-clock time; `None` if the text is none.
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.time.parse().ok()
    }
}

/// An output as a journal keeps it.
#[derive(Debug)]
pub struct KeptOutput<'a> {
    place: Place<'a>,
    outputs: &'a Outputs,
}

/// Where an output is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    Inline(&'a str),
    File(&'a str),
}

impl KeptOutput<'_> {
    /// Its JSON, read from its file if it has one.
    ///
    /// # Errors
    /// [`JournalError`] if the file is not there, or holds something else.
    pub fn json(&self) -> Result<String, JournalError> {
        match self.place {
            Place::Inline(json) => Ok(json.to_owned()),
            Place::File(name) => {
                let json = self.outputs.read(name)?;
                // It was checked to be what was written, and that was JSON.
                Ok(String::from_utf8_lossy(&json).into_owned())
            }
        }
    }

    /// Where it is, for who looks at the last one only.
    pub(super) const fn place(&self) -> Place<'_> {
        self.place
    }
}

impl JournalReader {
    /// The journal of the run in this folder.
    ///
    /// # Errors
    /// [`JournalError::Read`] if there is none that can be read.
    pub fn open(run: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = run.as_ref().join(EVENTS);
        let file = File::open(&path).cannot_read(&path)?;
        Ok(Self::over(file, run.as_ref()))
    }

    pub(super) fn over(file: File, run: &Path) -> Self {
        Self {
            path: run.join(EVENTS),
            file: BufReader::with_capacity(64 * 1024, file),
            outputs: Outputs::of(run),
            line: Vec::new(),
            spent: false,
            lines: 0,
            bytes: 0,
        }
    }

    /// The next entry; `None` if there is none yet.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] and [`JournalError::Newer`] name the line.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, JournalError> {
        if std::mem::take(&mut self.spent) {
            self.line.clear();
        }
        self.file.read_until(b'\n', &mut self.line).cannot_read(&self.path)?;
        if self.line.last() != Some(&b'\n') {
            return self.refuse_newer().map(|()| None);
        }
        self.spent = true;
        let due = self.lines;
        self.lines += 1;
        self.bytes += self.line.len() as u64;
        let Line { seq, time, event, output, output_file } =
            line::read(&self.line[..self.line.len() - 1]).map_err(|bad| self.bad(bad))?;
        if seq != due {
            return Err(self.bad(Bad::Damaged(format!("it is number {seq} where {due} is due"))));
        }
        let inline = output.map(|json| Place::Inline(json.get()));
        let place = inline.or(output_file.map(Place::File));
        let output = place.map(|place| KeptOutput { place, outputs: &self.outputs });
        Ok(Some(Entry { number: seq, time, event, output }))
    }

    /// Reads an output in this journal.
    pub(super) fn decode<O: DeserializeOwned>(&self, place: Place<'_>) -> Result<O, JournalError> {
        let json = KeptOutput { place, outputs: &self.outputs }.json()?;
        serde_json::from_str(&json).map_err(|error| JournalError::Output {
            path: self.path.clone(),
            why: format!("it cannot be read as this loop's output ({error})"),
        })
    }

    /// Lines that were read.
    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    /// The bytes of a last line that was not ended.
    pub(super) fn torn(&self) -> Option<Torn> {
        (!self.spent && !self.line.is_empty()).then_some(Torn { whole: self.bytes })
    }

    /// A line that is not whole may be one of a later version, which must not be cut off.
    fn refuse_newer(&self) -> Result<(), JournalError> {
        match line::read(&self.line) {
            Err(Bad::Newer(found)) => Err(self.newer(self.lines + 1, found)),
            _ => Ok(()),
        }
    }

    fn bad(&self, bad: Bad) -> JournalError {
        match bad {
            Bad::Newer(found) => self.newer(self.lines, found),
            Bad::Damaged(why) => JournalError::Damaged { path: self.path.clone(), line: self.lines, why },
        }
    }

    fn newer(&self, line: u64, found: u32) -> JournalError {
        JournalError::Newer { path: self.path.clone(), line, found, known: FORMAT }
    }
}

/// The last line is torn: its writer died.
pub(super) struct Torn {
    /// The bytes before it.
    pub(super) whole: u64,
}

impl fmt::Debug for JournalReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalReader").field("path", &self.path).field("lines", &self.lines).finish()
    }
}
