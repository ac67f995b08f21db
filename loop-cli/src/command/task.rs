//! `loop task`: lets a working agent and a reviewing agent work on a task file.

use std::{fs, path::Path, process::ExitCode, sync::Arc};

use anyhow::anyhow;
use loop_agents::review::TaskOutput;
use loop_core::Progress;
use loop_manifest::{
    init::in_full_within,
    model::ModelChoiceError,
    task::{DEFAULT_LOOPS, Task, TaskAgent, TaskFile, TaskSandbox, TaskSpec, TaskText},
};
use loop_telemetry::{REDACTED, RunEntry, RunInfo, RunStore};

use super::{
    Failure, OrFail,
    environment::{block_on, dir_of, execution_context, model_name, new_run_id, settings},
    resume,
    run_lifecycle::{
        execute::AgentOutputSink,
        preflight::refuse_missing,
        prior_run::PriorRun,
        setup::{PersistOptions, RunSetup, RunStorage, create_storage, telemetry},
        stored_runs::{decode_as, is_in, read_on, store},
    },
    runs::json,
    usage,
};
use crate::{
    args::{OutputArgs, ReportingArgs, TaskArgs},
    ask::OpenQuestion,
    clock, exit,
    persistence::{self, JournalSource},
    task::{FinishedTask, STORED_AS, TaskReporter},
    view::{self, DIM, LiveOutput, RunScreen, paint, text},
};

/// The file beside the journal with the results of the loops, and the state of the work tree when the current loop
/// began.
const LEDGER: &str = "ledger.json";

