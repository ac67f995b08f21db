//! The journal as the run writes it.

use std::{
    fmt,
    marker::PhantomData,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use loop_core::{BoxError, Event, EventKind, Journal, WorkResult, async_trait};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    At, BEGUN, EVENTS, JournalError, JournalReader, MAX_INLINE_OUTPUT,
    appender::Appender,
    has_begun,
    line::{self, Output},
    lock::RunLock,
    outputs::Outputs,
    reader::Place,
};
use crate::{folder, redact::Redactor};

/// A journal in a run's folder: `events.jsonl`, and `outputs` for those above [`MAX_INLINE_OUTPUT`].
///
/// It holds a lock on the file for as long as it lives, so that no two processes work on one run; the kernel
/// gives it back if the process dies. Folders are made for their owner alone, and so are files.
///
/// # Default
/// Synced to the disk, and nothing taken out.
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
    file: Appender,
    outputs: Outputs,
    clock: Box<dyn FnMut() -> Timestamp + Send>,
    redactor: Option<Redactor>,
    synced: bool,
    /// The number of the next line; `None` until the lines before it were loaded.
    next: Option<u64>,
    /// The JSON of the last output. It is kept for its room, as long as that is not much.
    json: Vec<u8>,
    /// Lines on their way to the file.
    pending: Vec<u8>,
    /// The file of an output that has to be safe before the line which names it is written.
    pending_output: Option<String>,
    /// It is noted that the journal has events.
    is_begun: bool,
    output: PhantomData<fn(O) -> O>,
}

impl<O> FileJournal<O> {
    /// The journal of a new run. Its folder, and those above it, are made if they are not there. `clock`
    /// tells the wall-clock time: `Timestamp::now`.
    ///
    /// It blocks, for the disk.
    ///
    /// # Errors
    /// [`JournalError`] if the folder or the file cannot be made, or the file is there already.
    pub fn create(
        run: impl Into<PathBuf>,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Self, JournalError> {
        let run = run.into();
        let file = Appender::create(run.join(EVENTS))?;
        Ok(Self::over(run, file, Box::new(clock), Some(0)))
    }

    /// The journal of a run that is to go on. What is in it is read when the run is built.
    ///
    /// # Errors
    /// [`JournalError`] if there is none, or another process works on the run.
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
        next: Option<u64>,
    ) -> Self {
        Self {
            outputs: Outputs::of(&run),
            is_begun: has_begun(&run),
            run,
            file,
            clock,
            redactor: None,
            synced: true,
            next,
            json: Vec::new(),
            pending: Vec::new(),
            pending_output: None,
            output: PhantomData,
        }
    }

    /// Takes secrets out of all texts before they are written.
    #[must_use]
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// Leaves to the system when the disk is written: quicker, and a killed process loses nothing, but a
    /// power cut takes what happened last.
    #[must_use]
    pub fn without_sync(mut self) -> Self {
        self.synced = false;
        self
    }

    /// The run's lock, to hold it for longer than the journal lives: until the run's end is noted, say. It is
    /// given back when both are dropped.
    pub fn hold(&self) -> RunLock {
        self.file.hold()
    }

    /// The file of the events.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Notes that the journal has events, once they are safe: one without any is damaged from then on.
    fn note_begun(&mut self) -> Result<(), JournalError> {
        if !self.is_begun && self.next.is_some_and(|next| next > 0) {
            let path = self.run.join(BEGUN);
            folder::private().write(true).create(true).truncate(false).open(&path).cannot_create(&path)?;
            self.is_begun = true;
        }
        Ok(())
    }

