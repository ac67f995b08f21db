//! Keeping all that agent and check print, where that is asked for.
//!
//! What is kept for the next iteration has a hole in its middle if it is long. Who wants to read all of it in the
//! morning asks for it beforehand. It is a service to people: if it fails, the run goes on, and says so at its end.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::anyhow;
use loop_agents::process::Stream;
use loop_core::{Event, EventKind, Observer, Progress};
use loop_telemetry::{Channel, Log, LogError, Logs};

/// Writes what agent and check print into files of the run. Clones write into the same.
#[derive(Debug, Clone)]
pub(crate) struct OutputLogs(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    logs: Logs,
    /// That of the command that runs.
    log: Option<Log>,
    /// Why something is missing.
    failure: Option<LogError>,
}

impl OutputLogs {
    pub(crate) fn new(logs: Logs) -> Self {
        Self(Arc::new(Mutex::new(State { logs, log: None, failure: None })))
    }

    /// Takes what the command that runs has printed.
    pub(crate) fn write(&self, stream: Stream, bytes: &[u8]) {
        let channel = match stream {
            Stream::Stdout | Stream::Merged => Channel::Output,
            Stream::Stderr => Channel::Errors,
        };
        let mut state = self.lock();
        if let Some(Err(error)) = state.log.as_mut().map(|log| log.write(channel, bytes)) {
            // Half a line later it would look whole again.
            state.log = None;
            state.fail(error);
        }
    }

    /// Where the files are.
    pub(crate) fn folder(&self) -> PathBuf {
        Path::to_owned(self.lock().logs.folder())
    }

    /// Why something is missing in the files, if something is.
    pub(crate) fn failure(&self) -> Option<anyhow::Error> {
        self.lock().failure.take().map(|error| anyhow!(error))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, name: &str, iteration: u64) {
        match self.logs.begin(name, iteration) {
            Ok(log) => self.log = Some(log),
            Err(error) => self.fail(error),
        }
    }

    fn end(&mut self) {
        if let Some(Err(error)) = self.log.take().map(Log::finish) {
            self.fail(error);
        }
    }

    /// The first failure is told: those after it have the same cause.
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
            EventKind::IterationFinished { .. }
            | EventKind::EvaluationFinished { .. }
            | EventKind::WorkCut { .. } => state.end(),
            _ => {}
        }
    }
}
