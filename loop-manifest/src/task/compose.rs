//! From a task to a loop.

use std::{fmt, path::PathBuf, sync::Arc, time::SystemTime};

use async_trait::async_trait;
use loop_agents::review::{
    ActionHistory, ActionLog, Findings, ReviewEvaluator, TaskExecution, TaskOutput, Worker,
};
use loop_core::{
    Bounded, EvaluationContext, Evaluator, EvaluatorError, Event, Halt, JudgedStep, Loop, Progress,
    StopReason, Verdict, evaluator_passed,
};
use loop_guardrails::ConsecutiveFailures;

use super::{TaskAgent, TaskError, TaskSpec, TaskText, agents::TaskAgents, state_files::StateFiles};
use crate::{context::ExecutionContext, plan::SnapshotPlan, snapshots::WithSnapshots};

/// The most iterations in a row that may fail.
const MAX_FAILURES: u64 = 3;

/// The loop of a task: an agent works, and another one reviews, until nothing is left to do.
pub type TaskLoop = Loop<WithSnapshots<TaskExecution<Box<dyn Worker>>>, JudgedStep<TaskOutput>, Bounded>;

/// A task that two agents can work on.
///
/// It writes the state of the work into the folder `.loop/task` for people to read. The program never reads these
/// files.
pub struct Task {
    spec: TaskSpec,
    cx: ExecutionContext,
    text: TaskText,
    files: StateFiles,
    ledger: Option<ActionHistory>,
    ledger_file: Option<PathBuf>,
    granted: u64,
    on_task_output: Arc<OnTaskOutput>,
}

impl Task {
    /// Opens the task in the folder of the context.
    ///
    /// # Errors
    /// The file cannot be read, or is no task.
    pub fn open(spec: TaskSpec, cx: &ExecutionContext) -> Result<Self, TaskError> {
        let (text, _) = TaskText::open(cx.folder(), &spec.file)?;
        text.begun_with(&spec.permissions, cx);
        let cx = cx.clone().executing(Some(cx.folder().join(&spec.file)));
        let files = StateFiles::new(&spec, &cx)?;
        let (ledger, ledger_file, granted) = (None, None, 0);
        Ok(Self { spec, cx, text, files, ledger, ledger_file, granted, on_task_output: Arc::new(|_| ()) })
    }

    /// Finds out whether both agents can work here. Nothing is written.
    ///
    /// # Errors
    /// One of them cannot.
    pub fn probe(&self) -> Result<(), TaskError> {
        let agents = TaskAgents::new(&self.spec, &self.cx)?;
        let role = |role| move |source| TaskError::Role { role, source: Box::new(source) };
        agents.executor().map_err(role("who works"))?;
        agents.reviewer(&self.text).map(drop).map_err(role("who reviews"))
    }

    /// Sets the time at which the run began. Default: the time at which the task was opened.
    #[must_use]
    pub fn began(self, began: SystemTime) -> Self {
        self.files.began(began);
        self
    }

    /// Records the actions of all loops in the file `path`. With it the run still knows after a crash what an
    /// interrupted loop did.
    #[must_use]
    pub fn actions_in(mut self, path: impl Into<PathBuf>) -> Self {
        self.ledger_file = Some(path.into());
        self
    }

    /// Calls `listener` with the work of a loop, before its review.
    #[must_use]
    pub fn on_task_output(mut self, listener: impl Fn(&TaskOutput) + Send + Sync + 'static) -> Self {
        self.on_task_output = Arc::new(listener);
        self
    }

    /// Grants iterations in addition to those of the spec.
    #[must_use]
    pub const fn granted(mut self, loops: u64) -> Self {
        self.granted = loops;
        self
    }

    /// Takes in an event of an earlier process of the run, with the output that its journal keeps. Nothing is written.
    pub fn recall(&self, event: &Event, progress: &Progress, task_output: Option<TaskOutput>) {
        self.files.recall(event, progress, task_output);
    }

    /// Returns the iteration limit, including the iterations that were granted.
    pub fn loops(&self) -> u64 {
        self.spec.loops.get().saturating_add(self.granted)
    }

