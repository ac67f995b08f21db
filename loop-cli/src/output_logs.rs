//! Stores the whole output of agent and check, if requested.
//!
//! The output stored for the next iteration omits the middle if it is long. A person who wants to read all of it must
//! request that beforehand. This is only a service to people: if it fails, the run continues, and reports the failure
//! at its end.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::anyhow;
use loop_agents::process::OutputStream;
use loop_core::{Event, EventKind, Observer, Progress};
use loop_telemetry::{Channel, Log, LogError, Logs};

use crate::view::{OutputEnd, ends_output};

/// Writes the output of agent and check into files of the run. Clones write to the same files.
#[derive(Debug, Clone)]
pub(crate) struct OutputLogs(Arc<Mutex<LogState>>);

#[derive(Debug)]
struct LogState {
    logs: Logs,
    /// The log of the running command.
    log: Option<Log>,
    /// Why part of the output is missing.
    failure: Option<LogError>,
}

impl OutputLogs {
    pub(crate) fn new(logs: Logs) -> Self {
        Self(Arc::new(Mutex::new(LogState { logs, log: None, failure: None })))
    }

    /// Writes output of the running command.
    pub(crate) fn write(&self, stream: OutputStream, bytes: &[u8]) {
        let channel = match stream {
            OutputStream::Stdout | OutputStream::Merged => Channel::Output,
            OutputStream::Stderr => Channel::Errors,
        };
        let mut state = self.lock();
        if let Some(Err(error)) = state.log.as_mut().map(|log| log.write(channel, bytes)) {
            // Half a line later the log would look complete again.
            state.log = None;
            state.fail(error);
        }
    }

    /// Ends a part of the output that broke off.
    pub(crate) fn break_off(&self) {
        self.lock().break_off();
    }

    /// Returns the folder of the files.
    pub(crate) fn folder(&self) -> PathBuf {
        Path::to_owned(self.lock().logs.folder())
    }

    /// Returns why part of the output is missing, if it is.
    pub(crate) fn failure(&self) -> Option<anyhow::Error> {
        self.lock().failure.take().map(|error| anyhow!(error))
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogState {
    fn begin(&mut self, name: &str, iteration: u64) {
        match self.logs.begin(name, iteration) {
            Ok(log) => self.log = Some(log),
            Err(error) => self.fail(error),
        }
    }

    fn break_off(&mut self) {
        if let Some(Err(error)) = self.log.as_mut().map(Log::cut) {
            self.fail(error);
        }
    }

    fn end(&mut self, end: OutputEnd) {
        if end == OutputEnd::Unknown {
            self.break_off();
        }
        if let Some(Err(error)) = self.log.take().map(Log::finish) {
            self.fail(error);
        }
    }

    /// Stores the first failure only: later ones have the same cause.
    fn fail(&mut self, error: LogError) {
        self.failure.get_or_insert(error);
    }
}

impl Observer for OutputLogs {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        let mut state = self.lock();
        match &event.kind {
            EventKind::IterationStarted { iteration, .. } => state.begin("agent", *iteration),
            EventKind::EvaluationStarted {} => state.begin("check", progress.iterations()),
            kind => {
                if let Some(end) = ends_output(kind) {
                    state.end(end);
                }
            }
        }
    }
}
