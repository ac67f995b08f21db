//! `loop resume`: continues an interrupted or halted run.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::anyhow;
use loop_core::{Ending, Grant, StopReason};
use loop_session::repeat::RepeatedWork;
use loop_telemetry::{FileJournal, Record, RunEntry, RunInfo, RunStore, StoreError};

use super::{
    Failure, OrFail, engine,
    environment::{self, block_on, execution_context},
    every,
    run_lifecycle::{
        execute::execute,
        leftover_processes::LeftoverProcesses,
        prior_run::PriorRun,
        run_spec,
        setup::{RunSetup, logs, telemetry},
        stored_runs::{is_in, store},
        stored_spec::StoredSpec,
    },
    task, usage,
};
use crate::{
    args::{GrantArgs, OutputArgs, ReportingArgs, ResumeArgs},
    clock, exit, fault_injection,
    persistence::{self, JournalSource},
    task::TaskReporter,
    view::{self, resume_command},
};

pub(crate) fn exec(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    if let Some(engine) = args.engine {
        return engine::exec_resume(engine, args.run.as_deref(), &args.grant);
    }
    let OutputArgs { show_output: verbose, quiet, .. } = args.output;
    exec_reporting(args, &ReportingArgs { verbose, quiet, ..ReportingArgs::default() })
}

/// Returns the arguments that resume this run.
pub(super) fn of(run: &str, output: OutputArgs) -> ResumeArgs {
    let grant = GrantArgs { add_iterations: 0, add_cost: None, add_tokens: 0, add_seconds: None, note: None };
    ResumeArgs {
        run: Some(run.to_owned()),
        accept_changes: false,
        keep_output: false,
        allow: Vec::new(),
        engine: None,
        output,
        grant,
    }
}

/// Resumes a run; `reporting` configures the reports if the run is a task.
pub(super) fn exec_reporting(args: &ResumeArgs, reporting: &ReportingArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let Some(run) = choose_run(args, &store)? else { return Ok(ExitCode::from(exit::OK)) };
    alone(&store, &run)?;
    let info = store.info(&run.id)?;
    let dir = folder(&info)?;
    let info = info.located_in(&dir);
    let stored = StoredSpec::of(&info, args.accept_changes)?;
    if !args.accept_changes {
        run_spec::refuse_changed_files(&info, &dir)?;
    }
    if !stored.warnings().is_empty() && !args.output.quiet {
        view::say(stored.warnings());
    }
    if let Some(path) = stored.manifest().filter(|path| !path.exists() && !args.output.quiet) {
        view::warning(&format!(
            "{} no longer exists: the run continues with its stored copy",
            path.display()
        ));
    }
    let mut args = args.clone();
    if let (StoredSpec::Task(spec), 0) = (&stored, args.grant.add_iterations) {
        args.grant.add_iterations = spec.iterations_to_regrant(&PriorRun::read(&store, &run.id)?.progress);
    }
    let resumable = ResumableRun { args: &args, store: &store, run, info: &info, dir, stored: &stored };
    match &stored {
        StoredSpec::Task(spec) => {
            let reporter = TaskReporter::new(reporting)?;
            let reports = (reporting, &reporter);
            resumable.resume_with(async |setup: &RunSetup<'_>, source| {
                task::execute(setup, spec, reports, source).await
            })
        }
        StoredSpec::Plan(spec) => {
            resumable.resume_with(async |setup: &RunSetup<'_>, source| execute(setup, spec, source).await)
        }
        StoredSpec::Repetition(repetition, until) => match &repetition.work {
            RepeatedWork::Command(line) => resumable.resume_with(async |setup: &RunSetup<'_>, source| {
                let iteration = every::command(line, setup.cx)?;
                every::execute(setup, repetition, until.clone(), iteration, source).await
            }),
            RepeatedWork::Prompt { prompt, conversation, fresh } => {
                resumable.resume_with(async |setup: &RunSetup<'_>, source| {
                    let iteration = every::turn(prompt, conversation, *fresh, setup.cx)?;
                    every::execute(setup, repetition, until.clone(), iteration, source).await
                })
            }
        },
    }
}

