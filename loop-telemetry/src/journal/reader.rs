//! Reading a journal line by line, also while somebody writes it.

use std::{fmt, fs::File, path::Path};

use jiff::Timestamp;
use loop_core::Event;
use serde::de::DeserializeOwned;

use super::{
    EVENTS,
    error::JournalError,
    has_begun,
    line::Line,
    lines::{Lines, Torn},
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
    lines: Lines,
    outputs: Outputs,
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
        let run = run.as_ref();
        // Before the journal is opened: the first events may come meanwhile.
        let is_begun = has_begun(run);
        let lines = Lines::open(run.join(EVENTS))?.begun(is_begun);
        Ok(Self { lines, outputs: Outputs::of(run) })
    }

    pub(super) fn over(file: File, run: &Path) -> Self {
        let lines = Lines::over(file, run.join(EVENTS)).begun(has_begun(run));
        Self { lines, outputs: Outputs::of(run) }
    }

    /// Takes a journal without events for damaged: it is known from elsewhere that the run did something. A journal
    /// knows that by itself, unless an earlier version wrote it.
    #[must_use]
    pub fn expect_events(mut self, is_known: bool) -> Self {
        self.lines = self.lines.begun(is_known);
        self
    }

    /// The next entry; `None` if there is none yet.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] and [`JournalError::Newer`] name the line. [`JournalError::Empty`] if it has no event,
    /// and had some.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, JournalError> {
        let Some(line) = self.lines.next_line()? else { return Ok(None) };
        let Line { seq, time, event, output, output_file, v: _ } = line;
        let inline = output.map(|json| Place::Inline(json.get()));
        let place = inline.or(output_file.map(Place::File));
        let output = place.map(|place| KeptOutput { place, outputs: &self.outputs });
        Ok(Some(Entry { number: seq, time, event, output }))
    }

    /// The bytes of a last line that is not whole, at the end of what is there: it is being written, or its writer died.
    /// [`FileJournal::open`](crate::FileJournal::open) and what follows it cuts it off.
    pub fn torn_bytes(&self) -> Option<u64> {
        self.lines.torn_bytes()
    }

    /// Reads an output in this journal.
    pub(super) fn decode<O: DeserializeOwned>(&self, place: Place<'_>) -> Result<O, JournalError> {
        let json = KeptOutput { place, outputs: &self.outputs }.json()?;
        serde_json::from_str(&json).map_err(|error| JournalError::Output {
            path: self.lines.path().to_owned(),
            why: format!("it cannot be read as this loop's output ({error})"),
        })
    }

    /// Lines that were read.
    pub(super) const fn lines(&self) -> u64 {
        self.lines.count()
    }

    /// The bytes of a last line that was not ended.
    pub(super) fn torn(&self) -> Option<Torn> {
        self.lines.torn()
    }
}

impl fmt::Debug for JournalReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JournalReader").field(&self.lines).finish()
    }
}
