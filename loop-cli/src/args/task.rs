//! The arguments of `loop task`.

use std::{num::NonZeroU64, path::PathBuf};

use clap::Args;
use loop_agents::chat::Effort;
use loop_guardrails::policy::command::CommandPrefix;
use loop_manifest::task::TaskSandbox;

use super::numbers::above_zero;

fn sandbox(text: &str) -> Result<TaskSandbox, &'static str> {
    match text {
        "require" => Ok(TaskSandbox::Require),
        "warn" => Ok(TaskSandbox::Warn),
        _ => Err("write `require`, the default, or `warn`"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    /// A file in or below --workdir: .md, or .toml with a chat template
    pub(crate) file: PathBuf,
    /// Work with this model [default: task or settings]
    #[arg(long, value_name = "MODEL", conflicts_with = "agent")]
    pub(crate) model: Option<String>,
    /// Work with this agent: command or name `init` knows
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: Option<String>,
    /// Review with this model [default: working agent]
    #[arg(long, value_name = "MODEL", conflicts_with = "review_agent")]
    pub(crate) review_model: Option<String>,
    /// Review with this command [default: working agent]
    #[arg(long, value_name = "CMD")]
    pub(crate) review_agent: Option<String>,
    /// Run at most N iterations in all [default: 5]
    #[arg(long = "max", alias = "loops", value_name = "N", value_parser = above_zero)]
    pub(crate) loops: Option<NonZeroU64>,
    /// Allow N tool rounds (N/2 per review)
    #[arg(long, value_name = "N", default_value = "30", value_parser = above_zero)]
    pub(crate) rounds: NonZeroU64,
    /// Set reasoning effort: minimal, low, medium, high
    #[arg(long, value_name = "EFFORT")]
    pub(crate) reasoning: Option<Effort>,
    /// Work in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// Resume the last run of this task where it stopped
    #[arg(long, conflicts_with_all = ["model", "agent", "review_model", "review_agent", "rounds", "reasoning"])]
    pub(crate) resume: bool,
    /// Run even if another run uses this folder
    #[arg(long)]
    pub(crate) parallel: bool,
    /// Let tools run commands beginning with these words
    #[arg(long, value_name = "COMMAND")]
    pub(crate) allow: Vec<CommandPrefix>,
    /// Run the commands of agents and checks in a sandbox
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "require",
          value_parser = sandbox, conflicts_with = "resume")]
    pub(crate) sandbox: Option<TaskSandbox>,
    #[command(flatten)]
    pub(crate) reporting: ReportingArgs,
}

// The output of a task.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReportingArgs {
    /// Show what the agents write, and their tool calls
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print only errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Append messages and the agents' final answers here
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Print the result as one JSON line at the end
    #[arg(long)]
    pub(crate) json: bool,
    /// Append the record here [default: telemetry.jsonl]
    #[arg(long, value_name = "FILE")]
    pub(crate) telemetry: Option<PathBuf>,
}
