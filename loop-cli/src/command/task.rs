//! `loop task`: lets an executing agent and a reviewing agent work on a task file.

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode, sync::Arc};

use anyhow::anyhow;
use loop_agents::review::Worked;
use loop_core::Progress;
use loop_manifest::{
    init::in_full,
    model::{ModelChoiceError, name_of},
    task::{DEFAULT_LOOPS, Task, TaskAgent, TaskFile, TaskSpec, TaskText},
};
use loop_telemetry::{REDACTED, Record, RunEntry, RunInfo, RunStore};

use super::{
    Failure, OrFail,
    earlier::Earlier,
    kept::{decode_as, is_in, read_on, store},
    perform::Printed,
    ready::{Keep, Kept, Ready, begin, telemetry},
    resume,
    runs::json,
    setting::{block_on, dir_of, new_run, place, settings},
    usage,
};
use crate::{
    args::{OutputArgs, TaskArgs, TellingArgs},
    ask::Declining,
    clock, exit,
    keeping::{self, Past},
    task::{KEPT_AS, Outcome, Voice},
    view::{self, DIM, Output, Screen, paint, text},
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
        let so_far = Earlier::of(&store, &run.id)?.progress;
        let mut resumed = resume::of(&run.id, output(&args.telling));
        resumed.grant.add_iterations = spec.more_loops(&so_far, args.loops)?;
        return resume::exec_told(&resumed, &args.telling);
    }
    let place = place(dir, new_run())?;
    let redactor = keeping::redactor(&BTreeMap::new(), place.variables());
    view::conceal(redactor.clone());
    // Find any problem with the agents before storing anything about the run.
    let settings = settings(place.folder())?;
    let model = |name: Option<String>| name_of(name, &settings, place.variables()).map(TaskAgent::Model);
    let spec = spec(args, &task, file, model)?;
    Task::open(spec.clone(), &place.clone().on_warning(|_| ()))?.probe()?;
    let (started, output) = (clock::now(), output(&args.telling));
    let telemetry = telemetry(output.telemetry.as_deref())?;
    let voice = Voice::new(&args.telling)?;
    let text = serde_json::to_string(&spec).or_internal("the task cannot be kept")?;
    let info = RunInfo::new(place.custody().run(), spec.name(), place.folder(), started)
        .manifest(KEPT_AS, redactor.redact(&text));
    let keep = Keep { journal: true, output: false, parallel: args.parallel };
    let (Kept { store, logs }, past) = begin(&info, &keep, redactor)?;
    let ready = Ready {
        name: spec.name(),
        manifest: None,
        place: &place,
        output: &output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(perform(&ready, &spec, (&args.telling, &voice), past))
}

/// Works on the task from its current position.
pub(super) async fn perform(
    ready: &Ready<'_>,
    spec: &TaskSpec,
    (telling, voice): (&TellingArgs, &Voice),
    past: Past<Worked>,
) -> Result<ExitCode, Failure> {
    let mut place = ready.place.clone();
    let shown = telling.verbose.then(|| Output::new(Screen::plain(), true));
    if let Some(shown) = shown.clone() {
        place = place.on_output(move || Arc::new(Printed { shown: Some(shown.clone()), logs: None }));
    }
    let worked = voice.clone();
    let task = Task::open(spec.clone(), &place)?.began(ready.started.into());
    let mut task = task.on_worked(move |done| worked.worked(done));
    let so_far = recalled(ready, &past, &task)?;
    let loops = spec.loops_in_all(so_far.granted().into_iter().chain(past.grant()));
    task = task.granted(loops.saturating_sub(spec.loops.get()));
    if let Some(store) = ready.store {
        task = task.actions_in(store.folder_of(place.custody().run())?.join(LEDGER));
    }
    let composed = task.compose()?.observe(voice.of_phases(loops, shown));
    voice.say(&plan(spec, loops));
    let ended = ready.run(composed, None, past, &Screen::plain(), Declining::default()).await?;
    let record = Record::of(ready.name, &ended.ending, &ended.progress).run_id(place.custody().run());
    let record = record.between(ready.started, clock::now());
    let resuming = view::resuming(&ended.ending, place.custody().run());
    let lacks_record = ended.lacks_record;
    let outcome = Outcome { outcome: task.outcome(&ended.ending, &ended.progress).await, ended };
    voice.say(&outcome.page(spec));
    resuming.into_iter().for_each(|how| voice.say(&how));
    if let Some(error) = outcome.error().filter(|_| telling.quiet) {
        view::error(&anyhow!(text::printable(&error)));
    }
    let lacks_record = lacks_record || telling.json && !view::told_json(&json(&outcome.json(spec, &record)));
    Ok(if lacks_record { ExitCode::from(exit::FAILED) } else { outcome.code() })
}