/// A run without a process, and its specification.
struct ResumableRun<'a> {
    args: &'a ResumeArgs,
    store: &'a RunStore,
    run: RunEntry,
    info: &'a RunInfo,
    dir: PathBuf,
    stored: &'a StoredSpec,
}

impl ResumableRun<'_> {
    /// Resumes the run through `execute_with`.
    fn resume_with<O>(
        self,
        execute_with: impl AsyncFnOnce(&RunSetup<'_>, JournalSource<O>) -> Result<ExitCode, Failure>,
    ) -> Result<ExitCode, Failure> {
        let Self { args, store, run, info, dir, stored } = self;
        let telemetry = telemetry(args.output.telemetry.as_deref())?;
        // From here on we hold the run's lock, and nobody else can resume it.
        let journal = take(store, &run.id)?;
        let earlier = PriorRun::read(store, &run.id)?;
        earlier.refuse_truncated(store, &run)?;
        let had_ended = earlier.progress.ending();
        if let Some(ending) = had_ended.filter(|_| run.is_open) {
            let is_recorded = earlier.note_end(store, &telemetry, info)?;
            // Nobody has seen how the run ended: a question at which it halted must not count as answered.
            if ending.is_success() || args.run.is_none() {
                view::say(&ended_unseen(&run.id, ending));
                let is_lost = !is_recorded && args.output.telemetry.is_some();
                return Ok(ExitCode::from(if is_lost { exit::FAILED } else { exit::OK }));
            }
        }
        fault_injection::point("before_resume_note");
        note_resumed(store, &run.id)?;
        fault_injection::point("after_resume_note");
        end_leftovers(&run.id)?;
        let manifest = stored.manifest().map(Path::to_owned);
        let cx = execution_context(dir, run.id)?.executing(manifest).allowing(args.allow.clone());
        let redactor = persistence::redactor(stored.named_values(), cx.variables());
        view::set_redactor(redactor.clone());
        let logs =
            args.keep_output.then(|| logs(store, cx.supervisor().run(), redactor.clone())).transpose()?;
        let source = JournalSource::Resumed {
            journal: journal.redacting(redactor),
            grant: grant(&args.grant),
            table: Box::new(earlier.table),
        };
        let setup = RunSetup {
            name: &info.name,
            manifest: stored.manifest(),
            cx: &cx,
            output: &args.output,
            telemetry: &telemetry,
            store: Some(store),
            logs,
            started: info.started_at,
        };
        block_on(execute_with(&setup, source))
    }
}

/// Returns the folder of a run. If the stored path was redacted, that is the current folder, or unknown.
fn folder(info: &RunInfo) -> Result<PathBuf, Failure> {
    if info.folder_id.is_none() {
        return environment::dir(Some(Path::new(&info.folder)))
            .or_setup(|| "the run's folder no longer exists");
    }
    let here = environment::dir(None)?;
    match info.works_in(&here) {
        true => Ok(here),
        false => Err(usage!(
            "the run {} works in {}, but a secret was removed from this stored path\n  \
             change into that folder, then run `loop resume {}`",
            info.id,
            info.folder,
            info.id
        )),
    }
}

/// Describes a run that had ended although its process died before listing the end.
fn ended_unseen(id: &str, ending: &Ending) -> String {
    let more = match ending.is_success() {
        true => "there is nothing left to do".to_owned(),
        false => {
            let resume = resume_command(ending.reason(), id);
            format!("`loop show {id}` shows how it went, and `{resume}` continues it")
        }
    };
    format!("the run {id} had ended as {} before its process died: {more}", ending.name())
}

