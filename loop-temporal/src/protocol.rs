//! The messages between the workflow, its workers and their clients. All of them are JSON in the history of a run.

use std::{collections::VecDeque, path::PathBuf, sync::Arc, time::Duration};

use loop_core::{
    ActionId, Answer, Ceiling, Ending, Grant, Notes, Question, Snapshot, StepRecord, Usage, Usd, Verdict,
    Versioned, WorkResult,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Branch, Cut, FleetShare, GitPlace};

/// The version of these messages, and of the order in which the workflow sends them. A worker refuses a run of another
/// version.
pub const PROTOCOL: u32 = 2;

/// A run as it is submitted: the workflow's input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// The value of [`PROTOCOL`] where the run was submitted.
    pub protocol: u32,
    /// The version of `loop-temporal` that submitted the run.
    pub version: String,
    /// The name of the manifest's file, whose ending is its format.
    pub manifest: PathBuf,
    /// The text of the manifest.
    pub text: String,
    /// The name of the loop.
    pub name: String,
    /// Where the agent works.
    pub workspace: WorkspacePlace,
    /// The budget that the run shares with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetShare>,
    /// The number of events after which the run continues with a new history.
    pub longest_history: u32,
    /// The state of a run that continues; steps do not carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Box<Carried>>,
}

/// The state of a run that continues with a new history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// The state of the run.
    pub state: RunState,
    /// The host that has the run.
    pub claim: Option<Claim>,
    /// The number of hosts that have had the run.
    pub claims: u32,
    /// The status, which has the latest steps.
    pub status: RunStatus,
    /// Additions to the limits, if a person resumes the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Grant>,
    /// The answers that the run has not read.
    pub answers: VecDeque<PersonAnswer>,
}

/// The state of a run between two steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The machine, its guardrails and the condition.
    pub snapshot: Versioned<Snapshot>,
    /// The last output.
    pub output: Option<Value>,
}

/// Where an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkspacePlace {
    /// A folder that each worker has, as an absolute path.
    Folder(PathBuf),
    /// A clone for each run.
    Git(GitPlace),
}

/// The host that has a run: the result of the first activity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The name of the worker.
    pub worker: String,
    /// The queue of that worker alone. All steps of the run go through it.
    pub queue: String,
}

/// Which part of a step an activity performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// The work of the agent.
    Iterate,
    /// The check of its output.
    Evaluate,
}

/// The rest of a run's limits, for a step: a [`Ceiling`] as a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Run time.
    pub time: Option<Duration>,
    /// Money, in billionths of a dollar.
    pub cost: Option<u64>,
    /// Tokens, read and written together.
    pub tokens: Option<u64>,
}

impl From<Ceiling> for Left {
    fn from(left: Ceiling) -> Self {
        Self { time: left.time, cost: left.cost.map(Usd::as_nanos), tokens: left.tokens }
    }
}

impl From<Left> for Ceiling {
    fn from(left: Left) -> Self {
        let time = left.time.map_or(Self::NONE, Self::time);
        let cost = left.cost.map_or(Self::NONE, |nanos| Self::cost(Usd::nanos(nanos)));
        let tokens = left.tokens.map_or(Self::NONE, Self::tokens);
        time.min(cost).min(tokens)
    }
}

/// The part of a request that the run knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The work of the agent, or the check.
    pub kind: StepKind,
    /// The index of the iteration.
    pub iteration: u64,
    /// 1, plus one for each time that the run died in this iteration.
    pub attempt: u32,
    /// The limits on this step.
    pub left: Left,
    /// A person's note for the agent.
    pub guidance: Option<Arc<str>>,
    /// The step before this one.
    pub previous: Option<StepRecord>,
    /// Whether `last_output` is the output of `previous`.
    pub has_previous_output: bool,
    /// Of an iteration the latest output, and of a check the output to judge.
    pub output: Option<Value>,
}

