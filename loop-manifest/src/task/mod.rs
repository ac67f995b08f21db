//! Tasks: a file that describes the work, an agent that does it, and an agent that reviews it.
//!
//! The permissions are fixed when the run begins. The agents can write to the task file, so an agent that could permit
//! a program by adding a line to it would have every program. The text is read again whenever it is needed, so that a
//! person can clarify the task while the agents work.
//!
//! ```
//! use loop_agents::process::Supervisor;
//! use loop_manifest::{ExecutionContext, task::{Task, TaskAgent, TaskSpec, TaskText}};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("task.md"), "Write hello into hello.txt.")?;
//! let (text, file) = TaskText::open(folder, "task.md")?;
//! let worker = "echo hello >hello.txt; echo 'STATUS: COMPLETE'".to_owned();
//! let reviewer = "false"; // never asked, because the worker claims that it is done
//! let spec = TaskSpec::new(&text, TaskAgent::Command(worker), file.permissions)
//!     .reviewer(TaskAgent::Command(reviewer.to_owned()));
//! let cx = ExecutionContext::new(folder, Supervisor::new("run-7"))?.with_variables(std::env::vars_os());
//! let mut task = Task::open(spec, &cx)?;
//! let report = task.compose()?.run().await?;
//! assert!(report.is_success());
//! assert_eq!(std::fs::read_to_string(folder.join("hello.txt"))?, "hello\n");
//! # Ok(()) }
//! ```

mod agents;
mod compose;
mod error;
mod file;
mod outcome;
mod phase_log;
mod state_files;
mod state_records;
mod task_text;

use std::num::NonZeroU64;

use loop_agents::chat::Effort;
use loop_core::{Grant, Progress, StepRecord, StopReason};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

pub use self::{
    compose::{MAX_WITHOUT_VERDICT, NO_VERDICT, Task, TaskLoop},
    error::{LoopsError, TaskError},
    file::{TaskFile, TaskFileError, ToolPermissions},
    outcome::{TaskOutcome, TaskStatus},
    task_text::TaskText,
};

/// The folder for the state of a task, in the folder of the work. Agents may not write there.
pub const FOLDER: &str = ".loop";

/// The default limit on the iterations of a task.
pub const DEFAULT_LOOPS: NonZeroU64 = NonZeroU64::new(5).expect("not 0");

/// The default limit on the rounds of tool calls in an iteration.
pub const DEFAULT_ROUNDS: NonZeroU64 = NonZeroU64::new(30).expect("not 0");

/// The agents and the text of a task. A run stores it, and uses it again when it is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskSpec {
    /// The path of the task's file in the folder of the work, without links.
    pub file: String,
    /// The agent that works.
    pub executor: TaskAgent,
    /// The agent that reviews.
    pub reviewer: TaskAgent,
    /// The limit on iterations, each of which is work and a review.
    pub loops: NonZeroU64,
    /// The limit on the rounds of tool calls in an iteration, if a model works.
    pub rounds: NonZeroU64,
    /// The reasoning effort of models; `None` for their own default.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "by_name",
        deserialize_with = "named"
    )]
    pub reasoning: Option<Effort>,
    /// The sandbox of its commands: those of the agents, and the checks. `None` is no sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<TaskSandbox>,
    /// The permissions of the task file when the run began.
    #[serde(rename = "rights")]
    pub permissions: ToolPermissions,
}

/// A sandbox around the commands of a task, with the defaults of `sandbox` in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskSandbox {
    /// A machine that cannot enforce it is refused.
    Require,
    /// The task starts anyway, with a warning.
    Warn,
}

/// An agent of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskAgent {
    /// The model of this name.
    Model(String),
    /// A shell command.
    Command(String),
}

