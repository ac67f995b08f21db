//! The manifest as it is run: every default filled in, every value of its right type.

use std::{num::NonZeroU64, path::PathBuf, time::Duration};

use loop_agents::{
    judge::VotePolicy,
    process::ResourceLimits,
    shell::{BackgroundPolicy, CommandLine, Template, Variables},
    usage::{Format, Prices, USAGE_FILE_VARIABLE, UsageReader},
};
use loop_core::{Progress, Usd};
use loop_guardrails::{StagnationRules, policy::environment::EnvironmentPolicy};

pub use crate::parallel_plan::{ParallelPlan, Pick};
pub use crate::seal_plan::{MinTests, OnProtectedChange, SealPlan};
pub use crate::snapshot_plan::{Direction, OnHalt, ScorePlan, ScoreSource, SnapshotMode, SnapshotPlan};
pub use crate::steps_plan::{PipelineCheck, PlanCheck};
use crate::{
    environment::EnvironmentPlan,
    names::{ModelName, ToolName},
    sandbox_plan::SandboxPlan,
    stop_plan::StopPlan,
};

/// A loop that can be run. It is valid: only a manifest without errors becomes a plan.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The loop's name, in records and summaries.
    pub name: String,
    /// The goal of the loop; `{goal}` in the prompt.
    pub goal: String,
    /// The values of the variables, which are filled in already.
    pub variables: Variables,
    /// The agent, its prompt and its environment.
    pub agent: AgentPlan,
    /// The checks of each iteration.
    pub evaluator: EvaluatorPlan,
    /// Whether the check also runs once before the first iteration.
    pub check_first: bool,
    /// When the goal is met.
    pub stop: StopPlan,
    /// The limits that halt the run.
    pub limits: Limits,
    /// The limits on all commands of the run together.
    pub resources: ResourceLimits,
    /// When the run no longer gets anywhere; `None` if nothing watches for that.
    pub stagnation: Option<StagnationRules>,
    /// Several loops at once, if there are several.
    pub parallel: Option<ParallelPlan>,
    /// The pause between iterations.
    pub pace: PacePlan,
    /// The maximum output that one placeholder brings into the prompt, in bytes.
    pub feedback_bytes: usize,
    /// The most tokens of `{memory}` in the prompt.
    pub memory_tokens: u64,
    /// The treatment of an iteration in which the run was cut off.
    pub resume: ResumePlan,
    /// The command that runs after the run; see [`Plan::finish_command`].
    pub on_finish: Option<String>,
    /// The snapshots of the folder.
    pub snapshots: SnapshotPlan,
    /// The treatment of the folder if the run ends without its goal.
    pub on_halt: OnHalt,
    /// Whether the folder returns to the best step after a step with a worse score.
    pub on_regression: bool,
    /// Facts about the manifest, an object. They change nothing in a run.
    pub metadata: Option<serde_json::Value>,
}

impl Plan {
    /// Returns the values that the manifest gives by name: its variables, and those of its environment. Some may be
    /// secrets.
    pub fn named_values(&self) -> impl Iterator<Item = (&str, &str)> {
        let set = self.agent.env.set.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        set.chain(self.variables.iter())
    }
}

/// The agent and its prompt.
#[derive(Debug, Clone)]
pub struct AgentPlan {
    /// A command or a model.
    pub work: WorkPlan,
    /// The prompt with its placeholders.
    pub prompt: Template,
    /// The names of its skills. `None` is all skills in a list for a model, and no skills for a command.
    pub skills: Option<Vec<String>>,
    /// The source of its usage numbers.
    pub usage: UsagePlan,
    /// The variables that it and the evaluator see.
    pub env: EnvironmentPlan,
    /// Whether a shell reads every command of the loop, also one that needs no shell.
    pub always_shell: bool,
    /// The longest time of one call; `None` is no limit.
    pub max_time: Option<Duration>,
    /// The longest time without output; `None` is no limit.
    pub max_silence: Option<Duration>,
    /// The treatment of background work that is not done when a command ends.
    pub background: BackgroundPolicy,
    /// The sandbox in which its command runs. The tools of a model have another one, as the policy says.
    pub sandbox: Option<SandboxPlan>,
}