pub(crate) fn exec(args: &TaskArgs) -> Result<ExitCode, Failure> {
    let dir = dir_of("--workdir", args.workdir.as_deref())?;
    let (task, file) = open(&args.file, &dir)?;
    if args.resume {
        let store = store()?;
        let (run, spec) = last_of(&store, &dir, &task.path())?;
        let so_far = PriorRun::read(&store, &run.id)?.progress;
        let mut resumed = resume::of(&run.id, output(&args.reporting));
        resumed.grant.add_iterations = spec.more_loops(&so_far, args.loops)?;
        return resume::exec_reporting(&resumed, &args.reporting);
    }
    let cx = execution_context(dir, new_run_id())?.allowing(args.allow.clone());
    let redactor = persistence::redactor([], cx.variables());
    view::set_redactor(redactor.clone());
    // Find any problem with the agents before storing anything about the run.
    let settings = settings(cx.folder())?;
    let model = |name: Option<String>| model_name(name, &settings, cx.variables()).map(TaskAgent::Model);
    let spec = spec(args, &task, file, model)?;
    refuse_missing(&spec.missing_agents(cx.folder(), cx.variables()))?;
    Task::open(spec.clone(), &cx.clone().on_warning(|_| ()))?.probe()?;
    let (started, output) = (clock::now(), output(&args.reporting));
    let telemetry = telemetry(output.telemetry.as_deref())?;
    let reporter = TaskReporter::new(&args.reporting)?;
    let text = serde_json::to_string(&spec).or_internal("cannot store the task")?;
    let info = RunInfo::new(cx.supervisor().run(), spec.name(), cx.folder(), started)
        .manifest(STORED_AS, redactor.redact(&text));
    let options = PersistOptions { journal: true, output: false, parallel: args.parallel };
    let (RunStorage { store, logs }, source) = create_storage(&info, &options, redactor)?;
    let setup = RunSetup {
        name: spec.name(),
        manifest: None,
        cx: &cx,
        output: &output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(execute(&setup, &spec, (&args.reporting, &reporter), source))
}

/// Works on the task from its current position.
pub(super) async fn execute(
    setup: &RunSetup<'_>,
    spec: &TaskSpec,
    (reporting, reporter): (&ReportingArgs, &TaskReporter),
    source: JournalSource<TaskOutput>,
) -> Result<ExitCode, Failure> {
    let mut cx = setup.cx.clone();
    let shown = reporting.verbose.then(|| LiveOutput::new(RunScreen::plain(), true));
    if let Some(shown) = shown.clone() {
        cx = cx.on_output(move || Arc::new(AgentOutputSink { shown: Some(shown.clone()), logs: None }));
    }
    let output_reporter = reporter.clone();
    let task = Task::open(spec.clone(), &cx)?.began(setup.started.into());
    let mut task = task.on_task_output(move |done| output_reporter.report_output(done));
    let so_far = recalled(setup, &source, &task)?;
    let loops = spec.loops_in_all(so_far.granted().into_iter().chain(source.grant()));
    task = task.granted(loops.saturating_sub(spec.loops.get()));
    if let Some(store) = setup.store {
        task = task.actions_in(store.folder_of(cx.supervisor().run())?.join(LEDGER));
    }
    let composed = task.compose()?.observe(reporter.of_phases(loops, shown));
    reporter.say(&plan(spec, loops));
    let (ended, record) =
        setup.run(composed, None, source, &RunScreen::plain(), OpenQuestion::default()).await?;
    let resuming = view::resume_hint(&ended.ending, cx.supervisor().run());
    let lacks_record = ended.lacks_record;
    let outcome = FinishedTask { outcome: task.outcome(&ended.ending, &ended.progress).await, ended };
    reporter.say(&outcome.page(spec));
    resuming.into_iter().for_each(|how| reporter.say(&how));
    if let Some(error) = outcome.error().filter(|_| reporting.quiet) {
        view::error(&anyhow!(text::printable(&error)));
    }
    let lacks_record =
        lacks_record || reporting.json && !view::print_record(&json(&outcome.json(spec, &record)));
    Ok(if lacks_record { ExitCode::from(exit::FAILED) } else { outcome.code() })
}

/// Returns the work of earlier processes, to report the files.
fn recalled(
    setup: &RunSetup<'_>,
    source: &JournalSource<TaskOutput>,
    task: &Task,
) -> Result<Progress, Failure> {
    let mut so_far = Progress::default();
    if let (Some(store), JournalSource::Resumed { .. }) = (setup.store, source) {
        read_on(&mut store.journal(setup.cx.supervisor().run())?, &mut so_far, |line, progress| {
            task.recall(&line.event, progress, line.output.as_ref().map(decode_as).transpose()?);
            Ok(())
        })?;
    }
    Ok(so_far)
}

/// Opens the named task, which must be in the work folder.
fn open(file: &Path, dir: &Path) -> Result<(TaskText, TaskFile), Failure> {
    // Resolves the path from the current folder, as the user sees it. Links are followed, and may lead outside.
    let path = fs::canonicalize(file).or_usage(|| format!("cannot find the task {}", file.display()))?;
    let path = path.to_str().or_usage(|| format!("the task's path is not UTF-8: {}", path.display()))?;
    TaskText::open(dir, path)
        .or_usage(|| format!("cannot work on the task {} in {}", file.display(), dir.display()))
}

fn spec(
    args: &TaskArgs,
    task: &TaskText,
    file: TaskFile,
    model: impl FnOnce(Option<String>) -> Result<TaskAgent, ModelChoiceError>,
) -> Result<TaskSpec, Failure> {
    let is_confined = args.sandbox == Some(TaskSandbox::Require);
    let command = |line: &String| TaskAgent::Command(in_full_within(line, is_confined));
    let executor = match &args.agent {
        Some(line) => command(line),
        None => model(args.model.clone().or(file.model)).or_usage(|| "who works")?,
    };
    let reviewer = match (&args.review_agent, &args.review_model) {
        (Some(line), _) => command(line),
        (None, Some(name)) => TaskAgent::Model(name.clone()),
        (None, None) => executor.clone(),
    };
    Ok(TaskSpec::new(task, executor, file.permissions)
        .reviewer(reviewer)
        .loops(args.loops.unwrap_or(DEFAULT_LOOPS))
        .rounds(args.rounds)
        .reasoning(args.reasoning)
        .sandbox(args.sandbox))
}

/// Parses a stored task.
pub(super) fn stored_spec(text: &str) -> Result<TaskSpec, Failure> {
    if text.contains(REDACTED) {
        return Err(usage!("the stored task lacks a secret that was in a command: start a new run"));
    }
    serde_json::from_str(text).or_usage(|| "cannot read the stored task")
}

/// Finds the last unfinished run of this task, and its specification.
fn last_of(store: &RunStore, dir: &Path, file: &str) -> Result<(RunEntry, TaskSpec), Failure> {
    let is_done =
        |run: &RunEntry| !run.is_open && run.last_ending.as_ref().is_some_and(|record| record.success);
    for run in store.list()?.into_iter().rev().filter(|run| is_in(run, dir)) {
        let info = store.info(&run.id)?;
        let Some(manifest) = info.manifest.filter(|manifest| manifest.path == STORED_AS) else { continue };
        let stored = serde_json::from_str(&manifest.text).ok();
        if stored.is_some_and(|stored: TaskSpec| stored.file == file && !is_done(&run)) {
            return Ok((run, stored_spec(&manifest.text)?));
        }
    }
    Err(usage!("this folder has no unfinished or halted run of {file}: leave out `--resume` to start one"))
}

/// Returns the output options that the shared run code needs.
fn output(reporting: &ReportingArgs) -> OutputArgs {
    OutputArgs {
        non_interactive: true,
        json: false,
        show_output: reporting.verbose,
        quiet: reporting.quiet,
        telemetry: reporting.telemetry.clone(),
    }
}

/// Describes the plan before the work begins.
fn plan(spec: &TaskSpec, loops: u64) -> String {
    let TaskSpec { file, executor, reviewer, permissions, .. } = spec;
    let mut plan = format!(
        "{file}, up to {}: {} works, {} reviews",
        text::count(loops, "iteration"),
        executor.name(),
        reviewer.name()
    );
    if !permissions.bash.is_empty() {
        let entries: Vec<_> = permissions.bash.iter().map(ToString::to_string).collect();
        plan += &format!("\n  additional programs: {}", entries.join(", "));
    }
    if spec.sandbox.is_some() {
        plan += "\n  commands run in a sandbox";
    }
    if !permissions.checks.is_empty() {
        plan += &format!("\n  checked by: {}", permissions.checks.join("; "));
    }
    paint(DIM, text::printable(&plan))
}