    /// Writes the lines that wait, unless an output has to be made safe first.
    fn flush(&mut self) -> Result<(), JournalError> {
        if self.pending_output.is_none() && !self.pending.is_empty() {
            self.file.append(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }
}

impl<O: Serialize + DeserializeOwned> FileJournal<O> {
    /// Makes the output of an iteration ready for its line: its JSON, and the name of the file that holds it if it is
    /// large.
    fn prepare(&mut self, output: &O) -> Result<Option<String>, JournalError> {
        self.json.clear();
        let written = match &self.redactor {
            None => serde_json::to_writer(&mut self.json, output),
            Some(redactor) => redactor.write_json(output, &mut self.json),
        };
        written.map_err(|error| self.unwritable(&error))?;
        if self.json.len() <= MAX_INLINE_OUTPUT {
            return Ok(None);
        }
        let name = self.outputs.write(&std::mem::take(&mut self.json))?;
        self.pending_output = self.synced.then(|| name.clone());
        Ok(Some(name))
    }

    fn write(&mut self, events: &[Event], output: Option<&O>) -> Result<(), JournalError> {
        let mut next = self.next.ok_or_else(|| JournalError::NotLoaded { path: self.path().to_owned() })?;
        let file = output.map(|output| self.prepare(output)).transpose()?;
        let time = format!("{:.3}", (self.clock)());
        for event in events {
            let ended =
                matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Done(()), .. });
            let output = file.as_ref().filter(|_| ended).map(|file| match file {
                None => Output::Inline(&self.json),
                Some(name) => Output::File(name),
            });
            let redacted = self.redactor.as_ref().map(|redactor| redactor.event(event));
            let event = redacted.as_ref().unwrap_or(event);
            line::write::<Event>(&mut self.pending, next, &time, event, output.as_ref())
                .map_err(|error| self.unwritable(&error))?;
            next += 1;
        }
        self.next = Some(next);
        self.flush()
    }

    fn read(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, JournalError> {
        let file = folder::read(self.file.path()).cannot_read(self.file.path())?;
        let mut reader = JournalReader::over(file, &self.run);
        let mut last = LastOutput::default();
        while let Some(entry) = reader.next_entry()? {
            each(&entry.event);
            if let Some(output) = &entry.output {
                last.note(output.place());
            }
        }
        if let Some(torn) = reader.torn() {
            self.file.cut(&torn)?;
        }
        self.next = Some(reader.lines());
        last.place().map(|place| reader.decode(place)).transpose()
    }

    fn unwritable(&self, error: &serde_json::Error) -> JournalError {
        JournalError::Output {
            path: self.file.path().to_owned(),
            why: format!("it cannot be written as JSON ({error})"),
        }
    }
}

#[async_trait]
impl<O: Serialize + DeserializeOwned + Send + Sync> Journal<O> for FileJournal<O> {
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError> {
        Ok(self.write(events, output)?)
    }

    async fn sync(&mut self) -> Result<(), BoxError> {
        if !self.synced {
            return Ok(self.note_begun()?);
        }
        if let Some(name) = self.pending_output.take() {
            let outputs = self.outputs.clone();
            aside(move || outputs.sync(&name)).await?;
        }
        self.flush()?;
        aside(self.file.sync()).await?;
        Ok(self.note_begun()?)
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError> {
        Ok(self.read(each)?)
    }
}

impl<O> fmt::Debug for FileJournal<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal")
            .field("path", &self.file.path())
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// The last output that was seen: only that one is needed, so only its text is kept.
#[derive(Default)]
struct LastOutput {
    text: String,
    is_file: Option<bool>,
}

impl LastOutput {
    fn note(&mut self, place: Place<'_>) {
        let (text, is_file) = match place {
            Place::Inline(json) => (json, false),
            Place::File(name) => (name, true),
        };
        self.text.clear();
        self.text.push_str(text);
        self.is_file = Some(is_file);
    }

    fn place(&self) -> Option<Place<'_>> {
        let is_file = self.is_file?;
        Some(if is_file { Place::File(&self.text) } else { Place::Inline(&self.text) })
    }
}

/// Waits for the disk beside the runtime's threads, so that other runs on them go on; without a runtime, here.
async fn aside<F>(work: F) -> Result<(), JournalError>
where
    F: FnOnce() -> Result<(), JournalError> + Send + 'static,
{
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return work() };
    match runtime.spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down: this run is dropped with it.
            Err(_) => std::future::pending().await,
        },
    }
}