/// Returns the work of earlier processes, to report the files.
fn recalled(ready: &Ready<'_>, past: &Past<Worked>, task: &Task) -> Result<Progress, Failure> {
    let mut so_far = Progress::default();
    if let (Some(store), Past::Resumed { .. }) = (ready.store, past) {
        read_on(&mut store.journal(ready.place.custody().run())?, &mut so_far, |line, progress| {
            task.recall(&line.event, progress, line.output.as_ref().map(decode_as).transpose()?);
            Ok(())
        })?;
    }
    Ok(so_far)
}

/// Opens the named task, which must be in the work folder.
fn open(file: &Path, dir: &Path) -> Result<(TaskText, TaskFile), Failure> {
    // Resolves the path from the current folder, as the user sees it. Links are followed, and may lead outside.
    let path = fs::canonicalize(file).or_usage(|| format!("the task {}", file.display()))?;
    let path = path.to_str().or_usage(|| format!("the task's path is no text: {}", path.display()))?;
    TaskText::open(dir, path)
        .or_usage(|| format!("the task {} cannot be worked on in {}", file.display(), dir.display()))
}

fn spec(
    args: &TaskArgs,
    task: &TaskText,
    file: TaskFile,
    model: impl FnOnce(Option<String>) -> Result<TaskAgent, ModelChoiceError>,
) -> Result<TaskSpec, Failure> {
    let command = |line: &String| TaskAgent::Command(in_full(line).to_owned());
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
        .reasoning(args.reasoning))
}

/// Parses a stored task.
pub(super) fn kept(text: &str) -> Result<TaskSpec, Failure> {
    if text.contains(REDACTED) {
        return Err(usage!(
            "what is kept of the task lacks a secret that stood in a command: begin a new run"
        ));
    }
    serde_json::from_str(text).or_usage(|| "what is kept of the task cannot be read")
}

/// Finds the last unfinished run of this task, and its specification.
fn last_of(store: &RunStore, dir: &Path, file: &str) -> Result<(RunEntry, TaskSpec), Failure> {
    let is_done =
        |run: &RunEntry| !run.is_open && run.last_ending.as_ref().is_some_and(|record| record.success);
    for run in store.list()?.into_iter().rev().filter(|run| is_in(run, dir)) {
        let info = store.info(&run.id)?;
        let Some(manifest) = info.manifest.filter(|manifest| manifest.path == KEPT_AS) else { continue };
        let begun = serde_json::from_str(&manifest.text).ok();
        if begun.is_some_and(|begun: TaskSpec| begun.file == file && !is_done(&run)) {
            return Ok((run, kept(&manifest.text)?));
        }
    }
    Err(usage!("no run of {file} was cut off or halted here: leave out `--resume` to begin one"))
}

/// Returns the output options that the shared run code needs.
fn output(telling: &TellingArgs) -> OutputArgs {
    OutputArgs {
        non_interactive: true,
        json: false,
        show_output: telling.verbose,
        quiet: telling.quiet,
        telemetry: telling.telemetry.clone(),
    }
}

/// Describes the plan before the work begins.
fn plan(spec: &TaskSpec, loops: u64) -> String {
    let TaskSpec { file, executor, reviewer, permissions, .. } = spec;
    let mut plan = format!(
        "{file}, up to {}: {} works, {} reviews",
        text::count(loops, "loop"),
        executor.name(),
        reviewer.name()
    );
    if !permissions.bash.is_empty() {
        plan += &format!("\n  it may run besides the usual: {}", permissions.bash.join(", "));
    }
    if !permissions.checks.is_empty() {
        plan += &format!("\n  checked by: {}", permissions.checks.join("; "));
    }
    paint(DIM, text::printable(&plan))
}
