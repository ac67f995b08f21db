//! The iteration of an assay: the loop of one case, and its checks.

use std::{fs, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use loop_agents::judge::OutputText;
use loop_core::{
    Evaluator, Grant, Halt, Iteration, IterationContext, IterationError, Loop, Report, StopReason, WorkError,
    evaluator_passed, iteration_fn, with_causes,
};
use loop_manifest::{AgentOutput, ExecutionContext, Plan};
use loop_snapshots::FolderCopy;
use loop_telemetry::StateDir;

use crate::{
    assay::{PlannedCase, Shared},
    case_run::{CaseOutcome, CaseRun},
    check::{Check, RunFacts},
    journals,
};

/// The most bytes of a reply that checks see.
const REPLY_BYTES: usize = 1 << 20;

/// The most bytes of the words of a check that a result quotes.
const WORDS_BYTES: usize = 400;

/// The variable that names the file with the reply.
const REPLY_VARIABLE: &str = "LOOP_REPLY";

/// Makes every `jobs`-th run of an assay, beginning with `first`: one in each iteration.
pub(crate) struct CaseIteration {
    pub(crate) assay: Arc<Shared>,
    pub(crate) first: usize,
    pub(crate) jobs: usize,
}

#[async_trait]
impl Iteration for CaseIteration {
    type Output = CaseRun;

    async fn run(&mut self, cx: IterationContext<CaseRun>) -> Result<CaseRun, IterationError> {
        let index = cx.last_output().map_or(self.first, |last| last.index + self.jobs);
        let run = RunPlace::new(&self.assay, index);
        if let Some(last) = cx.last_output() {
            // Only now is its result recorded.
            RunPlace::new(&self.assay, last.index).discard().await?;
        }
        let made = run.make(&cx).await;
        let made = made.or_else(|error| Ok::<_, WorkError>(CaseRun::not_made(index, unmade(error, &cx)?)))?;
        (self.assay.on_run)(&made);
        Ok(made)
    }
}

/// Returns why a run could not be made. Everything else ends the assay.
fn unmade(error: WorkError, cx: &IterationContext<CaseRun>) -> Result<String, WorkError> {
    match error {
        WorkError::Failed(why) if !cx.is_cancelled() => Ok(with_causes(&*why)),
        WorkError::Halt(halt) if !cx.is_cancelled() && is_unavailable(&halt) => Ok(halt.to_string()),
        other => Err(other),
    }
}

fn is_unavailable(halt: &Halt) -> bool {
    matches!(
        halt.reason,
        StopReason::AgentUnavailable
            | StopReason::EvaluatorUnavailable
            | StopReason::PromptUndeliverable
            | StopReason::AttemptsExhausted
            | StopReason::HitlCheckpoint
            | StopReason::Failed
    )
}

/// The place of one run: its case, and the folder with its journal and its copy.
struct RunPlace<'a> {
    assay: &'a Shared,
    case: &'a PlannedCase,
    index: usize,
    place: PathBuf,
}

impl<'a> RunPlace<'a> {
    fn new(assay: &'a Shared, index: usize) -> Self {
        let case = &assay.cases[index / assay.runs];
        Self { assay, case, index, place: assay.place.join("runs").join(index.to_string()) }
    }

    /// Removes the files of a run whose result is recorded.
    async fn discard(&self) -> Result<(), WorkError> {
        let place = self.place.clone();
        blocking(move || if place.exists() { FolderCopy::discard(&place) } else { Ok(()) }).await
    }

    async fn make(&self, cx: &IterationContext<CaseRun>) -> Result<CaseRun, WorkError> {
        let context = self.context().await?;
        let folder = self.place.join("journal");
        let was_cut = journals::was_cut(&folder)?;
        let journal = journals::open::<AgentOutput>(&folder, &context)?;
        let on_event = Arc::clone(&self.assay.on_event);
        let composed = self.case.plan.compose(&context)?.observe(move |_: &_, _: &_| on_event());
        let composed = composed.resume_from(journal);
        // The iteration that was cut has used up its index.
        let composed = if was_cut { composed.grant(Grant::default().with_iterations(1)) } else { composed };
        let report = composed.run_within(cx).await?;
        if let Some(why) = report.last_step().and_then(|step| step.failure()).filter(|_| self.is_answer()) {
            return Ok(self.made(&report, CaseOutcome::NotMade, why));
        }
        if !report.is_success() {
            return Ok(self.made(&report, CaseOutcome::Failed, &report.ending().to_string()));
        }
        let Some(output) = report.last_output() else {
            return Ok(self.made(&report, CaseOutcome::NotMade, "the loop has no output"));
        };
        let outputs = journals::outputs::<AgentOutput>(&folder)?;
        let facts = facts(&report, output, &outputs);
        let mut failures: Vec<_> =
            self.case.checks().iter().filter_map(|check| check.failure(&facts)).collect();
        for check in self.case.checks() {
            failures.extend(self.evaluate(check, output, &facts.reply, &context, cx).await?);
        }
        let outcome = if failures.is_empty() { CaseOutcome::Passed } else { CaseOutcome::Failed };
        Ok(self.made(&report, outcome, &failures.join("; ")))
    }

