//! The store of runs: past runs, current runs, and runs that you can resume.
//!
//! A person who left three loops alone wants to know in the morning which of them ended, which died with the machine,
//! and how to continue. Each run has a folder with its journal and its initial data. One index contains the listed data
//! of all runs:
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

mod active;
mod begin;
mod cleanup;
mod dead;
mod error;
mod folder_scan;
mod index;
mod info;
mod removal;
mod short_ids;
pub(crate) mod stored_folder;
#[cfg(test)]
mod tests;
mod warning;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::{
    active::ActiveRun,
    dead::DeadRun,
    error::StoreError,
    info::{RunEntry, RunFile, RunInfo, RunManifest},
    short_ids::short_ids,
    warning::StoreWarning,
};
use self::{
    index::{FORMAT, Index, IndexChange, format_of},
    warning::Warnings,
};
use crate::{
    ChainState, FileJournal, JournalError, JournalReader, Record, checksum,
    journal::{check_chain, is_held},
    private_folder,
    record::format,
};

/// Whether runs may work in one folder at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParallelRuns {
    /// A second run is refused, because two agents would undo each other's work.
    Refused,
    /// Any number of runs may work there.
    Allowed,
}

/// All runs of one state directory. Any number of processes may use it at once. Calls block for the disk.
///
/// ```
/// use jiff::Timestamp;
/// use loop_core::{IterationContext, Loop, iteration_fn};
/// use loop_guardrails::after;
/// use loop_telemetry::{ParallelRuns, Record, RunInfo, RunStore};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let state = tempfile::tempdir()?;
/// let store = RunStore::at(state.path().join("runs"), |warning| eprintln!("{warning}"));
/// let info = RunInfo::new("r-1", "greet", "/home/ann/project", Timestamp::now());
/// let journal = store.begin(&info, ParallelRuns::Refused, Timestamp::now)?;
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
    /// Opens the store in this folder. This creates nothing yet. `warn` receives each warning about the store's files
    /// once, from the methods that read them.
    pub fn at(path: impl Into<PathBuf>, warn: impl Fn(&StoreWarning) + Send + Sync + 'static) -> Self {
        let path = path.into();
        Self { index: Index::of(&path), path, warnings: Arc::new(Warnings::new(warn)) }
    }

    fn warn(&self, warning: &StoreWarning) {
        self.warnings.tell(warning);
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of a run, which may not exist.
    ///
    /// # Errors
    /// [`StoreError::BadId`] if the id is not valid.
    pub fn folder_of(&self, id: &str) -> Result<PathBuf, StoreError> {
        match private_folder::is_id(id) {
            true => Ok(self.path.join(id)),
            false => Err(StoreError::BadId { id: id.to_owned() }),
        }
    }

    /// Resumes a run: returns its journal, for [`Loop::resume_from`](loop_core::Loop::resume_from). From then on no
    /// other process can resume it. Call [`note_resumed`](Self::note_resumed) to list it as open, once you know that it
    /// can continue.
    ///
    /// # Errors
    /// [`StoreError::Alive`] if a process works on it. Other errors if it cannot be read or written.
    pub fn resume<O>(
        &self,
        id: &str,
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<FileJournal<O>, StoreError> {
        FileJournal::open(self.existing(id)?, clock).map_err(|error| alive(id, error))
    }

    /// Records that a run was resumed. Without this, a run that had ended stays listed as ended while it runs, and
    /// after it died. Call it between [`resume`](Self::resume) and the run, so that a damaged journal does not change
    /// the list.
    ///
    /// # Errors
    /// [`StoreError::FolderBusy`] if another run works in the same folder by now. Other errors if the index cannot be
    /// written.
    pub fn note_resumed(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        let index = self.hold_index()?;
        // Until this is recorded, a run that begins does not see this one.
        if let Some(run) = self.list()?.into_iter().find(|run| run.id == id) {
            self.refuse_second(id, run.place())?;
        }
        index.add(IndexChange::Resumed { id: id.to_owned(), at: format::to_millis(at) })
    }

    /// Records how a run ended. The record contains its id. Hold the run's [lock](FileJournal::hold) during this call;
    /// otherwise a process that resumes the run in between would be listed as ended.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub fn note_end(&self, record: &Record) -> Result<(), StoreError> {
        self.hold_index()?.add(IndexChange::Ended(Box::new(record.clone())))
    }

    /// Returns all runs, in the order in which they began. This reads the index, and no run's own files. If the index
    /// is missing or damaged, it [warns](Self::at) and reads all journals, until the next run begins and rebuilds the
    /// index.
    ///
    /// # Errors
    /// If the index, or the folder, cannot be read.
    pub fn list(&self) -> Result<Vec<RunEntry>, StoreError> {
        Ok(self.listed()?.0)
    }

    /// Returns the run with this id, or with the only id that begins with it. If the index lacks the run, its folder is
    /// enough.
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

    /// Returns the initial data of a run, including its manifest.
    ///
    /// # Errors
    /// If there is no such run, or its `run.json` cannot be read.
    pub fn info(&self, id: &str) -> Result<RunInfo, StoreError> {
        info_of(self.existing(id)?.join("run.json"))
    }

    /// Opens a run's journal for reading. You can follow it while the run continues.
    ///
    /// # Errors
    /// If there is no such run, or it cannot be read.
    pub fn journal(&self, id: &str) -> Result<JournalReader, StoreError> {
        Ok(JournalReader::open(self.existing(id)?)?)
    }

    /// Compares a run's journal with the head in its last record, or with `head`, which a person kept elsewhere.
    ///
    /// ```
    /// # use loop_telemetry::{ChainState, RunStore};
    /// # fn check(store: &RunStore) -> Result<(), loop_telemetry::StoreError> {
    /// match store.check_chain(&store.find("0198b2")?, None)? {
    ///     ChainState::Intact { lines, .. } => println!("all {lines} lines are as the run wrote them"),
    ///     ChainState::Broken { why } => println!("somebody changed the journal: {why}"),
    ///     other => println!("nothing to compare with: {other:?}"),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If there is no such run, or its files cannot be read.
    pub fn check_chain(&self, run: &RunEntry, head: Option<&str>) -> Result<ChainState, StoreError> {
        let recorded = run.last_ending.as_ref().and_then(|record| record.journal_head.as_deref());
        Ok(check_chain(&self.existing(&run.id)?, head.or(recorded), !run.is_open)?)
    }

    /// Returns whether a process works on the run, according to the kernel. A killed process does not.
    ///
    /// # Errors
    /// If the run's lock cannot be used.
    pub fn is_alive(&self, id: &str) -> Result<bool, StoreError> {
        Ok(is_held(&self.folder_of(id)?)?)
    }

    /// Returns the most recent run in this folder that died before it ended.
    ///
    /// # Errors
    /// If the index cannot be read, or a lock cannot be used.
    pub fn last_unfinished_in(&self, folder: impl AsRef<Path>) -> Result<Option<RunEntry>, StoreError> {
        let folder = folder.as_ref();
        for run in self.list()?.into_iter().rev().filter(|run| run.is_open && run.works_in(folder)) {
            if !self.is_alive(&run.id)? {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Returns the folder of an existing run. The caller reports missing files in it.
    fn existing(&self, id: &str) -> Result<PathBuf, StoreError> {
        let folder = self.folder_of(id)?;
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(StoreError::NoSuchRun { id: id.to_owned() }),
        }
    }
}

/// Reads the initial data of a run.
fn info_of(path: PathBuf) -> Result<RunInfo, StoreError> {
    let json = at(&path, private_folder::read_all(&path))?;
    match serde_json::from_slice::<InfoFile<RunInfo>>(&json) {
        _ if !checksum::fits(&json) => {
            Err(StoreError::Damaged { path, why: "its checksum does not match".to_owned() })
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
