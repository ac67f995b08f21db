//! The iteration of an assay: the loop of one case, and its checks.

use std::{fs, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use loop_agents::{judge::OutputText, shell::CheckOutput};
use loop_core::{
    Evaluator, Halt, Iteration, IterationContext, IterationError, Loop, Report, StopReason, Verdict,
    WorkError, evaluator_passed, iteration_fn, with_causes,
};
use loop_manifest::{AgentOutput, ExecutionContext};
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
        if let Some(halt) = self.assay.halt(run.case) {
            return Err(WorkError::Halt(halt));
        }
        let made = run.make(&cx).await;
        let made = made.or_else(|error| Ok::<_, WorkError>(CaseRun::not_made(index, unmade(error, &cx)?)))?;
        self.assay.count(run.case, &made);
        (self.assay.on_run)(&self.assay.describe(index), &made);
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
        // A run that was cut has changed its copy, and would count twice: it begins anew.
        self.discard().await?;
        let context = self.context().await?;
        let folder = self.place.join("journal");
        let journal = journals::open::<AgentOutput>(&folder, &context)?;
        let on_event = Arc::clone(&self.assay.on_event);
        let mut plan = self.case.plan.clone();
        // Not in the plan of the case: an assay with a higher budget continues.
        plan.limits.max_cost = plan.limits.max_cost.into_iter().chain(self.assay.share).min();
        let composed = plan.compose(&context)?.observe(move |_: &_, _: &_| on_event());
        let report = composed.resume_from(journal).run_within(cx).await?;
        let failure = report.last_step().and_then(|step| step.failure());
        match (report.last_output(), failure) {
            _ if report.is_success() => {}
            // The agent did not answer, so there is nothing to judge.
            (_, Some(why)) if report.output().is_none() => {
                return Ok(self.made(&report, CaseOutcome::NotMade, why));
            }
            (_, why) => {
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                let why = format!("{}{why}", report.ending());
                return Ok(self.made(&report, CaseOutcome::Failed, &why));
            }
        }
        if let Some(why) = self.overspent(&report) {
            return Ok(self.made(&report, CaseOutcome::Failed, &why));
        }
        let Some(output) = report.last_output() else {
            return Ok(self.made(&report, CaseOutcome::NotMade, "the loop has no output"));
        };
        let outputs = journals::outputs::<AgentOutput>(&folder)?;
        let failures = self.failures(&facts(&report, output, &outputs), output, &context, cx).await?;
        let outcome = if failures.is_empty() { CaseOutcome::Passed } else { CaseOutcome::Failed };
        Ok(self.made(&report, outcome, &failures.join("; ")))
    }

    /// Returns that a run cost more than its share of the budget, if it did.
    fn overspent(&self, report: &Report<AgentOutput>) -> Option<String> {
        let (share, cost) = (self.assay.share?, report.usage().cost?.usd);
        (cost > share).then(|| format!("it cost {cost}, more than its share of the budget, {share}"))
    }

    /// Makes all checks, and returns why the run does not pass them.
    async fn failures(
        &self,
        facts: &RunFacts,
        output: &AgentOutput,
        context: &ExecutionContext,
        cx: &IterationContext<CaseRun>,
    ) -> Result<Vec<String>, WorkError> {
        let checks = self.case.checks();
        if !checks.is_empty() && is_cut(output) {
            return Ok(vec![format!(
                "the reply is longer than {} MiB, which checks can read",
                REPLY_BYTES >> 20
            )]);
        }
        let mut failures: Vec<_> = checks.iter().filter_map(|check| check.failure(facts)).collect();
        for check in checks {
            failures.extend(self.evaluate(check, output, &facts.reply, context, cx).await?);
        }
        Ok(failures)
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

    /// Copies the folder of the case, and returns the context of its copy.
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
        let time = self.assay.check_time;
        let Some(mut plan) = check.evaluator(&self.case.plan, time) else { return Ok(None) };
        let file = self.place.join("reply");
        fs::write(&file, reply)?;
        plan.agent.env.set.insert(REPLY_VARIABLE.to_owned(), file.to_string_lossy().into_owned());
        let words = match plan.check_command(context)? {
            Some(mut command) => tokio::select! {
                checked = command.check() => command_failure(checked.map_err(WorkError::failed)?),
                () = cx.cancelled() => return Err(WorkError::failed("the assay ended during a check")),
            },
            None => judged(output.clone(), plan.evaluator(context)?, cx).await?,
        };
        let words = words.map(|words| words.last_words(WORDS_BYTES));
        Ok(words.map(|words| match words.as_str() {
            "" => format!("`{check}` did not pass"),
            words => format!("`{check}` did not pass: {words}"),
        }))
    }
}

/// Returns why a command does not pass, if so. One that hangs or cannot be run counts too: the agent may have written it.
fn command_failure(CheckOutput { verdict, cut, .. }: CheckOutput) -> Option<String> {
    match cut {
        Some(cut) => Some(format!("it was ended {cut}")),
        None => (!verdict.passed()).then(|| words_of(&verdict)),
    }
}

fn words_of(verdict: &Verdict) -> String {
    verdict.feedback().unwrap_or_else(|| verdict.text()).to_owned()
}

/// Lets a model judge an output once. Returns why it does not pass, if so.
async fn judged(
    output: AgentOutput,
    evaluator: Box<dyn Evaluator<AgentOutput>>,
    cx: &IterationContext<CaseRun>,
) -> Result<Option<String>, WorkError> {
    let given = iteration_fn(move |_: IterationContext<AgentOutput>| {
        let output = output.clone();
        async move { Ok(output) }
    });
    let judge = Loop::new(given).evaluate(evaluator).until(evaluator_passed()).at_most(1);
    let report = judge.run_within(cx).await?;
    let step = report.last_step().filter(|_| !report.is_success());
    match step.map(|step| (step.failure(), step.verdict())) {
        None if report.is_success() => Ok(None),
        None => Err(WorkError::failed("a check was not made")),
        Some((Some(why), _)) => Err(WorkError::failed(format!("`judge` could not be asked: {why}"))),
        Some((None, verdict)) => Ok(Some(verdict.map(words_of).unwrap_or_default())),
    }
}

/// Returns whether a reply is longer than what checks see.
fn is_cut(output: &AgentOutput) -> bool {
    match output {
        AgentOutput::Command(output) => {
            output.said().omitted() > 0 || output.said().total() > REPLY_BYTES as u64
        }
        _ => false,
    }
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

/// Copies a folder for one run, or makes an empty one.
fn copy(place: &std::path::Path, origin: Option<&std::path::Path>) -> Result<PathBuf, loop_snapshots::Error> {
    let copy = place.join("folder");
    let at = |source| loop_snapshots::Error::File { path: copy.clone(), source };
    match origin {
        Some(origin) => drop(FolderCopy::create(origin, &copy)?),
        None => fs::create_dir_all(&copy).map_err(at)?,
    }
    fs::canonicalize(&copy).map_err(at)
}

/// Does work with files on a thread for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, loop_snapshots::Error> + Send + 'static,
) -> Result<T, WorkError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}
