//! The store of runs: what there was, what is going on, and what can go on.
//!
//! A person who left three loops alone wants to know in the morning which of them ended, which died with the
//! machine, and how to go on. Each run has a folder with its journal and what it was begun with; one index
//! holds what is listed of all of them:
//!
//! ```text
//! runs/index.jsonl            a line when a run begins, and one when it ends
//! runs/index.lock             held by who changes the index
//! runs/<id>/run.json          what the run was begun with
//! runs/<id>/events.jsonl      its journal, locked by the process that works on it
//! runs/<id>/begun             empty; there once the journal has events
//! runs/<id>/outputs/          large outputs
//! runs/<id>/logs/             all that its commands printed, if that is kept
//! runs/<id>.unkept            instead of a folder: a run that keeps no journal, while its process lives
//! ```

mod begin;
mod dead;
mod error;
mod found;
mod index;
mod info;
mod living;
pub(crate) mod place;
mod removal;
#[cfg(test)]
mod tests;
mod tidy;
mod warning;

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::{
    dead::DeadRun,
    error::StoreError,
    info::{RunEntry, RunInfo, RunManifest},
    living::LivingRun,
    removal::Retention,
    warning::StoreWarning,
};
use self::{
    index::{Change, FORMAT, Index, format_of},
    warning::Warnings,
};
use crate::{
    FileJournal, JournalError, JournalReader, Record, checksum, folder, journal::is_held, record::format,
};

/// Whether runs may work in one folder at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parallel {
    /// A run that would be the second is refused: two agents would undo each other's work.
    Refused,
    /// As many as like.
    Allowed,
}

/// All runs of one state directory. Any number of processes may use it at once. It blocks, for the disk.
///
/// ```
/// use jiff::Timestamp;
/// use loop_core::{IterationContext, Loop, iteration_fn};
/// use loop_guardrails::after;
/// use loop_telemetry::{Parallel, Record, RunInfo, RunStore};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let state = tempfile::tempdir()?;
/// let store = RunStore::at(state.path().join("runs"), |warning| eprintln!("{warning}"));
/// let info = RunInfo::new("r-1", "greet", "/home/ann/project", Timestamp::now());
/// let journal = store.begin(&info, Parallel::Refused, Timestamp::now)?;
///
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let report = Loop::new(agent).until(after(2)).at_most(9).journal(journal).run().await?;
///
/// let record = Record::of("greet", report.ending(), report.progress()).run_id("r-1");
/// store.note_end(&record.between(info.started_at, Timestamp::now()))?;
/// let runs = store.list()?;
/// assert_eq!(runs[0].last_ending.as_ref().map(|record| record.iterations), Some(2));
/// assert!(store.last_unfinished_in("/home/ann/project")?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RunStore {
    path: PathBuf,
    index: Index,
    warnings: Arc<Warnings>,
}

/// `run.json`.
#[derive(Serialize, Deserialize)]
struct InfoFile<T> {
    v: u32,
    run: T,
}

impl RunStore {
    /// The store in this folder. Nothing is made yet. `warn` hears what a person should know about its files, each
    /// warning once; it is called from the methods that read them.
    pub fn at(path: impl Into<PathBuf>, warn: impl Fn(&StoreWarning) + Send + Sync + 'static) -> Self {
        let path = path.into();
        Self { index: Index::of(&path), path, warnings: Arc::new(Warnings::new(warn)) }
    }

