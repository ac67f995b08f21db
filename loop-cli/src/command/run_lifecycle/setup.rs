//! A prepared run: supervised, recorded and listed, whatever its loop does.

use std::{env, path::Path, time::Duration};

use anyhow::anyhow;
use jiff::Timestamp;
use loop_agents::process::check_process_list;
use loop_core::{Bounded, Ending, Iteration, Loop, LoopStep, StopReason, with_causes};
use loop_manifest::ExecutionContext;
use loop_telemetry::{
    FileJournal, LineDigest, Logs, ParallelRuns, Record, Redactor, Retention, RunInfo, RunLock, RunStore,
    StateDir, StateDirError, StoreError, TelemetryFile,
};
use serde::{Serialize, de::DeserializeOwned};

use super::stored_runs::store;
use crate::command::{Failure, OrFail};
use crate::{
    args::OutputArgs,
    ask::OpenQuestion,
    clock,
    drive::{DriveContext, FinishedRun, drive},
    fault_injection,
    output_logs::OutputLogs,
    persistence::JournalSource,
    signals::Signals,
    view::{self, RunScreen},
};

/// A run that is prepared to begin or to continue.
pub(crate) struct RunSetup<'a> {
    /// Its name in records.
    pub(crate) name: &'a str,
    /// The absolute path of its manifest, if there is one.
    pub(crate) manifest: Option<&'a Path>,
    pub(crate) cx: &'a ExecutionContext,
    pub(crate) output: &'a OutputArgs,
    pub(crate) telemetry: &'a TelemetryFile,
    /// The store that lists it, if there is one.
    pub(crate) store: Option<&'a RunStore>,
    /// The files that store the whole output of its commands, if requested.
    pub(crate) logs: Option<OutputLogs>,
    /// The start time.
    pub(crate) started: Timestamp,
}

/// Opens the file for the run's record. This happens before the run spends anything.
pub(crate) fn telemetry(path: Option<&Path>) -> Result<TelemetryFile, Failure> {
    let file = match path {
        Some(path) => TelemetryFile::named(path)?,
        None => TelemetryFile::in_folder(StateDir::from_env_with(|name| env::var_os(name))?.telemetry())?,
    };
    file.probe()?;
    Ok(file)
}

/// The amount of data stored about a new run.
pub(crate) struct PersistOptions {
    pub(crate) journal: bool,
    /// Store the whole output of the commands; requires a journal.
    pub(crate) output: bool,
    /// Run even if another run works in the same folder.
    pub(crate) parallel: bool,
}

/// The storage of a run.
pub(crate) struct RunStorage {
    pub(crate) store: Option<RunStore>,
    pub(crate) logs: Option<OutputLogs>,
}

/// Creates the storage of a run, before the run spends anything.
pub(crate) fn create_storage<O>(
    info: &RunInfo,
    options: &PersistOptions,
    redactor: Redactor,
) -> Result<(RunStorage, JournalSource<O>), Failure> {
    let info = &info.clone().redacted(&redactor);
    let parallel = if options.parallel { ParallelRuns::Allowed } else { ParallelRuns::Refused };
    if !options.journal {
        return Ok((RunStorage { store: None, logs: None }, JournalSource::Unstored(alone(info, parallel)?)));
    }
    let (store, journal) = list(info, parallel, redactor.clone())?;
    let logs = options.output.then(|| logs(&store, &info.id, redactor)).transpose()?;
    Ok((RunStorage { store: Some(store), logs }, JournalSource::New(journal)))
}

