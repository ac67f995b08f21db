//! The manifest as it is run: every default filled in, every value of its right type.

use std::{num::NonZeroU64, path::Path, time::Duration};

use loop_agents::{
    judge::Votes,
    shell::CommandLine,
    usage::{Format, Prices, USAGE_FILE_VARIABLE, UsageReader},
};
use loop_core::{Progress, Usd};

use super::{
    diagnostics::Diagnostics, document, environment::EnvironmentPlan, goal::StopPlan, raw::RawManifest,
    source::Source, validate, warnings,
};
use crate::{
    model::{ModelName, ToolName},
    settings,
};

/// A loop that can be run. Whoever holds one need not ask whether it is valid.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The loop's name, in records and summaries.
    pub(crate) name: String,
    /// What the loop has to reach; `{goal}` in the prompt.
    pub(crate) goal: String,
    /// Who does the work.
    pub(crate) agent: AgentPlan,
    /// What judges the work.
    pub(crate) evaluator: EvaluatorPlan,
    /// When the goal is met.
    pub(crate) stop: StopPlan,
    /// What halts the run.
    pub(crate) limits: Limits,
    /// How long to wait between iterations.
    pub(crate) pace: PacePlan,
    /// How many bytes of output one placeholder may bring into the prompt.
    pub(crate) feedback_bytes: usize,
    /// What becomes of an iteration in which the run was cut off.
    pub(crate) resume: ResumePlan,
}

/// The agent and what it is told.
#[derive(Debug, Clone)]
pub(crate) struct AgentPlan {
    /// Who or what it is.
    pub(crate) work: WorkPlan,
    /// The prompt with its placeholders.
    pub(crate) prompt: String,
    /// How it is known what it uses.
    pub(crate) usage: UsagePlan,
    /// The variables that it and the evaluator see.
    pub(crate) env: EnvironmentPlan,
    /// What one call may take; `None` is no limit.
    pub(crate) max_time: Option<Duration>,
    /// For how long it may print nothing; `None` is no limit.
    pub(crate) max_silence: Option<Duration>,
}

/// What does the work.
#[derive(Debug, Clone)]
pub(crate) enum WorkPlan {
    /// A command, and how it gets the prompt.
    Command(CommandLine),
    /// A model that uses tools.
    Model(ModelPlan),
}

/// A model that does the work.
#[derive(Debug, Clone)]
pub(crate) struct ModelPlan {
    /// Its name; the settings and the environment say where it is.
    pub(crate) name: ModelName,
    /// Who it is to be.
    pub(crate) system: Option<String>,
    /// What it can call.
    pub(crate) tools: Vec<ToolName>,
}

/// The check: everything of it that is there has to pass, in this order.
#[derive(Debug, Clone, Default)]
pub(crate) struct EvaluatorPlan {
    /// The shell command that judges the work.
    pub(crate) command: Option<String>,
    /// The command is an agent, and costs what it does not tell.
    pub(crate) is_uncounted: bool,
    /// How sure the agent has to say it is.
    pub(crate) confidence: Option<ConfidencePlan>,
    /// A model that judges what the agent said.
    pub(crate) judge: Option<JudgePlan>,
    /// An agent that reviews what was done.
    pub(crate) review: Option<ReviewPlan>,
    /// What each of the command, the judge and the review may take each time; `None` is no limit.
    pub(crate) max_time: Option<Duration>,
}

/// How sure the agent has to say it is.
#[derive(Debug, Clone)]
pub(crate) struct ConfidencePlan {
    /// The least number that passes.
    pub(crate) at_least: f64,
    /// The key under which it stands.
    pub(crate) key: String,
}

/// A model that judges.
#[derive(Debug, Clone)]
pub(crate) struct JudgePlan {
    /// Its name; the settings and the environment say where it is.
    pub(crate) model: ModelName,
    /// What has to be met.
    pub(crate) criteria: Vec<String>,
    /// How often it is asked, and how often it has to say yes.
    pub(crate) votes: Votes,
    /// What it is told besides.
    pub(crate) prompt: Option<String>,
}

/// An agent that reviews.
#[derive(Debug, Clone)]
pub(crate) struct ReviewPlan {
    /// Who or what it is.
    pub(crate) reviewer: ReviewerPlan,
    /// What it is told besides.
    pub(crate) prompt: Option<String>,
}

/// Who reviews.
#[derive(Debug, Clone)]
pub(crate) enum ReviewerPlan {
    /// A model with tools that look.
    Model {
        /// Its name; the settings and the environment say where it is.
        name: ModelName,
        /// How often it may call tools in a review.
        rounds: u64,
    },
    /// A command.
    Command(ReviewCommand),
}

/// A command that reviews.
#[derive(Debug, Clone)]
pub(crate) struct ReviewCommand {
    /// The shell command, and how it gets the prompt.
    pub(crate) line: CommandLine,
    /// What it is told to print, as its line says.
    pub(crate) format: Format,
    /// The model that its line names, where it does not tell it.
    pub(crate) model: Option<String>,
    /// It is an agent, and costs what it does not tell.
    pub(crate) is_uncounted: bool,
}