/// The agent: a command or a model.
#[derive(Debug, Clone)]
pub enum WorkPlan {
    /// A command, and how it gets the prompt.
    Command(CommandLine),
    /// A model that uses tools.
    Model(ModelPlan),
}

/// A model that does the work.
#[derive(Debug, Clone)]
pub struct ModelPlan {
    /// Its name; the settings and the environment say where it is.
    pub name: ModelName,
    /// The system prompt, if there is one.
    pub system: Option<String>,
    /// The tools that it can call.
    pub tools: Vec<ToolName>,
}

/// The check: everything of it that is there has to pass, in this order.
#[derive(Debug, Clone, Default)]
pub struct EvaluatorPlan {
    /// The shell command that judges the work.
    pub command: Option<String>,
    /// The command is an agent, and costs what it does not tell.
    pub is_uncounted: bool,
    /// The confidence that the agent must report.
    pub confidence: Option<ConfidencePlan>,
    /// A model that judges what the agent said.
    pub judge: Option<JudgePlan>,
    /// An agent that reviews what was done.
    pub review: Option<ReviewPlan>,
    /// A plan whose steps the agent performs.
    pub plan: Option<PlanCheck>,
    /// Files with prompts that the agent answers.
    pub pipeline: Option<PipelineCheck>,
    /// The number that the command measures.
    pub score: Option<ScorePlan>,
    /// The longest time of one call of the command, the judge or the review; `None` is no limit.
    pub max_time: Option<Duration>,
    /// The seal of the command; `None` runs it in the folder itself.
    pub seal: Option<SealPlan>,
    /// How often in a row the command has to pass, if more than once.
    pub confirm: Option<NonZeroU64>,
    /// The sandbox in which its commands run.
    pub sandbox: Option<SandboxPlan>,
}

/// The confidence that the agent must report.
#[derive(Debug, Clone)]
pub struct ConfidencePlan {
    /// The least number that passes.
    pub at_least: f64,
    /// The key of the confidence.
    pub key: String,
}

/// A model that judges.
#[derive(Debug, Clone)]
pub struct JudgePlan {
    /// Its name; the settings and the environment say where it is.
    pub model: ModelName,
    /// The criteria, all of which have to be met.
    pub criteria: Vec<String>,
    /// The number of votes, and of required yes votes.
    pub votes: VotePolicy,
    /// Further instructions.
    pub prompt: Option<String>,
}

/// An agent that reviews.
#[derive(Debug, Clone)]
pub struct ReviewPlan {
    /// A command or a model.
    pub reviewer: ReviewerPlan,
    /// Further instructions.
    pub prompt: Option<String>,
}

/// The reviewer: a command or a model.
#[derive(Debug, Clone)]
pub enum ReviewerPlan {
    /// A model with tools that look.
    Model {
        /// Its name; the settings and the environment say where it is.
        name: ModelName,
        /// The maximum of tool calls in a review.
        rounds: u64,
    },
    /// A command.
    Command(ReviewCommand),
}

/// A command that reviews.
#[derive(Debug, Clone)]
pub struct ReviewCommand {
    /// The shell command, and how it gets the prompt.
    pub line: CommandLine,
    /// The format of its output, as its command line asks for it.
    pub format: Format,
    /// The model that its line names, where it does not tell it.
    pub model: Option<String>,
}

impl AgentPlan {
    /// Returns whether the agent reports its usage, so that a limit on cost or tokens can hold.
    pub fn reports_usage(&self) -> bool {
        match &self.work {
            WorkPlan::Command(command) => {
                self.usage.format.reports()
                    || self.usage.log.is_some()
                    || command.as_str().contains(USAGE_FILE_VARIABLE)
            }
            // Servers that do not report are rare, and not known in advance.
            WorkPlan::Model(_) => true,
        }
    }