/// Lists a run and creates its journal.
fn list<O>(
    info: &RunInfo,
    parallel: ParallelRuns,
    redactor: Redactor,
) -> Result<(RunStore, FileJournal<O>), Failure> {
    let store = store().or_setup(cannot_keep)?;
    let retention = Retention::from_env_with(KEEP_RUNS, |name| env::var_os(name))?;
    fault_injection::point("before_begin");
    let journal = match store.begin(info, parallel, clock::now) {
        Err(StoreError::FolderBusy { id, folder, has_journal }) => {
            return Err(busy(&id, &folder, has_journal));
        }
        stored => stored.or_setup(cannot_keep)?,
    };
    fault_injection::point("after_begin");
    make_room(&store, retention);
    Ok((store, journal.redacting(redactor)))
}

const fn cannot_keep() -> &'static str {
    "cannot keep the run's journal (`--no-journal` runs without one)"
}

/// Ensures that a run without storage is alone in its folder, and stays alone.
fn alone(info: &RunInfo, parallel: ParallelRuns) -> Result<Option<RunLock>, Failure> {
    // A user may have chosen no storage precisely because nothing can be stored.
    let warn = |error: anyhow::Error| {
        view::warning(&format!("cannot lock this folder against other runs: {error:#}"));
        Ok(None)
    };
    let store = match store() {
        Err(Failure::State(error @ StateDirError::NotPlain { .. })) => return warn(error.into()),
        found => found?,
    };
    match store.begin_without_journal(info, parallel) {
        Ok(lock) => Ok(Some(lock)),
        Err(StoreError::FolderBusy { id, folder, has_journal }) => Err(busy(&id, &folder, has_journal)),
        Err(error) => warn(error.into()),
    }
}

fn busy(id: &str, folder: &str, has_journal: bool) -> Failure {
    let shown = match has_journal {
        true => format!("`loop tail {id}` follows it"),
        false => "it has no journal to show".to_owned(),
    };
    Failure::Busy(anyhow!(
        "the run {id} already works in {folder}, and two runs would undo each other's work\n  \
         {shown}; `--parallel` runs both"
    ))
}

/// Opens the files for the whole output of this run's commands.
pub(crate) fn logs(store: &RunStore, run: &str, redactor: Redactor) -> Result<OutputLogs, Failure> {
    Ok(OutputLogs::new(Logs::of(store.folder_of(run)?).redacting(redactor)))
}

/// The variable with the number of ended runs to store.
const KEEP_RUNS: &str = "LOOP_KEEP_RUNS";

/// Removes old runs. Each new run is an occasion to clean up, but a failed removal does not fail the run: the next one
/// tries again.
fn make_room(store: &RunStore, retention: Retention) {
    if let Err(error) = store.retain(retention, clock::now()) {
        view::warning(&format!("cannot remove old runs: {:#}", anyhow!(error)));
    }
}