impl AgentPlan {
    /// Whether the agent tells what it uses, so that a limit on cost or tokens can hold.
    pub(crate) fn reports_usage(&self) -> bool {
        match &self.work {
            WorkPlan::Command(command) => {
                self.usage.format.reports() || command.as_str().contains(USAGE_FILE_VARIABLE)
            }
            // Servers that do not are rare, and nobody knows beforehand.
            WorkPlan::Model(_) => true,
        }
    }

    /// The command, if it is one.
    pub(crate) const fn command(&self) -> Option<&CommandLine> {
        match &self.work {
            WorkPlan::Command(command) => Some(command),
            WorkPlan::Model(_) => None,
        }
    }
}

/// How it is known what an agent uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct UsagePlan {
    /// What it prints.
    pub(crate) format: Format,
    /// The model to take for one that it does not name.
    pub(crate) model: Option<String>,
    /// The user's own prices; `None` are the bundled ones.
    pub(crate) prices: Option<Prices>,
}

impl UsagePlan {
    /// Reads what the agent prints, for one run.
    pub(crate) fn reader(&self) -> UsageReader {
        let reader = UsageReader::new(self.format, self.prices.clone().unwrap_or_default());
        match &self.model {
            Some(model) => reader.model(model),
            None => reader,
        }
    }
}

/// How long to wait between the end of an iteration and the start of the next; the longer of both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PacePlan {
    /// After every iteration; zero for no wait.
    pub(crate) every: Duration,
    /// After the second failure in a row, and longer after each further one; zero for no wait.
    pub(crate) backoff: Duration,
}

/// What becomes of an iteration in which the run was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResumePlan {
    /// It is run again.
    Rerun,
    /// A person is asked first.
    Ask,
    /// The run halts.
    Halt,
}

/// What halts the run. `None` is no limit.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Iterations.
    pub(crate) max_iterations: NonZeroU64,
    /// Money.
    pub(crate) max_cost: Option<Usd>,
    /// Money in any hour.
    pub(crate) max_hourly_cost: Option<Usd>,
    /// Run time, waits of the pace included.
    pub(crate) max_time: Option<Duration>,
    /// Tokens, read and written.
    pub(crate) max_tokens: Option<NonZeroU64>,
    /// Limits on money and tokens may stay without figures to count.
    pub(crate) allow_unmetered: bool,
    /// Failed iterations in a row.
    pub(crate) max_consecutive_failures: Option<NonZeroU64>,
    /// A person is asked after every so many iterations that did not meet the goal.
    pub(crate) checkpoint: Option<NonZeroU64>,
}

impl Limits {
    /// These limits with what was added to them when the run was resumed.
    pub(crate) fn granted(&self, progress: &Progress) -> Self {
        let Some(grant) = progress.granted() else { return self.clone() };
        Self {
            max_iterations: self.max_iterations.saturating_add(grant.iterations),
            max_cost: self.max_cost.map(|cost| cost + grant.cost),
            max_time: self.max_time.map(|time| time.saturating_add(grant.time)),
            ..self.clone()
        }
    }
}

/// A manifest that can be run, and what is odd about it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// What to run.
    pub(crate) plan: Plan,
    /// Warnings; often none.
    pub(crate) warnings: Diagnostics,
}

impl Loaded {
    /// The same, to be run and not only looked at.
    ///
    /// # Errors
    /// Commands that are still to be written.
    pub(crate) fn finished(self) -> Result<Self, Diagnostics> {
        match self.warnings.unfinished() {
            Some(unfinished) => Err(unfinished),
            None => Ok(self),
        }
    }
}

impl Plan {
    /// Who reviews, if anybody does.
    pub(crate) fn reviewer(&self) -> Option<&ReviewerPlan> {
        self.evaluator.review.as_ref().map(|review| &review.reviewer)
    }

    /// Reads and validates the manifest at `path`, which is taken from the current folder.
    ///
    /// # Errors
    /// Everything that is wrong with the manifest, as far as it can be known at once: its file, else
    /// its syntax, else all its keys, types and values.
    pub(crate) fn load(path: &Path) -> Result<Loaded, Diagnostics> {
        Self::of(Source::open(path)?)
    }

    /// Validates the manifest in `source`.
    ///
    /// # Errors
    /// As for [`Plan::load`], but for the file.
    pub(crate) fn of(source: Source) -> Result<Loaded, Diagnostics> {
        let mut node = match document::parse(&source) {
            Ok(node) => node,
            Err(problem) => return Err(source.report(vec![problem])),
        };
        let mut problems = Vec::new();
        settings::take(&source, &mut node, &mut problems);
        let raw = RawManifest::read(&node, source.text(), &mut problems);
        let prices = validate::prices(&raw.agent.prices, source.folder(), &mut problems);
        let warnings = warnings::of(&raw, source.text());
        match validate::plan(raw, source.text(), source.stem(), prices, &mut problems) {
            Some(plan) if problems.is_empty() => Ok(Loaded { plan, warnings: source.report(warnings) }),
            _ => Err(source.report(problems)),
        }
    }
}
