//! `loop task`: an executing agent and a reviewing agent work off a task file.

mod cast;

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

use anyhow::{Context, anyhow};
use async_trait::async_trait;
use loop_agents::review::{ReviewEvaluator, TaskExecution, Worked};
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Loop, Progress, Verdict, evaluator_passed};
use loop_guardrails::ConsecutiveFailures;
use loop_telemetry::{REDACTED, Record, RunEntry, RunInfo, RunStore};

use self::cast::Cast;
use super::{
    Failure,
    earlier::Earlier,
    kept::{decode_as, is_in, read_on, store},
    ready::{Keep, Kept, Ready, begin, telemetry},
    resume,
    runs::json,
    setting::{block_on, dir_of, new_run, place, settings},
};
use crate::{
    args::{OutputArgs, TaskArgs, TellingArgs},
    ask::Declining,
    clock, exit,
    keeping::{self, Past},
    model::name_of,
    task::{Assignment, DEFAULT_LOOPS, KEPT_AS, Outcome, StateFiles, TaskFile, TaskText, Voice, Who},
    view::{self, DIM, Screen, paint, text},
};

/// The file beside the journal that has what loops did, and how the work tree was when the one under way began.
const LEDGER: &str = "ledger.json";

/// How many loops in a row may fail.
const MAX_FAILURES: u64 = 3;