impl RunSetup<'_> {
    /// Runs a loop to its end. The parts of the loop end it within `max_time`. Afterwards, ends and records the
    /// remaining processes. Returns the record as well.
    pub(crate) async fn run<I, S>(
        &self,
        mut composed: Loop<I, S, Bounded>,
        max_time: Option<Duration>,
        mut source: JournalSource<I::Output>,
        screen: &RunScreen,
        open_question: OpenQuestion,
    ) -> Result<(FinishedRun, Record), Failure>
    where
        I: Iteration<Output: Serialize + DeserializeOwned> + 'static,
        S: LoopStep<Output = I::Output> + 'static,
    {
        let signals = Signals::listen().or_internal("cannot listen for signals")?;
        // Hold the lock until the end is noted. A process that resumed the run earlier would find its run marked as
        // ended.
        let lock = source.take_lock();
        if let Some(logs) = &self.logs {
            composed = composed.observe(logs.clone());
        }
        let (job, supervisor) = (self.cx.job(), self.cx.supervisor());
        let context =
            DriveContext { job, supervisor, max_time, screen, open_question, signals, table: source.table() };
        let mut ended = drive(source.attach_to(composed), context).await?;
        self.cx.stop_servers().await;
        let survivors = self.cx.supervisor().end_async().await;
        let record = self.record(&mut ended, lock.as_ref().and_then(RunLock::journal_head));
        self.end_snapshots();
        if self.store.is_none() || record.ending_name() == Ending::GOAL_MET {
            self.discard_sealed_tree();
        }
        warn_of_survivors(&survivors);
        if let Some(error) = self.logs.as_ref().and_then(OutputLogs::failure) {
            view::warning(&format!("some output was not stored: {error:#}"));
        }
        if self.output.json {
            // The record's texts are already redacted.
            ended.lacks_record |= !view::print_record(&record.to_line());
        }
        self.notify(&record);
        Ok((ended, record))
    }

    /// Marks the run's snapshots as those of an ended run.
    fn end_snapshots(&self) {
        if let Err(error) = self.cx.end_snapshots() {
            view::warning(&with_causes(&error));
        }
    }

    /// Deletes the tree of a sealed check after a run that nobody can resume.
    fn discard_sealed_tree(&self) {
        if let Err(error) = self.cx.discard_sealed_tree() {
            view::warning(&with_causes(&error));
        }
    }

    /// Notifies the person at the terminal, unless they chose not to be.
    fn notify(&self, record: &Record) {
        let settings = self.cx.settings().ok();
        let notify = settings.and_then(|settings| settings.user.tables.terminal.notify).unwrap_or(true);
        if notify && !self.output.quiet && !self.output.json {
            let took = record.ended_at.duration_since(record.started_at).unsigned_abs();
            view::notify(took, &record.name, record.ending_name());
        }
    }

    /// Reports where the output is stored, if it is.
    pub(crate) fn report_logs(&self) {
        if let Some(logs) = self.logs.as_ref().filter(|_| !self.output.quiet) {
            view::say(&format!("  {:<11}{}", "output", logs.folder().display()));
        }
    }

    /// Builds the run's record, and writes it to its destination.
    fn record(&self, ended: &mut FinishedRun, head: Option<LineDigest>) -> Record {
        let mut record =
            Record::of(self.name, &ended.ending, &ended.progress).run_id(self.cx.supervisor().run());
        // A journal that lacks the end is not the one that `loop verify` should find.
        record = record.journal_head(head.filter(|_| ended.unrecorded.is_none()));
        if let Some(manifest) = self.manifest {
            record = record.manifest(manifest);
        }
        if let (Some(StopReason::Cancelled), Some(signal)) = (ended.ending.reason(), ended.signal) {
            record = record.signal(signal.number());
        }
        let record = record.between(self.started, clock::now()).redacted(&view::secrets());
        fault_injection::point("before_record");
        let appended = self.telemetry.append(&record);
        ended.is_recorded = appended.is_ok();
        if let Err(error) = appended {
            view::warning(&format!("the run's record was not written: {:#}", anyhow!(error)));
            ended.lacks_record = self.output.telemetry.is_some();
        }
        fault_injection::point("before_end_note");
        // If the journal lacks the end, `resume` still sees an unfinished run, so the list must agree.
        let listed = self.store.filter(|_| ended.unrecorded.is_none());
        if let Some(Err(error)) = listed.map(|store| store.note_end(&record)) {
            view::warning(&format!("the run's end is not in the list of runs: {:#}", anyhow!(error)));
        }
        fault_injection::point("after_end_note");
        record
    }
}

/// Warns about processes that survived the run, or that nobody could find: a person must end them.
pub(super) fn warn_of_survivors(survivors: &[u32]) {
    const SHOWN: usize = 10;
    if let Err(error) = check_process_list() {
        view::warning(&format!(
            "cannot search for processes that the run left behind, because the list of processes cannot be read: {error}"
        ));
    }
    if survivors.is_empty() {
        return;
    }
    let numbers: Vec<_> = survivors.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = match survivors.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    view::warning(&format!(
        "cannot end processes that the run left behind: {}{more} (`ps -p {}` shows them)",
        numbers.join(", "),
        numbers.join(",")
    ));
}
