//! The command line of the commands that inspect runs.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// List the runs of all folders
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Print one JSON object per run
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
    /// Show only this iteration
    #[arg(long, short, value_name = "N")]
    pub(crate) iteration: Option<u64>,
    #[command(flatten)]
    pub(crate) part: PartArgs,
    /// Print one JSON object, with the run and its iterations
    #[arg(long, conflicts_with = "iteration")]
    pub(crate) json: bool,
}

// The only part of an iteration to print.
#[derive(Debug, Args)]
#[group(multiple = false, requires = "iteration")]
pub(crate) struct PartArgs {
    /// Print the agent's prompt
    #[arg(long)]
    pub(crate) prompt: bool,
    /// Print the stored output of the agent
    #[arg(long)]
    pub(crate) output: bool,
    /// Print what the iteration changed in the folder
    #[arg(long)]
    pub(crate) diff: bool,
    /// Print what the check reported
    #[arg(long)]
    pub(crate) evaluation: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
    /// Write to this file, or - for stdout [default: NAME-ID.html]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
    /// Compare with this `journal_head`, kept elsewhere
    #[arg(long, value_name = "DIGEST")]
    pub(crate) head: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The ids of the runs, or their beginnings
    #[arg(required_unless_present = "keep")]
    pub(crate) runs: Vec<String>,
    /// Delete all but the last N ended runs of this folder
    #[arg(long, value_name = "N", conflicts_with = "runs")]
    pub(crate) keep: Option<usize>,
    /// With --keep: count the runs of all folders; asks first
    #[arg(long, requires = "keep")]
    pub(crate) everywhere: bool,
    /// With --everywhere: do not ask
    #[arg(long, requires = "everywhere")]
    pub(crate) yes: bool,
}
