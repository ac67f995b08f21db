//! The journal of a run, for writing.

use std::{
    fmt,
    marker::PhantomData,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use jiff::Timestamp;
use loop_core::{BoxError, Event, EventKind, Journal, JournalSync, WorkResult};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    BEGUN, EVENTS, IoErrorContext, JournalError, JournalReader, MAX_INLINE_OUTPUT,
    appender::Appender,
    chain::{LineDigest, LinePosition},
    has_begun,
    line_buffer::{LineBuffer, locked},
    line_format::{self, NumberedByLine, Output},
    lock::RunLock,
    outputs::Outputs,
    reader::OutputLocation,
};
use crate::{private_folder, redact::Redactor};

/// A journal in a run's folder: `events.jsonl`, and `outputs` for outputs above [`MAX_INLINE_OUTPUT`].
///
/// It holds a lock on the file while it lives, so that no two processes work on one run. If the process dies, the
/// kernel releases the lock. Folders and files are private to their owner.
///
/// # Default
/// Synced to disk, without redaction.
///
/// ```
/// use jiff::Timestamp;
/// use loop_core::{IterationContext, Loop, iteration_fn};
/// use loop_guardrails::after;
/// use loop_telemetry::FileJournal;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let state = tempfile::tempdir()?;
/// # let folder = state.path().join("runs/r-1");
/// let agent = || iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let journal = FileJournal::create(&folder, Timestamp::now)?;
/// Loop::new(agent()).until(after(5)).at_most(2).journal(journal).run().await?;
///
/// let journal = FileJournal::open(&folder, Timestamp::now)?;
/// let report = Loop::new(agent()).until(after(5)).at_most(9).resume_from(journal).run().await?;
/// assert_eq!(report.iterations(), 5);
/// # Ok(())
/// # }
/// ```
pub struct FileJournal<O> {
    run: PathBuf,
    path: PathBuf,
    lines: Arc<Mutex<LineBuffer>>,
    outputs: Outputs,
    clock: Box<dyn FnMut() -> Timestamp + Send>,
    redactor: Option<Redactor>,
    synced: bool,
    /// The JSON of the last output. We keep its allocation for reuse, unless it is large.
    json: Vec<u8>,
    output: PhantomData<fn(O) -> O>,
}

impl<O> FileJournal<O> {
    /// Creates the journal of a new run, its folder and the parents of that folder. `clock` returns the wall-clock
    /// time, for example `Timestamp::now`.
    ///
    /// Blocks on disk I/O.
    ///
    /// # Errors
    /// [`JournalError`] if the folder or the file cannot be created, or the file exists.
    pub fn create(
        run: impl Into<PathBuf>,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Self, JournalError> {
        let run = run.into();
        let file = Appender::create(run.join(EVENTS))?;
        Ok(Self::over(run, file, Box::new(clock), Some(LinePosition { number: 0, before: None })))
    }

    /// Opens the journal of a run that you want to resume. Building the run reads its contents.
    ///
    /// # Errors
    /// [`JournalError`] if there is no journal, or another process works on the run.
    pub fn open(
        run: impl Into<PathBuf>,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Self, JournalError> {
        let run = run.into();
        let file = Appender::open(run.join(EVENTS))?;
        Ok(Self::over(run, file, Box::new(clock), None))
    }

    fn over(
        run: PathBuf,
        file: Appender,
        clock: Box<dyn FnMut() -> Timestamp + Send>,
        next: Option<LinePosition>,
    ) -> Self {
        let path = file.path().to_owned();
        let is_begun = has_begun(&run);
        let lines = LineBuffer { file, pending: Vec::new(), pending_output: None, is_begun, next };
        Self {
            outputs: Outputs::of(&run),
            lines: Arc::new(Mutex::new(lines)),
            run,
            path,
            clock,
            redactor: None,
            synced: true,
            json: Vec::new(),
            output: PhantomData,
        }
    }

    /// Redacts secrets in all texts before they are written.
    #[must_use]
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// Does not sync the file. This is faster, and loses nothing if the process is killed, but a power cut can lose the
    /// last events.
    #[must_use]
    pub fn without_sync(mut self) -> Self {
        self.synced = false;
        self
    }

    /// Returns the run's lock. Hold it to keep the run locked after the journal is dropped, for example until you have
    /// recorded the run's end. The lock is released when both are dropped.
    pub fn hold(&self) -> RunLock {
        RunLock::of(&self.lines)
    }

    /// Returns the path of the file of events.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn lines(&self) -> MutexGuard<'_, LineBuffer> {
        locked(&self.lines)
    }

    /// Returns the blocking part of a sync.
    fn sync_now(&self) -> impl FnOnce() -> Result<(), JournalError> + Send + 'static {
        let (lines, outputs, synced) = (Arc::clone(&self.lines), self.outputs.clone(), self.synced);
        let begun = self.lines().next.is_some_and(|next| next.number > 0).then(|| self.run.join(BEGUN));
        move || {
            let output = locked(&lines).pending_output.clone();
            if let Some(name) = output {
                outputs.sync(&name)?;
                locked(&lines).flush_after(&name)?;
            }
            if synced {
                let sync = locked(&lines).file.sync();
                sync()?;
            }
            let mut lines = locked(&lines);
            if synced {
                lines.file.check()?;
            }
            begun.map_or(Ok(()), |marker| lines.note_begun(&marker))
        }
    }
}

