//! The command line of the commands that inspect runs.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Those of all folders
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Print one JSON object a run
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Its id, or how that begins [default: the last one that began here]
    pub(crate) run: Option<String>,
    /// Show this iteration alone
    #[arg(long, short, value_name = "N")]
    pub(crate) iteration: Option<u64>,
    #[command(flatten)]
    pub(crate) part: PartArgs,
    /// Print one JSON object, with the run and its iterations
    #[arg(long, conflicts_with = "iteration")]
    pub(crate) json: bool,
}

/// What of an iteration is printed, and nothing else.
#[derive(Debug, Args)]
#[group(multiple = false, requires = "iteration")]
pub(crate) struct PartArgs {
    /// Print the prompt that the agent was given
    #[arg(long)]
    pub(crate) prompt: bool,
    /// Print what is kept of the agent's output
    #[arg(long)]
    pub(crate) output: bool,
    /// Print what the check said
    #[arg(long)]
    pub(crate) evaluation: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Its id, or how that begins [default: the last one that began here]
    pub(crate) run: Option<String>,
    /// Where to write the page; `-` is standard output [default: LOOP-ID.html in this folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Its id, or how that begins [default: the last one that began here]
    pub(crate) run: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// Their ids, or how those begin
    #[arg(required_unless_present = "keep")]
    pub(crate) runs: Vec<String>,
    /// Of the runs that ended, wherever, keep only the last N
    #[arg(long, value_name = "N", conflicts_with = "runs")]
    pub(crate) keep: Option<usize>,
}