    fn warn(&self, warning: &StoreWarning) {
        self.warnings.tell(warning);
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a run, whether there is one or not.
    ///
    /// # Errors
    /// [`StoreError::BadId`] if the id cannot be one.
    pub fn folder_of(&self, id: &str) -> Result<PathBuf, StoreError> {
        match folder::is_id(id) {
            true => Ok(self.path.join(id)),
            false => Err(StoreError::BadId { id: id.to_owned() }),
        }
    }

    /// Takes a run up again: returns its journal, for
    /// [`Loop::resume_from`](loop_core::Loop::resume_from). From then on nobody else takes it up. That it is open
    /// again is [noted](Self::note_resumed) by who has seen that it can go on.
    ///
    /// # Errors
    /// [`StoreError::Alive`] if a process works on it; others if it cannot be read or written.
    pub fn resume<O>(
        &self,
        id: &str,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<FileJournal<O>, StoreError> {
        FileJournal::open(self.existing(id)?, clock).map_err(|error| alive(id, error))
    }

    /// Notes that a run goes on, from then on. Without the note one that had ended is listed as ended while it
    /// runs, and after it died. Call it between [`resume`](Self::resume) and the run: a journal that turns out to
    /// be damaged leaves the list as it was.
    ///
    /// # Errors
    /// [`StoreError::FolderBusy`] if another run works in the same folder by now; others if the index cannot be
    /// written.
    pub fn note_resumed(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        let index = self.hold_index()?;
        // Until it is noted, a run that begins does not see this one.
        if let Some(run) = self.list()?.into_iter().find(|run| run.id == id) {
            self.refuse_second(id, run.place())?;
        }
        index.add(Change::Resumed { id: id.to_owned(), at: format::to_millis(at) })
    }

    /// Notes how a run ended. Its id is the record's. Hold the run's [lock](FileJournal::hold) meanwhile: else
    /// somebody who takes the run up in between is listed as ended.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub fn note_end(&self, record: &Record) -> Result<(), StoreError> {
        self.hold_index()?.add(Change::Ended(Box::new(record.clone())))
    }

    /// All runs, in the order in which they began. Reads the index, and no run's own files, unless there is no
    /// index, or a damaged one: then it [warns](Self::at), and reads all journals, until the next run begins and the
    /// index is made anew.
    ///
    /// # Errors
    /// If the index, or the folder, cannot be read.
    pub fn list(&self) -> Result<Vec<RunEntry>, StoreError> {
        Ok(self.listed()?.0)
    }

    /// The run that a person means: its id, or the beginning of one that no other id has. One that the index
    /// lacks is found by its folder.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`] and [`StoreError::Ambiguous`].
    pub fn find(&self, id: &str) -> Result<RunEntry, StoreError> {
        let mut meant = self.list()?;
        if let Some(exact) = meant.iter().position(|run| run.id == id) {
            return Ok(meant.swap_remove(exact));
        }
        meant.retain(|run| !id.is_empty() && run.id.starts_with(id));
        if meant.is_empty() && !id.is_empty() {
            meant = self.found(|found| found.starts_with(id))?;
        }
        match (meant.pop(), meant.len()) {
            (None, _) => Err(StoreError::NoSuchRun { id: id.to_owned() }),
            (Some(run), 0) => Ok(run),
            (Some(_), others) => Err(StoreError::Ambiguous { id: id.to_owned(), count: others + 1 }),
        }
    }

    /// What a run was begun with, its manifest included.
    ///
    /// # Errors
    /// If there is no such run, or its `run.json` cannot be read.
    pub fn info(&self, id: &str) -> Result<RunInfo, StoreError> {
        info_of(self.existing(id)?.join("run.json"))
    }

    /// A run's journal, for reading. It can be followed while the run goes on.
    ///
    /// # Errors
    /// If there is no such run, or it cannot be read.
    pub fn journal(&self, id: &str) -> Result<JournalReader, StoreError> {
        Ok(JournalReader::open(self.existing(id)?)?)
    }

    /// Whether a process works on the run, as the kernel knows it: one that was killed does not.
    ///
    /// # Errors
    /// If the run's lock cannot be asked for.
    pub fn is_alive(&self, id: &str) -> Result<bool, StoreError> {
        Ok(is_held(&self.folder_of(id)?)?)
    }

    /// The run that began last of those in this folder that died before they ended.
    ///
    /// # Errors
    /// If the index cannot be read, or a lock not be asked for.
    pub fn last_unfinished_in(&self, folder: impl AsRef<Path>) -> Result<Option<RunEntry>, StoreError> {
        let folder = folder.as_ref();
        for run in self.list()?.into_iter().rev().filter(|run| run.is_open && run.works_in(folder)) {
            if !self.is_alive(&run.id)? {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// The folder of a run that there is. A file that it lacks is named by who needs it.
    fn existing(&self, id: &str) -> Result<PathBuf, StoreError> {
        let folder = self.folder_of(id)?;
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(StoreError::NoSuchRun { id: id.to_owned() }),
        }
    }
}

/// Reads what a run was begun with.
fn info_of(path: PathBuf) -> Result<RunInfo, StoreError> {
    let mut json = Vec::new();
    at(&path, folder::read(&path).and_then(|mut file| file.read_to_end(&mut json)))?;
    match serde_json::from_slice::<InfoFile<RunInfo>>(&json) {
        _ if !checksum::fits(&json) => {
            Err(StoreError::Damaged { path, why: "its checksum does not fit".to_owned() })
        }
        Ok(file) if file.v == FORMAT => Ok(file.run),
        read => match (format_of(&json).filter(|found| *found > FORMAT), read) {
            (Some(found), _) => Err(StoreError::Newer { path, found, known: FORMAT }),
            (None, Err(error)) => Err(StoreError::Damaged { path, why: error.to_string() }),
            (None, Ok(file)) => {
                Err(StoreError::Damaged { path, why: format!("there is no format {}", file.v) })
            }
        },
    }
}

fn alive(id: &str, error: JournalError) -> StoreError {
    match error {
        JournalError::InUse { .. } => StoreError::Alive { id: id.to_owned() },
        other => StoreError::Journal(other),
    }
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, StoreError> {
    result.map_err(|source| StoreError::File { path: path.to_owned(), source })
}
