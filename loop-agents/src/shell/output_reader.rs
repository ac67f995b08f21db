//! Reads an agent's usage, words and failures from its output.

use std::fmt;

use loop_core::Meter;

use super::output_listener::OutputListener;
use crate::{
    output::Capture,
    process::OutputStream,
    usage::{AgentFailure, AgentReport, UsageReader},
};

/// The number of different notes to remember, so that each is reported once.
const MAX_NOTES: usize = 100;

/// The listeners of an agent, for all its runs.
#[derive(Debug, Default)]
pub(super) struct AgentListeners {
    pub(super) reader: Option<UsageReader>,
    pub(super) listener: OutputListener,
    /// Receives the output unchanged.
    pub(super) raw: OutputListener,
    pub(super) on_note: OnNote,
    noted: Vec<String>,
    /// Whether this process has listened to an earlier run.
    has_read: bool,
}

type NoteFn = dyn FnMut(&str) + Send;

/// Receives notes about anomalies in an agent's reports.
#[derive(Default)]
pub(super) struct OnNote(Option<Box<NoteFn>>);

impl OnNote {
    pub(super) fn new(listener: impl FnMut(&str) + Send + 'static) -> Self {
        Self(Some(Box::new(listener)))
    }
}

impl fmt::Debug for OnNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "OnNote" } else { "nobody" })
    }
}

impl AgentListeners {
    /// Listens to one run.
    pub(super) fn read_run<'a>(&'a mut self, meter: &'a Meter) -> OutputReader<'a> {
        self.has_read = true;
        OutputReader { listeners: self, meter, closed: false }
    }

    /// First reads the output of a run in an earlier process. After a resume, the agent may continue a thread whose
    /// usage was counted there.
    pub(super) fn recall(&mut self, stdout: Option<&Capture>) {
        if let (Some(reader), Some(stdout), false) = (&mut self.reader, stdout, self.has_read) {
            reader.recall(&stdout.to_bytes());
        }
    }

    /// Reports each note once.
    pub(super) fn note(&mut self, notes: Vec<String>) {
        for note in notes {
            if self.noted.len() < MAX_NOTES && !self.noted.contains(&note) {
                if let Some(told) = &mut self.on_note.0 {
                    told(&note);
                }
                self.noted.push(note);
            }
        }
    }
}

/// The agent's report on one run, apart from its notes.
#[derive(Debug, Default)]
pub(super) struct OutputReport {
    pub(super) text: Option<Capture>,
    pub(super) failure: Option<AgentFailure>,
    pub(super) fault: Option<String>,
    pub(super) unfinished: Option<String>,
    /// Whether it reported its usage.
    pub(super) counted: bool,
    /// Whether it failed to report its usage although it should have.
    pub(super) is_silent: bool,
}

impl From<AgentReport> for OutputReport {
    fn from(AgentReport { text, failure, fault, unfinished, total, is_silent, .. }: AgentReport) -> Self {
        Self { text, failure, fault, unfinished, counted: !total.is_unknown(), is_silent }
    }
}

/// One run of an agent. However it ends, the usage until then is reported.
#[derive(Debug)]
pub(super) struct OutputReader<'a> {
    listeners: &'a mut AgentListeners,
    meter: &'a Meter,
    closed: bool,
}

impl OutputReader<'_> {
    /// Handles a piece of the agent's output.
    pub(super) fn feed(&mut self, stream: OutputStream, bytes: &[u8]) {
        let AgentListeners { reader, listener, raw, .. } = &mut *self.listeners;
        raw.notify(stream, bytes);
        let Some(reader) = reader else { return listener.notify(stream, bytes) };
        if stream == OutputStream::Stderr {
            self.meter.add(reader.feed_stderr(bytes));
            return listener.notify(stream, bytes);
        }
        self.meter.add(reader.feed(bytes));
        match reader.news() {
            None => listener.notify(stream, bytes),
            // A person wants to see the agent's words, and not their encoding for programs.
            Some(news) if !news.is_empty() => listener.notify(stream, &news.to_bytes()),
            Some(_) => {}
        }
        // Report notes at once. A user should learn immediately that a limit cannot be enforced, and not the next
        // morning.
        let notes = reader.take_notes();
        self.listeners.note(notes);
    }

    /// Ends the run, and returns its complete report.
    pub(super) fn finish(mut self) -> OutputReport {
        self.close().map(OutputReport::from).unwrap_or_default()
    }

    fn close(&mut self) -> Option<AgentReport> {
        if std::mem::replace(&mut self.closed, true) {
            return None;
        }
        let mut reading = self.listeners.reader.as_mut()?.finish();
        self.meter.add(reading.last);
        if let Some(quality) = reading.cost_quality {
            self.meter.revise(quality);
        }
        self.listeners.note(std::mem::take(&mut reading.notes));
        Some(reading)
    }
}

impl Drop for OutputReader<'_> {
    fn drop(&mut self) {
        self.close();
    }
}
