//! The arguments of `loop task`.

use std::{num::NonZeroU64, path::PathBuf};

use clap::Args;
use loop_agents::chat::Effort;

#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    /// The task: a .md file, or a chat template in a .toml file
    pub(crate) file: PathBuf,
    /// The model that works [default: that of the task or the settings]
    #[arg(long, value_name = "MODEL", conflicts_with = "agent")]
    pub(crate) model: Option<String>,
    /// The command that works: one of your own, or a name that `init` knows
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: Option<String>,
    /// The model that reviews [default: what works]
    #[arg(long, value_name = "MODEL", conflicts_with = "review_agent")]
    pub(crate) review_model: Option<String>,
    /// The command that reviews [default: what works]
    #[arg(long, value_name = "CMD")]
    pub(crate) review_agent: Option<String>,
    /// How often the work is done and reviewed at most [default: 5]; with --resume in all
    #[arg(long, value_name = "N")]
    pub(crate) loops: Option<NonZeroU64>,
    /// How often a model may call tools in a loop; a reviewer half as often
    #[arg(long, value_name = "N", default_value = "30")]
    pub(crate) rounds: NonZeroU64,
    /// How hard models think: minimal, low, medium, high
    #[arg(long, value_name = "EFFORT")]
    pub(crate) reasoning: Option<Effort>,
    /// The folder of the work, in which the task lies [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// Go on with the last run of this task, in the phase in which it was cut
    #[arg(long, conflicts_with_all = ["model", "agent", "review_model", "review_agent", "rounds", "reasoning"])]
    pub(crate) resume: bool,
    /// Run although another run works in this folder
    #[arg(long)]
    pub(crate) parallel: bool,
    #[command(flatten)]
    pub(crate) telling: TellingArgs,
}

/// What is told of a task, and where.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TellingArgs {
    /// Print what the agents say and call
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Also append what is said to this file, with the agents' last words
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Print one line of JSON at the end: status, loops, pending, files, cost
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the run's record goes [default: state directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) telemetry: Option<PathBuf>,
}
