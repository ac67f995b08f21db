//! A run that is ready: it is looked after, recorded and listed, whatever its loop does.

use std::{env, path::Path, time::Duration};

use anyhow::anyhow;
use jiff::Timestamp;
use loop_core::{Bounded, Iteration, Loop, LoopStep, StopReason};
use loop_manifest::ExecutionContext;
use loop_telemetry::{
    FileJournal, Logs, Parallel, Record, Redactor, Retention, RunInfo, RunLock, RunStore, StateDir,
    StoreError, TelemetryFile,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Failure, OrFail, kept::store};
use crate::{
    args::OutputArgs,
    ask::Declining,
    clock,
    drive::{Ended, Stage, drive},
    faults,
    keeping::Past,
    logging::OutputLogs,
    signals::Signals,
    view::{self, Screen},
};

/// A run that is ready to begin, or to go on.
pub(super) struct Ready<'a> {
    /// What it is called in records.
    pub(super) name: &'a str,
    /// The whole path of its manifest, if it has one.
    pub(super) manifest: Option<&'a Path>,
    pub(super) place: &'a ExecutionContext,
    pub(super) output: &'a OutputArgs,
    pub(super) telemetry: &'a TelemetryFile,
    /// Where it is listed, if it is.
    pub(super) store: Option<&'a RunStore>,
    /// Where all is kept that its commands print, if it is.
    pub(super) logs: Option<OutputLogs>,
    /// When it began.
    pub(super) started: Timestamp,
}

/// The file for the run's record, tried before anything is spent.
pub(super) fn telemetry(path: Option<&Path>) -> Result<TelemetryFile, Failure> {
    let file = match path {
        Some(path) => TelemetryFile::named(path)?,
        None => TelemetryFile::in_folder(StateDir::from_env_with(|name| env::var_os(name))?.telemetry())?,
    };
    file.probe()?;
    Ok(file)
}

/// How much is to be kept of a run that begins.
pub(super) struct Keep {
    pub(super) journal: bool,
    /// All that its commands print; not without a journal.
    pub(super) output: bool,
    /// Also if another run works in its folder.
    pub(super) parallel: bool,
}

/// Where it is kept.
pub(super) struct Kept {
    pub(super) store: Option<RunStore>,
    pub(super) logs: Option<OutputLogs>,
}

/// Begins to keep a run, before anything is spent.
pub(super) fn begin<O>(info: &RunInfo, keep: &Keep, redactor: Redactor) -> Result<(Kept, Past<O>), Failure> {
    let info = &info.clone().redacted(&redactor);
    let parallel = if keep.parallel { Parallel::Allowed } else { Parallel::Refused };
    if !keep.journal {
        return Ok((Kept { store: None, logs: None }, Past::Unkept(alone(info, parallel)?)));
    }
    let (store, journal) = list(info, parallel, redactor.clone())?;
    let logs = keep.output.then(|| logs(&store, &info.id, redactor)).transpose()?;
    Ok((Kept { store: Some(store), logs }, Past::New(journal)))
}

/// Lists a run and makes its journal.
fn list<O>(
    info: &RunInfo,
    parallel: Parallel,
    redactor: Redactor,
) -> Result<(RunStore, FileJournal<O>), Failure> {
    let store = store()?;
    let retention = retention()?;
    faults::point("before_begin");
    let journal = match store.begin(info, parallel, clock::now) {
        Err(StoreError::FolderBusy { id, folder, is_kept }) => return Err(busy(&id, &folder, is_kept)),
        begun => begun.or_setup(|| "the run's journal cannot be kept (`--no-journal` runs without one)")?,
    };
    faults::point("after_begin");
    make_room(&store, retention);
    Ok((store, journal.redacting(redactor)))
}

/// Makes sure that a run which is not kept is alone in its folder, and stays so.
fn alone(info: &RunInfo, parallel: Parallel) -> Result<Option<RunLock>, Failure> {
    match store()?.begin_unkept(info, parallel) {
        Ok(lock) => Ok(Some(lock)),
        Err(StoreError::FolderBusy { id, folder, is_kept }) => Err(busy(&id, &folder, is_kept)),
        // Who keeps nothing may well do so because nothing can be kept.
        Err(error) => {
            view::warning(&format!("other runs are not kept out of this folder: {:#}", anyhow!(error)));
            Ok(None)
        }
    }
}

fn busy(id: &str, folder: &str, is_kept: bool) -> Failure {
    let shown = match is_kept {
        true => format!("`loop tail {id}` shows it"),
        false => "it keeps no journal that could be shown".to_owned(),
    };
    Failure::Busy(anyhow!(
        "the run {id} works in {folder} already, and two would undo each other's work\n  \
         {shown}; with `--parallel` both run"
    ))
}