impl TaskSpec {
    /// Describes a task on which `agent` works and which it reviews as well, with the default limits on iterations and
    /// rounds.
    pub fn new(text: &TaskText, agent: TaskAgent, permissions: ToolPermissions) -> Self {
        Self {
            file: text.path(),
            reviewer: agent.clone(),
            executor: agent,
            loops: DEFAULT_LOOPS,
            rounds: DEFAULT_ROUNDS,
            reasoning: None,
            sandbox: None,
            permissions,
        }
    }

    /// Sets the agent that reviews.
    #[must_use]
    pub fn reviewer(self, reviewer: TaskAgent) -> Self {
        Self { reviewer, ..self }
    }

    /// Sets the limit on iterations.
    #[must_use]
    pub fn loops(self, loops: NonZeroU64) -> Self {
        Self { loops, ..self }
    }

    /// Sets the limit on the rounds of tool calls in an iteration.
    #[must_use]
    pub fn rounds(self, rounds: NonZeroU64) -> Self {
        Self { rounds, ..self }
    }

    /// Sets how hard models think; `None` for their own default.
    #[must_use]
    pub fn reasoning(self, reasoning: Option<Effort>) -> Self {
        Self { reasoning, ..self }
    }

    /// Sets the sandbox of its commands; `None` is no sandbox.
    #[must_use]
    pub fn sandbox(self, sandbox: Option<TaskSandbox>) -> Self {
        Self { sandbox, ..self }
    }

    /// Returns the name of its run in lists: the name of the file, without its ending.
    pub fn name(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Returns the iteration limit, including the iterations that were granted since the run began.
    pub fn loops_in_all<'a>(&self, granted: impl IntoIterator<Item = &'a Grant>) -> u64 {
        granted.into_iter().fold(self.loops.get(), |loops, grant| loops.saturating_add(grant.iterations))
    }

    /// Returns how many iterations a resume has to grant to `run`, so that it has `wanted` of them in all.
    ///
    /// # Errors
    /// `wanted` is lower than the current limit, or the run has used up its iterations and `wanted` grants no more.
    pub fn more_loops(&self, run: &Progress, wanted: Option<NonZeroU64>) -> Result<u64, LoopsError> {
        let had = self.loops_in_all(run.granted());
        let is_exhausted =
            run.ending().is_some_and(|ending| ending.reason() == Some(&StopReason::MaxIterations));
        match wanted.map(NonZeroU64::get) {
            Some(wanted) if wanted < had => Err(LoopsError::Fewer { had }),
            Some(wanted) if wanted > had => Ok(wanted - had),
            _ if is_exhausted => Err(LoopsError::UsedUp { had, more: had.saturating_add(5) }),
            _ => Ok(0),
        }
    }

    /// Returns 1 if somebody cancelled the last allowed iteration while the agent worked, so that a resume must grant
    /// it again. Otherwise returns 0.
    pub fn iterations_to_regrant(&self, run: &Progress) -> u64 {
        let is_called_off =
            run.ending().is_some_and(|ending| ending.reason() == Some(&StopReason::Cancelled));
        let is_cut = run.current_step().is_none()
            && run.last_step().map_or(0, StepRecord::iteration) < run.iterations();
        u64::from(is_called_off && is_cut && run.iterations() >= self.loops_in_all(run.granted()))
    }

    /// Returns how often a reviewing model may call tools: half as often as one that works, and six times at least.
    fn review_rounds(&self) -> u64 {
        (self.rounds.get() / 2).max(6)
    }
}

impl TaskAgent {
    /// Returns the name of the model, or the command.
    pub fn name(&self) -> &str {
        match self {
            Self::Model(name) | Self::Command(name) => name,
        }
    }
}

#[expect(clippy::ref_option, reason = "serde hands over a reference")]
fn by_name<S: Serializer>(effort: &Option<Effort>, serializer: S) -> Result<S::Ok, S::Error> {
    effort.map(Effort::name).serialize(serializer)
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Effort>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| name.parse().map_err(D::Error::custom)).transpose()
}