    /// The command, if it is one.
    pub const fn command(&self) -> Option<&CommandLine> {
        match &self.work {
            WorkPlan::Command(command) => Some(command),
            WorkPlan::Model(_) => None,
        }
    }

    /// The model, if it is one.
    pub const fn model(&self) -> Option<&ModelPlan> {
        match &self.work {
            WorkPlan::Command(_) => None,
            WorkPlan::Model(model) => Some(model),
        }
    }

    /// The variables of the user that the agent sees. The keys of its own vendor are among them.
    pub fn sees(&self) -> EnvironmentPolicy {
        match self.command() {
            Some(command) => self.env.policy().of_agent(command.as_str()),
            // The commands of its tools see the same. Its key is sent by us, and not passed on.
            None => self.env.policy(),
        }
    }
}

/// The source of an agent's usage numbers.
#[derive(Debug, Clone, Default)]
pub struct UsagePlan {
    /// The format of its output.
    pub format: Format,
    /// The model to take for one that it does not name.
    pub model: Option<String>,
    /// The user's own prices; `None` are the bundled ones.
    pub prices: Option<Prices>,
    /// A log that the agent writes, from the folder of the run; `~/` is the home folder.
    pub log: Option<PathBuf>,
}

impl UsagePlan {
    /// Reads the format of the agent's output, for one run.
    pub fn reader(&self) -> UsageReader {
        let reader = UsageReader::new(self.format, self.prices.clone().unwrap_or_default());
        match &self.model {
            Some(model) => reader.model(model),
            None => reader,
        }
    }
}

/// The pause between the end of an iteration and the start of the next; the longer one applies.
#[derive(Debug, Clone, Copy)]
pub struct PacePlan {
    /// After every iteration; zero for no wait.
    pub every: Duration,
    /// After the second failure in a row, and longer after each further one; zero for no wait.
    pub backoff: Duration,
}

/// The treatment of an iteration in which the run was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumePlan {
    /// The iteration runs again.
    Rerun,
    /// A person is asked first.
    Ask,
    /// The run halts.
    Halt,
}

/// The limits that halt a run. `None` is no limit.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Iterations.
    pub max_iterations: NonZeroU64,
    /// Money.
    pub max_cost: Option<Usd>,
    /// Money in any hour.
    pub max_hourly_cost: Option<Usd>,
    /// Run time, waits of the pace included.
    pub max_time: Option<Duration>,
    /// Tokens, read and written.
    pub max_tokens: Option<NonZeroU64>,
    /// Limits on money and tokens may stay without figures to count.
    pub allow_unmetered: bool,
    /// Failed iterations in a row.
    pub max_consecutive_failures: Option<NonZeroU64>,
    /// The number of iterations without success after which a person is asked.
    pub checkpoint: Option<NonZeroU64>,
}

impl Limits {
    /// These limits with what was added to them when the run was resumed.
    pub fn granted(&self, progress: &Progress) -> Self {
        let Some(grant) = progress.granted() else { return self.clone() };
        Self {
            max_iterations: self.max_iterations.saturating_add(grant.iterations),
            max_cost: self.max_cost.map(|cost| cost + grant.cost),
            max_time: self.max_time.map(|time| time.saturating_add(grant.time)),
            max_tokens: self.max_tokens.map(|tokens| tokens.saturating_add(grant.tokens)),
            ..self.clone()
        }
    }
}

impl Plan {
    /// The reviewer, if there is one.
    pub fn reviewer(&self) -> Option<&ReviewerPlan> {
        self.evaluator.review.as_ref().map(|review| &review.reviewer)
    }

    /// The variables of the user that the evaluator sees. It runs what the agent has written, so it gets no key that
    /// the agent needs for itself alone.
    pub fn evaluator_sees(&self) -> EnvironmentPolicy {
        self.agent.env.policy()
    }
}