impl<O: Serialize + DeserializeOwned> FileJournal<O> {
    /// Prepares the output of an iteration for its line: its JSON, and the name of its file if it is large.
    fn prepare(&mut self, output: &O) -> Result<Option<String>, JournalError> {
        self.json.clear();
        let written = match &self.redactor {
            None => serde_json::to_writer(&mut self.json, output),
            Some(redactor) => redactor.write_json(output, &mut self.json),
        };
        written.map_err(|error| unwritable(&self.path, &error))?;
        if self.json.len() <= MAX_INLINE_OUTPUT {
            return Ok(None);
        }
        let name = self.outputs.write(&std::mem::take(&mut self.json))?;
        Ok(Some(name))
    }

    fn write(&mut self, events: &[Event], output: Option<&O>) -> Result<(), JournalError> {
        let not_loaded = || JournalError::NotLoaded { path: self.path.clone() };
        let mut next = self.lines().next.ok_or_else(not_loaded)?;
        if next.number == 0 {
            next.before = Some(LineDigest::of_run_info(&self.run)?);
        }
        let file = output.map(|output| self.prepare(output)).transpose()?;
        let time = format!("{:.3}", (self.clock)());
        let mut lines = locked(&self.lines);
        if self.synced {
            // Otherwise work could start before a sync notices it.
            lines.file.check()?;
        }
        if let Some(Some(name)) = &file {
            lines.pending_output = self.synced.then(|| name.clone());
        }
        for event in events {
            let ended =
                matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Done(()), .. });
            let output = file.as_ref().filter(|_| ended).map(|file| match file {
                None => Output::Inline(&self.json),
                Some(name) => Output::File(name),
            });
            let redacted = self.redactor.as_ref().map(|redactor| redactor.event(event));
            let event = NumberedByLine { line: next.number, event: redacted.as_ref().unwrap_or(event) };
            let begin = lines.pending.len();
            line_format::write::<Event>(&mut lines.pending, next, &time, &event, output.as_ref())
                .map_err(|error| unwritable(&self.path, &error))?;
            next = next.after(&lines.pending[begin..]);
        }
        lines.next = Some(next);
        lines.flush()
    }

    fn read(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, JournalError> {
        let file = private_folder::read(&self.path).cannot_read(&self.path)?;
        let mut reader = JournalReader::over(file, &self.run);
        let mut last = LastOutput::default();
        while let Some(entry) = reader.next_entry()? {
            each(&entry.event);
            if let Some(output) = &entry.output {
                last.note(output.place());
            }
        }
        if let Some(torn) = reader.torn() {
            self.lines().file.cut(&torn)?;
        }
        self.lines().next = Some(reader.position());
        last.place().map(|place| reader.decode(place)).transpose()
    }
}

fn unwritable(path: &Path, error: &serde_json::Error) -> JournalError {
    JournalError::Output { path: path.to_owned(), why: format!("it cannot be written as JSON ({error})") }
}

impl<O: Serialize + DeserializeOwned + Send + Sync> Journal<O> for FileJournal<O> {
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError> {
        Ok(self.write(events, output)?)
    }

    /// Runs the blocking disk I/O off the runtime's threads, so that the work and other runs continue. Without a
    /// runtime, or [without syncs](Self::without_sync), it runs here.
    fn sync(&mut self) -> JournalSync {
        let sync = self.sync_now();
        let runtime = tokio::runtime::Handle::try_current().ok().filter(|_| self.synced);
        let Some(runtime) = runtime else {
            let synced = sync();
            return Box::pin(async { Ok(synced?) });
        };
        let syncing = runtime.spawn_blocking(sync);
        Box::pin(async {
            match syncing.await {
                Ok(synced) => Ok(synced?),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    // The runtime is shutting down and drops this run.
                    Err(_) => std::future::pending().await,
                },
            }
        })
    }

    fn is_buffering(&self) -> bool {
        !self.lines().pending.is_empty()
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError> {
        Ok(self.read(each)?)
    }
}

impl<O> fmt::Debug for FileJournal<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal")
            .field("path", &self.path)
            .field("next", &self.lines().next)
            .finish_non_exhaustive()
    }
}

/// The last output that we have seen. Nobody needs the earlier ones, so we keep only its text.
#[derive(Default)]
struct LastOutput {
    text: String,
    is_file: Option<bool>,
}

impl LastOutput {
    fn note(&mut self, place: OutputLocation<'_>) {
        let (text, is_file) = match place {
            OutputLocation::Inline(json) => (json, false),
            OutputLocation::File(name) => (name, true),
        };
        self.text.clear();
        self.text.push_str(text);
        self.is_file = Some(is_file);
    }

    fn place(&self) -> Option<OutputLocation<'_>> {
        let is_file = self.is_file?;
        Some(if is_file { OutputLocation::File(&self.text) } else { OutputLocation::Inline(&self.text) })
    }
}