    /// Makes the loop.
    ///
    /// # Errors
    /// One of the agents cannot work here.
    pub fn compose(&mut self) -> Result<TaskLoop, TaskError> {
        let agents = TaskAgents::new(&self.spec, &self.cx)?;
        let (text, redact) = (self.text.clone(), self.cx.redaction());
        let (files, listener) = (self.files.clone(), self.files.call_listener());
        let review = agents.reviewer(&self.text)?.on_call(listener.clone());
        let execution = TaskExecution::new(agents.executor()?, self.loops(), move || Ok(text.now()));
        let mut execution = execution.on_call(listener);
        self.ledger = Some(execution.history());
        if let Some(path) = &self.ledger_file {
            execution = execution.remembering(agents.tree(), path).redacting(move |text| redact(text));
        }
        let review = RecordingEvaluator {
            review,
            files,
            reviewer: self.spec.reviewer.clone(),
            on_task_output: Arc::clone(&self.on_task_output),
        };
        let execution = WithSnapshots::new(execution, &SnapshotPlan::default(), &self.cx);
        Ok(Loop::new(execution)
            .evaluate(review)
            .until(evaluator_passed())
            .at_most(self.spec.loops.get())
            .guard(ConsecutiveFailures::new(MAX_FAILURES))
            .observe(self.files.clone()))
    }

    /// Returns what all loops did, as far as it is known.
    pub(super) async fn did(&self) -> ActionLog {
        let mut did = self.files.last().map(|task_output| task_output.so_far).unwrap_or_default();
        if let Some(ledger) = &self.ledger {
            did.absorb(&ledger.so_far().await);
        }
        did
    }

    /// Returns the findings of the last review of this process, also of one that ended the run.
    pub(super) fn found(&self) -> Option<Findings> {
        self.files.found()
    }

    /// Returns the findings of the last review that came to a verdict, in this process or an earlier one.
    pub(super) fn known(&self) -> Findings {
        self.files.known()
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// The stop reason of a run whose reviews had no verdict in [`MAX_WITHOUT_VERDICT`] iterations in a row.
pub const NO_VERDICT: &str = "no_verdict";

/// The most iterations in a row whose reviews may have no verdict. Iterations without a review neither count nor reset
/// the count.
pub const MAX_WITHOUT_VERDICT: u64 = 3;

type OnTaskOutput = dyn Fn(&TaskOutput) + Send + Sync;

/// Records what a loop did, before it is reviewed, and what the review found.
struct RecordingEvaluator {
    review: ReviewEvaluator,
    files: StateFiles,
    reviewer: TaskAgent,
    on_task_output: Arc<OnTaskOutput>,
}

#[async_trait]
impl Evaluator<TaskOutput> for RecordingEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<TaskOutput>) -> Result<Verdict, EvaluatorError> {
        (self.on_task_output)(cx.output());
        self.files.record_output(cx.output().clone());
        let judged = self.review.evaluate(cx).await;
        self.files.reviewed(self.review.found());
        let without = self.files.without_verdict() + 1;
        match (judged, self.review.printed_instead()) {
            (Ok(_), Some(printed)) if without >= MAX_WITHOUT_VERDICT => {
                let advice = advice(without, printed, &self.reviewer);
                Err(Halt::new(StopReason::custom(NO_VERDICT), advice).blockable(true).into())
            }
            (judged, _) => judged,
        }
    }
}

/// Describes what the reviewer printed, what it has to print, and how to go on, in a line each.
fn advice(loops: u64, printed: &str, reviewer: &TaskAgent) -> String {
    let ended = match printed {
        "" => "It printed nothing.".to_owned(),
        printed => format!("It ended with: {printed}"),
    };
    let (has_to, retry) = match reviewer {
        TaskAgent::Command(_) => (
            "It has to end with one JSON object: {\"review\": \"the id in its prompt\", \"pending\": [], \
             \"blocker\": \"\", \"summary\": \"\"}. `loop task --help` has an example.",
            "Correct the reviewer and repeat the review with `--resume`, or start again with another `--review-agent`.",
        ),
        TaskAgent::Model(_) => (
            "It has to call `give_verdict`, or to end with the verdict as one JSON object.",
            "Start again with another `--review-model`, or repeat the review with `--resume`.",
        ),
    };
    format!(
        "the reviewer gave no readable verdict in {loops} iterations in a row\n{ended}\n{has_to}\n{retry}"
    )
}