/// The input of an activity that performs a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRequest {
    /// The run.
    pub run: String,
    /// The action that the result answers.
    pub id: ActionId,
    /// The number of hosts that have had the run, this one included.
    pub claim: u32,
    /// The run's submission.
    pub submission: Arc<Submission>,
    /// The work to do.
    pub work: Work,
}

/// The result of an activity that performed a step. A failed agent is a result. An activity fails only if its worker
/// cannot perform steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct StepAnswer {
    /// The result; the value is an output, or a [`Verdict`].
    pub result: WorkResult<Value>,
    /// Further facts. The usage excludes what `reports` contains, or an earlier signal.
    pub notes: Notes,
    /// Reports that no signal has delivered for certain.
    pub reports: Vec<UsageReport>,
    /// Why the worker ended the work, if it did.
    pub cut: Option<Cut>,
    /// The branch with the files, if the run has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
}

impl StepAnswer {
    /// Returns the result of a check.
    ///
    /// # Errors
    /// Fails if the value is not a verdict.
    pub fn verdict(&self) -> Result<WorkResult<Verdict>, serde_json::Error> {
        self.typed()
    }

    /// Returns the result with its value in another type.
    ///
    /// # Errors
    /// Fails if the value is of a different type.
    pub fn typed<T: serde::de::DeserializeOwned>(&self) -> Result<WorkResult<T>, serde_json::Error> {
        Ok(match &self.result {
            WorkResult::Done(value) => WorkResult::Done(serde_json::from_value(value.clone())?),
            WorkResult::Failed(message) => WorkResult::Failed(Arc::clone(message)),
            WorkResult::Later { after } => WorkResult::Later { after: *after },
            WorkResult::Halted(halt) => WorkResult::Halted(halt.clone()),
            other => WorkResult::Failed(format!("this worker knows no such result: {other:?}").into()),
        })
    }
}

/// Usage of a step that is in progress.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UsageReport {
    /// From 1 in each step. A report that arrives twice counts once.
    pub number: u64,
    /// The usage since the previous report.
    pub usage: Usage,
}

/// The signal of a worker during a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UsageReports {
    /// The action of the step.
    pub id: ActionId,
    /// All reports that no earlier signal has delivered for certain.
    pub reports: Vec<UsageReport>,
}

/// The signal with a person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonAnswer {
    /// The question, if the sender knows it. Without it, the answer belongs to the open question.
    pub id: Option<ActionId>,
    /// The answer; `None` if nobody is there.
    pub answer: Option<Answer>,
}

/// The state of a run, for a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// The name of the loop.
    pub name: String,
    /// The current state: `a worker`, `a budget`, `iterate`, `evaluate`, `wait`, `ask`, or `finish`.
    pub phase: String,
    /// The number of finished iterations.
    pub iterations: u64,
    /// The usage so far.
    pub usage: Usage,
    /// The worker that has the run.
    pub worker: Option<String>,
    /// The open question.
    pub question: Option<Question>,
    /// The id of that question.
    pub asked: Option<ActionId>,
    /// The settled steps, the latest 20.
    pub steps: Vec<StepRecord>,
    /// The branch with the files.
    #[serde(default)]
    pub branch: Option<Branch>,
    /// Why the last step was lost.
    #[serde(default)]
    pub trouble: Option<String>,
    /// The part that the run waits for. Only the client knows it.
    #[serde(default)]
    pub waits: Option<Waits>,
    /// The ending, if the run is over.
    pub ending: Option<Ending>,
}

/// A part that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waits {
    /// Any worker of this queue.
    Queue(String),
    /// The worker that has the run: it is busy or away.
    Host {
        /// Since when, in seconds.
        seconds: u64,
    },
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its ending.
    pub ending: Ending,
    /// The state at its end.
    pub status: RunStatus,
    /// The run time.
    pub elapsed: Duration,
    /// The submission that resumes the run. `None` if a part of the loop has no snapshot.
    pub resumable: Option<Box<Submission>>,
}