pub(crate) fn exec(args: &TaskArgs) -> Result<ExitCode, Failure> {
    let dir = dir_of("--workdir", args.workdir.as_deref()).map_err(Failure::Usage)?;
    let (task, file) = open(&args.file, &dir).map_err(Failure::Usage)?;
    if args.resume {
        let store = store()?;
        let (run, assignment) = last_of(&store, &dir, &task.path())?;
        let so_far = Earlier::of(&store, &run.id)?.progress;
        let mut resumed = resume::of(&run.id, output(&args.telling));
        resumed.grant.add_iterations = assignment.more_loops(&so_far, args.loops).map_err(Failure::Usage)?;
        return resume::exec_told(&resumed, &args.telling);
    }
    let executed = Some(dir.join(task.path()));
    let place = place(dir, new_run()).map_err(Failure::Usage)?.executing(executed);
    let redactor = keeping::redactor(&BTreeMap::new(), &place.env);
    view::conceal(redactor.clone());
    // Whatever is wrong with the agents is found before anything is kept of a run.
    let settings = settings(&place.dir)?;
    let model = |name: Option<String>| name_of(name, &settings, &place.env).map(Who::Model);
    let assignment = assignment(args, &task, file, model).map_err(Failure::Usage)?;
    Cast::new(&assignment, &place, &settings, false).try_out(&task).map_err(Failure::Usage)?;
    let (started, output) = (clock::now(), output(&args.telling));
    let telemetry = telemetry(output.telemetry.as_deref()).map_err(Failure::Usage)?;
    let voice = Voice::new(&args.telling).map_err(Failure::Usage)?;
    let text = serde_json::to_string(&assignment).context("the task cannot be kept")?;
    let info = RunInfo::new(place.custody.run(), assignment.name(), &place.dir, started)
        .manifest(KEPT_AS, redactor.redact(&text));
    let keep = Keep { journal: true, output: false, parallel: args.parallel };
    let (Kept { store, logs }, past) = begin(&info, &keep, redactor)?;
    let ready = Ready {
        name: assignment.name(),
        manifest: None,
        place: &place,
        output: &output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(perform(&ready, &assignment, (&args.telling, &voice), past))
}

/// Works it off, from wherever it is.
pub(super) async fn perform(
    ready: &Ready<'_>,
    assignment: &Assignment,
    (telling, voice): (&TellingArgs, &Voice),
    past: Past<Worked>,
) -> Result<ExitCode, Failure> {
    let place = ready.place;
    let workspace = TaskText::folder(&place.dir).map_err(Failure::Usage)?;
    let (task, _) = TaskText::open(workspace.clone(), &assignment.file).map_err(Failure::Usage)?;
    task.begun_with(&assignment.rights);
    let settings = settings(&place.dir)?;
    let cast = Cast::new(assignment, place, &settings, telling.verbose);
    let review = cast.reviewer(&task).map_err(Failure::Usage)?;
    let files = StateFiles::new(workspace, assignment, place.custody.run(), ready.started);
    let so_far = recalled(ready, &past, &files)?;
    let loops = assignment.loops_in_all(so_far.granted().into_iter().chain(past.grant()));
    let executor = cast.executor().map_err(Failure::Usage)?;
    let mut execution = TaskExecution::new(executor, loops, move || Ok(task.now()));
    let ledger = execution.ledger();
    if let Some(store) = ready.store {
        execution = execution
            .remembering(cast.tree(), store.folder_of(place.custody.run())?.join(LEDGER))
            .redacting(|text| view::secrets().redact(text).into_owned());
    }
    let composed = Loop::new(execution)
        .evaluate(Filing { review, files: files.clone(), voice: voice.clone() })
        .until(evaluator_passed())
        .at_most(assignment.loops.get())
        .guard(ConsecutiveFailures::new(MAX_FAILURES))
        .observe(files.clone())
        .observe(voice.of_phases(loops, cast.shown()));
    voice.say(&plan(assignment, loops));
    let ended = ready.run(composed, None, past, &Screen::plain(), Declining::default()).await?;
    let record = Record::of(ready.name, &ended.ending, &ended.progress).run_id(place.custody.run());
    let record = record.between(ready.started, clock::now());
    let resuming = view::resuming(&ended.ending, place.custody.run());
    let mut did = files.last().map(|worked| worked.so_far).unwrap_or_default();
    did.absorb(&ledger.so_far().await);
    let lacks_record = ended.lacks_record;
    let outcome = Outcome::of(ended, did, files.found(), files.known());
    voice.say(&outcome.page(assignment));
    resuming.into_iter().for_each(|how| voice.say(&how));
    if let Some(error) = outcome.error().filter(|_| telling.quiet) {
        view::error(&anyhow!(text::printable(&error)));
    }
    let lacks_record =
        lacks_record || telling.json && !view::told_json(&json(&outcome.json(assignment, &record)));
    Ok(if lacks_record { ExitCode::from(exit::FAILED) } else { outcome.code() })
}

/// What an earlier process did of it, for the files.
fn recalled(ready: &Ready<'_>, past: &Past<Worked>, files: &StateFiles) -> Result<Progress, Failure> {
    let mut so_far = Progress::default();
    if let (Some(store), Past::Resumed { .. }) = (ready.store, past) {
        read_on(&mut store.journal(ready.place.custody.run())?, &mut so_far, |line, progress| {
            files.recall(&line.event, progress, line.output.as_ref().map(decode_as).transpose()?);
            Ok(())
        })?;
    }
    Ok(so_far)
}

/// Files and tells what a loop did before it is reviewed.
struct Filing {
    review: ReviewEvaluator,
    files: StateFiles,
    voice: Voice,
}

#[async_trait]
impl Evaluator<Worked> for Filing {
    async fn evaluate(&mut self, cx: EvaluationContext<Worked>) -> Result<Verdict, EvaluatorError> {
        self.voice.worked(cx.output());
        self.files.worked(cx.iteration(), cx.output().clone());
        let judged = self.review.evaluate(cx).await;
        self.files.reviewed(self.review.found());
        judged
    }
}

/// The task that is named, which has to lie in the folder of the work.
fn open(file: &Path, dir: &Path) -> anyhow::Result<(TaskText, TaskFile)> {
    // As the user sees it, from here; links are followed, and lead out or do not.
    let path = fs::canonicalize(file).with_context(|| format!("the task {}", file.display()))?;
    let path = path.to_str().with_context(|| format!("the task's path is no text: {}", path.display()))?;
    TaskText::open(TaskText::folder(dir)?, path)
        .with_context(|| format!("the task {} cannot be worked on in {}", file.display(), dir.display()))
}

fn assignment(
    args: &TaskArgs,
    task: &TaskText,
    file: TaskFile,
    model: impl Fn(Option<String>) -> anyhow::Result<Who>,
) -> anyhow::Result<Assignment> {
    let command = |line: &String| Who::Command(crate::init::agent::in_full(line).to_owned());
    let executor = match &args.agent {
        Some(line) => command(line),
        None => model(args.model.clone().or(file.model)).context("who works")?,
    };
    let reviewer = match (&args.review_agent, &args.review_model) {
        (Some(line), _) => command(line),
        (None, Some(name)) => Who::Model(name.clone()),
        (None, None) => executor.clone(),
    };
    Ok(Assignment {
        file: task.path(),
        executor,
        reviewer,
        loops: args.loops.unwrap_or(DEFAULT_LOOPS),
        rounds: args.rounds,
        reasoning: args.reasoning,
        rights: file.rights,
    })
}

/// What is kept of a task.
pub(super) fn kept(text: &str) -> anyhow::Result<Assignment> {
    if text.contains(REDACTED) {
        return Err(anyhow!(
            "what is kept of the task lacks a secret that stood in a command: begin a new run"
        ));
    }
    serde_json::from_str(text).context("what is kept of the task cannot be read")
}

/// The last run of this task that is not done, and with what it was begun.
fn last_of(store: &RunStore, dir: &Path, file: &str) -> Result<(RunEntry, Assignment), Failure> {
    let is_done =
        |run: &RunEntry| !run.is_open && run.last_ending.as_ref().is_some_and(|record| record.success);
    for run in store.list()?.into_iter().rev().filter(|run| is_in(run, dir)) {
        let info = store.info(&run.id)?;
        let Some(manifest) = info.manifest.filter(|manifest| manifest.path == KEPT_AS) else { continue };
        let begun = serde_json::from_str(&manifest.text).ok();
        if begun.is_some_and(|begun: Assignment| begun.file == file && !is_done(&run)) {
            return Ok((run, kept(&manifest.text).map_err(Failure::Usage)?));
        }
    }
    Err(Failure::Usage(anyhow!(
        "no run of {file} was cut off or halted here: leave out `--resume` to begin one"
    )))
}

/// What the rest of the command asks of any run.
fn output(telling: &TellingArgs) -> OutputArgs {
    OutputArgs {
        non_interactive: true,
        json: false,
        show_output: telling.verbose,
        quiet: telling.quiet,
        telemetry: telling.telemetry.clone(),
    }
}

/// What will be done, before anything is.
fn plan(assignment: &Assignment, loops: u64) -> String {
    let Assignment { file, executor, reviewer, rights, .. } = assignment;
    let mut plan = format!(
        "{file}, up to {}: {} works, {} reviews",
        text::count(loops, "loop"),
        executor.name(),
        reviewer.name()
    );
    if !rights.bash.is_empty() {
        plan += &format!("\n  it may run besides the usual: {}", rights.bash.join(", "));
    }
    if !rights.checks.is_empty() {
        plan += &format!("\n  checked by: {}", rights.checks.join("; "));
    }
    paint(DIM, text::printable(&plan))
}