/// Where all is kept that the commands of this run print.
pub(super) fn logs(store: &RunStore, run: &str, redactor: Redactor) -> Result<OutputLogs, Failure> {
    Ok(OutputLogs::new(Logs::of(store.folder_of(run)?).redacting(redactor)))
}

/// How many runs that have ended are kept.
const KEEP_RUNS: &str = "LOOP_KEEP_RUNS";
/// How many days old a run that has ended may become.
const KEEP_DAYS: &str = "LOOP_KEEP_DAYS";

/// What is kept of runs that have ended, as the user wants it.
fn retention() -> Result<Retention, Failure> {
    let number = |name: &str| {
        let Some(value) = env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
        let number = value.to_str().and_then(|value| value.parse::<u32>().ok());
        number.map(Some).or_setup(|| format!("{name} has to be a whole number, such as 100"))
    };
    let Retention { ended, age } = Retention::default();
    Ok(Retention {
        ended: number(KEEP_RUNS)?.map_or(ended, |runs| usize::try_from(runs).unwrap_or(usize::MAX)),
        age: number(KEEP_DAYS)?.map_or(age, |days| Duration::from_hours(24 * u64::from(days))),
    })
}

/// Removes old runs. To begin a run is reason enough to look, and no reason to fail: what cannot be removed is
/// tried again at the next one.
fn make_room(store: &RunStore, retention: Retention) {
    if let Err(error) = store.retain(retention, clock::now()) {
        view::warning(&format!("old runs were not removed: {:#}", anyhow!(error)));
    }
}

impl Ready<'_> {
    /// Runs a loop to its end, which its own parts bring about in `max_time` at the latest, and ends and records
    /// what is left.
    pub(super) async fn run<I, S>(
        &self,
        mut composed: Loop<I, S, Bounded>,
        max_time: Option<Duration>,
        mut past: Past<I::Output>,
        screen: &Screen,
        declining: Declining,
    ) -> Result<Ended, Failure>
    where
        I: Iteration<Output: Serialize + DeserializeOwned> + 'static,
        S: LoopStep<Output = I::Output> + 'static,
    {
        let signals = Signals::listen().or_internal("signals cannot be listened for")?;
        // Until the end is noted: who takes the run up in between would be noted as ended.
        let _lock = past.hold();
        if let Some(logs) = &self.logs {
            composed = composed.observe(logs.clone());
        }
        let (job, custody) = (self.place.job(), self.place.custody());
        let stage = Stage { job, custody, max_time, screen, declining, signals, table: past.table() };
        let mut ended = drive(past.give_to(composed), stage).await?;
        let survivors = self.place.custody().end_async().await;
        let record = self.record(&mut ended);
        warn_of_survivors(&survivors);
        if let Some(error) = self.logs.as_ref().and_then(OutputLogs::failure) {
            view::warning(&format!("not all that was printed is kept: {error:#}"));
        }
        if self.output.json {
            // Its texts have no secrets in them any more.
            ended.lacks_record |= !view::told_json(&record.to_line());
        }
        Ok(ended)
    }

    /// Says where the output is kept, if it is.
    pub(super) fn tell_of_logs(&self) {
        if let Some(logs) = self.logs.as_ref().filter(|_| !self.output.quiet) {
            view::say(&format!("  {:<11}{}", "output", logs.folder().display()));
        }
    }

    /// Makes the run's record, and puts it where records go.
    fn record(&self, ended: &mut Ended) -> Record {
        let mut record =
            Record::of(self.name, &ended.ending, &ended.progress).run_id(self.place.custody().run());
        if let Some(manifest) = self.manifest {
            record = record.manifest(manifest);
        }
        if let (Some(StopReason::Cancelled), Some(signal)) = (ended.ending.reason(), ended.signal) {
            record = record.signal(signal.number());
        }
        let record = record.between(self.started, clock::now()).redacted(&view::secrets());
        faults::point("before_record");
        if let Err(error) = self.telemetry.append(&record) {
            view::warning(&format!("the run's record was not written: {:#}", anyhow!(error)));
            ended.lacks_record = self.output.telemetry.is_some();
        }
        faults::point("before_end_note");
        // A run whose journal lacks its end has not ended for whoever goes on with it, and is not listed so.
        let listed = self.store.filter(|_| ended.unrecorded.is_none());
        if let Some(Err(error)) = listed.map(|store| store.note_end(&record)) {
            view::warning(&format!("the run's end is not in the list of runs: {:#}", anyhow!(error)));
        }
        faults::point("after_end_note");
        record
    }
}

/// What lives on although the run is over is somebody's to end.
fn warn_of_survivors(survivors: &[u32]) {
    const SHOWN: usize = 10;
    if survivors.is_empty() {
        return;
    }
    let numbers: Vec<_> = survivors.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = match survivors.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    view::warning(&format!(
        "processes that the run left behind could not be ended: {}{more} (`ps -p {}` shows them)",
        numbers.join(", "),
        numbers.join(",")
    ));
}