/// Chooses the run to resume. Returns `None` if there is nothing to do, and reports that.
fn choose_run(args: &ResumeArgs, store: &RunStore) -> Result<Option<RunEntry>, Failure> {
    if let Some(id) = &args.run {
        let run = store.find(id)?;
        let is_done = !run.is_open && run.last_ending.as_ref().is_some_and(|record| record.success);
        if is_done {
            view::say(&format!("the run {} has met its goal: there is nothing left to do", run.id));
        }
        return Ok((!is_done).then_some(run));
    }
    let here = environment::dir(None)?;
    if let Some(run) = store.last_unfinished_in(&here)? {
        return Ok(Some(run));
    }
    if let Some(run) = store.active_in(&here)? {
        return Err(if run.has_journal { is_alive(&run.id) } else { busy(&run.id, &run.folder) });
    }
    let mut ended: Vec<_> = store.list()?.into_iter().filter(|run| is_in(run, &here)).collect();
    // A person who raises limits means the run that reached them, and one who has ended a run may go on with it.
    let is_meant = |record: &Record| {
        !record.success && (grant(&args.grant).is_some() || record.stop_reason == Some(StopReason::Cancelled))
    };
    if ended.last().and_then(|run| run.last_ending.as_ref()).is_some_and(is_meant) {
        return Ok(ended.pop());
    }
    let more = ended.into_iter().rev().find_map(|run| {
        let record = run.last_ending.filter(|record| !record.success)?;
        let (reason, resume) = (record.ending_name(), resume_command(record.stop_reason.as_ref(), &run.id));
        Some(format!("\n  the last one without its goal ended as {reason}; `{resume}` continues it"))
    });
    view::say(&format!("this folder has no unfinished run{}", more.unwrap_or_default()));
    Ok(None)
}

/// Refuses if another run works in the folder: two runs would undo each other's work.
fn alone(store: &RunStore, run: &RunEntry) -> Result<(), Failure> {
    match store.active_with(run)? {
        Some(other) if other.id == run.id => Err(is_alive(&run.id)),
        Some(other) => Err(busy(&other.id, &other.folder)),
        None => Ok(()),
    }
}

/// Records that the run continues, unless another one has begun in its folder meanwhile.
fn note_resumed(store: &RunStore, id: &str) -> Result<(), Failure> {
    store.note_resumed(id, clock::now()).map_err(|error| match error {
        StoreError::FolderBusy { id, folder, .. } => busy(&id, &folder),
        other => other.into(),
    })
}

fn busy(id: &str, folder: &str) -> Failure {
    Failure::Busy(anyhow!("the run {id} works in {folder} now: wait until it has ended, or end it"))
}

fn take<O>(store: &RunStore, id: &str) -> Result<FileJournal<O>, Failure> {
    store.resume(id, clock::now).map_err(|error| match error {
        StoreError::Alive { id } => is_alive(&id),
        other => other.into(),
    })
}

fn is_alive(id: &str) -> Failure {
    Failure::Busy(anyhow!("the run {id} is still running: `loop tail {id}` follows it"))
}

/// Ends the remaining processes of the dead run: two agents must not work on the same files.
fn end_leftovers(run: &str) -> Result<(), Failure> {
    let remains = LeftoverProcesses::end(&[run]);
    if let Some(ended) = remains.ended {
        view::warning(&format!("ended processes that the run had left behind: {ended}"));
    }
    match remains.alive {
        None => Ok(()),
        Some(alive) => Err(Failure::Busy(anyhow!(
            "cannot end processes that the run left behind, which would work beside the new ones: {alive}\n  \
             end them yourself, then resume the run"
        ))),
    }
}

/// Returns the person's additions; `None` if there are none.
fn grant(args: &GrantArgs) -> Option<Grant> {
    let mut grant = Grant::default()
        .with_iterations(args.add_iterations)
        .with_cost(args.add_cost.unwrap_or_default())
        .with_tokens(args.add_tokens)
        .with_time(args.add_seconds.unwrap_or_default());
    grant.note.clone_from(&args.note);
    (grant != Grant::default()).then_some(grant)
}