    fn made(&self, report: &Report<AgentOutput>, outcome: CaseOutcome, why: &str) -> CaseRun {
        CaseRun {
            index: self.index,
            outcome,
            why: self.assay.cx.redactor().redact(why).into_owned(),
            time: report.elapsed(),
            usage: *report.usage(),
            iterations: report.iterations(),
        }
    }

    /// Returns whether a failed step means that there is no answer, so that there is nothing to check.
    fn is_answer(&self) -> bool {
        self.case.case.is_prompt()
    }

    /// Copies the folder of the case, unless an earlier process did, and returns the context of its copy.
    async fn context(&self) -> Result<ExecutionContext, WorkError> {
        let (place, origin) = (self.place.clone(), self.case.case.folder.clone());
        let copy = blocking(move || copy(&place, origin.as_deref())).await?;
        let state = self.place.join("state");
        let state = StateDir::from_env_with(|name| (name == "LOOP_HOME").then(|| state.clone().into()))?;
        let cx = self.assay.cx.in_copy(&copy)?.with_snapshots(Some(state));
        Ok(cx.with_copies(Some(self.place.join("copies"))))
    }

    /// Makes a check that is a command or a judge. Returns why it does not pass, if so.
    async fn evaluate(
        &self,
        check: &Check,
        output: &AgentOutput,
        reply: &str,
        context: &ExecutionContext,
        cx: &IterationContext<CaseRun>,
    ) -> Result<Option<String>, WorkError> {
        let Some(mut plan) = check.evaluator(&self.case.plan) else { return Ok(None) };
        let file = self.place.join("reply");
        fs::write(&file, reply)?;
        plan.agent.env.set.insert(REPLY_VARIABLE.to_owned(), file.to_string_lossy().into_owned());
        let report = judged(output.clone(), plan_evaluator(&plan, context)?, cx).await?;
        if report.is_success() {
            return Ok(None);
        }
        let Some(step) = report.last_step() else { return Err(WorkError::failed("a check was not made")) };
        match (step.failure(), step.verdict()) {
            (Some(why), _) => Err(WorkError::failed(format!("`{check}` could not be checked: {why}"))),
            (None, verdict) => {
                let words = verdict.map(|verdict| verdict.feedback().unwrap_or_else(|| verdict.text()));
                let words = words.unwrap_or_default().to_owned().last_words(WORDS_BYTES);
                let words = if words.is_empty() { String::new() } else { format!(": {words}") };
                Ok(Some(format!("`{check}` did not pass{words}")))
            }
        }
    }
}

fn plan_evaluator(plan: &Plan, cx: &ExecutionContext) -> Result<Box<dyn Evaluator<AgentOutput>>, WorkError> {
    Ok(plan.evaluator(cx)?)
}

/// Judges an output once.
async fn judged(
    output: AgentOutput,
    evaluator: Box<dyn Evaluator<AgentOutput>>,
    cx: &IterationContext<CaseRun>,
) -> Result<Report<AgentOutput>, WorkError> {
    let given = iteration_fn(move |_: IterationContext<AgentOutput>| {
        let output = output.clone();
        async move { Ok(output) }
    });
    Loop::new(given).evaluate(evaluator).until(evaluator_passed()).at_most(1).run_within(cx).await
}

fn facts(report: &Report<AgentOutput>, output: &AgentOutput, outputs: &[AgentOutput]) -> RunFacts {
    let reply = match output {
        AgentOutput::Model(output) => output.text.clone(),
        other => other.last_words(REPLY_BYTES),
    };
    let calls = outputs.iter().filter_map(|output| match output {
        AgentOutput::Model(output) => Some(output.calls.iter().map(|call| call.tool.clone())),
        _ => None,
    });
    let calls = calls.flatten().collect();
    RunFacts { reply, calls, tokens: report.usage().tokens(), time: report.elapsed() }
}

/// Copies a folder for one run, or makes an empty one. A copy that is there already is complete.
fn copy(place: &std::path::Path, origin: Option<&std::path::Path>) -> Result<PathBuf, loop_snapshots::Error> {
    let (copy, draft) = (place.join("folder"), place.join("draft"));
    let at = |path: &std::path::Path| {
        let path = path.to_owned();
        move |source| loop_snapshots::Error::File { path, source }
    };
    if !copy.exists() {
        if draft.exists() {
            FolderCopy::discard(&draft)?;
        }
        match origin {
            Some(origin) => drop(FolderCopy::create(origin, &draft)?),
            None => fs::create_dir_all(&draft).map_err(at(&draft))?,
        }
        fs::rename(&draft, &copy).map_err(at(&copy))?;
    }
    fs::canonicalize(&copy).map_err(at(&copy))
}

/// Does work with files on a thread for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, loop_snapshots::Error> + Send + 'static,
) -> Result<T, WorkError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}
