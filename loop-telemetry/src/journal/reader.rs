//! Reads a journal line by line, also while a run writes it.

use std::{fmt, fs::File, path::Path};

use jiff::Timestamp;
use loop_core::Event;
use serde::de::DeserializeOwned;

use super::{
    EVENTS,
    chain::{Chain, LineDigest, LinePosition},
    error::JournalError,
    has_begun,
    line_format::{StoredLine, number_by_line},
    line_reader::{LineReader, TornLine},
    outputs::Outputs,
};

/// Reads a run's journal from the start, without a lock. The longest line bounds the memory.
///
/// You can follow a running run: at the current end, [`next_entry`](Self::next_entry) returns `None`, and you call it
/// again later. It leaves an incomplete line for later.
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
    lines: LineReader,
    outputs: Outputs,
}

/// One line of a journal.
#[derive(Debug)]
#[non_exhaustive]
pub struct JournalEntry<'a> {
    /// Its number, from 0.
    pub number: u64,
    /// The wall-clock time, RFC 3339 in UTC with milliseconds. Clocks can be set back, so it may be earlier than that
    /// of an earlier entry.
    pub time: &'a str,
    /// The event.
    pub event: Event,
    /// The iteration's output, if this entry ends an iteration with an output.
    pub output: Option<StoredOutput<'a>>,
}

impl JournalEntry<'_> {
    /// Returns the wall-clock time; `None` if the text is not a valid time.
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.time.parse().ok()
    }
}

/// An output stored in a journal.
#[derive(Debug)]
pub struct StoredOutput<'a> {
    place: OutputLocation<'a>,
    outputs: &'a Outputs,
}

/// The location of an output.
#[derive(Debug, Clone, Copy)]
pub(super) enum OutputLocation<'a> {
    Inline(&'a str),
    File(&'a str),
}

impl StoredOutput<'_> {
    /// Returns the output's JSON, from its file if it has one.
    ///
    /// # Errors
    /// [`JournalError`] if the file is missing or has other contents.
    pub fn json(&self) -> Result<String, JournalError> {
        match self.place {
            OutputLocation::Inline(json) => Ok(json.to_owned()),
            OutputLocation::File(name) => {
                let json = self.outputs.read(name)?;
                // We have verified that these are the bytes that we wrote, and we wrote JSON.
                Ok(String::from_utf8_lossy(&json).into_owned())
            }
        }
    }

    /// Returns the output's location, for a caller that reads only the last output.
    pub(super) const fn place(&self) -> OutputLocation<'_> {
        self.place
    }
}

impl JournalReader {
    /// Opens the journal of the run in this folder.
    ///
    /// # Errors
    /// [`JournalError::Read`] if there is no readable journal.
    pub fn open(run: impl AsRef<Path>) -> Result<Self, JournalError> {
        let run = run.as_ref();
        // Check this before opening the journal, because the first events may come in between.
        let is_begun = has_begun(run);
        let lines = LineReader::open(run.join(EVENTS))?.begun(is_begun);
        Ok(Self { lines, outputs: Outputs::of(run) })
    }

    pub(super) fn over(file: File, run: &Path) -> Self {
        let lines = LineReader::over(file, run.join(EVENTS)).begun(has_begun(run));
        Self { lines, outputs: Outputs::of(run) }
    }

    /// Treats a journal without events as damaged, because you know from elsewhere that the run did something. Only
    /// journals of earlier versions need this.
    #[must_use]
    pub fn expect_events(mut self, is_known: bool) -> Self {
        self.lines = self.lines.begun(is_known);
        self
    }

    /// Returns the next entry; `None` if there is none yet.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] and [`JournalError::Newer`] name the line. [`JournalError::Empty`] if the journal has
    /// no events but had some.
    pub fn next_entry(&mut self) -> Result<Option<JournalEntry<'_>>, JournalError> {
        let Some(line) = self.lines.next_line()? else { return Ok(None) };
        let StoredLine { seq, time, event, output, output_file, v: _, prev: _ } = line;
        let inline = output.map(|json| OutputLocation::Inline(json.get()));
        let place = inline.or(output_file.map(OutputLocation::File));
        let output = place.map(|place| StoredOutput { place, outputs: &self.outputs });
        Ok(Some(JournalEntry { number: seq, time, event: number_by_line(seq, event), output }))
    }

    /// Returns the length of an incomplete last line: a process is writing it, or its writer died. Loading the journal
    /// for a resume cuts it off.
    pub fn torn_bytes(&self) -> Option<u64> {
        self.lines.torn_bytes()
    }

    /// Decodes an output of this journal.
    pub(super) fn decode<O: DeserializeOwned>(&self, place: OutputLocation<'_>) -> Result<O, JournalError> {
        let json = StoredOutput { place, outputs: &self.outputs }.json()?;
        serde_json::from_str(&json).map_err(|error| JournalError::Output {
            path: self.lines.path().to_owned(),
            why: format!("it cannot be read as this loop's output ({error})"),
        })
    }

    /// Returns the digest of the last line read so far, for the run's [record](crate::RecordDraft::journal_head). Returns
    /// `None` if the line is not chained to the one before it, because an earlier version wrote it.
    pub fn head(&self) -> Option<LineDigest> {
        self.chain().head()
    }

    /// Returns the chain of the lines read so far.
    pub(super) const fn chain(&self) -> &Chain {
        self.lines.chain()
    }

    /// Returns the position of the next line, if all lines were read.
    pub(super) const fn position(&self) -> LinePosition {
        self.chain().next()
    }

    /// Returns the torn last line, if there is one.
    pub(super) fn torn(&self) -> Option<TornLine> {
        self.lines.torn()
    }
}

impl fmt::Debug for JournalReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JournalReader").field(&self.lines).finish()
    }
}
