//! The command line of the commands that inspect runs.

use std::path::PathBuf;

use clap::Args;

use super::Engine;

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// List the runs of all folders
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Print one JSON object per run
    #[arg(long)]
    pub(crate) json: bool,
    /// List the submitted runs of this engine
    #[arg(long, value_name = "ENGINE", conflicts_with = "all")]
    pub(crate) engine: Option<Engine>,
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
    /// Show a submitted run of this engine
    #[arg(long, value_name = "ENGINE", conflicts_with = "iteration")]
    pub(crate) engine: Option<Engine>,
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

/// The page below the options of `loop verify`.
pub(crate) const ABOUT_VERIFY: &str = "\
Compares the run's journal with the head in its record, restores the last state
that the check judged in the cache, and runs the check there again. The folder
of the run stays as it is.

Exit:  0 as recorded  1 something differs  2 cannot be verified

Examples:
  loop verify
  loop verify 0198b2 --json | jq .verified
  loop verify 0198b2 --head $(jq -r .journal_head record.json)";

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
    /// Compare with this `journal_head`: 12 digits or more
    #[arg(long, value_name = "DIGEST", value_parser = head)]
    pub(crate) head: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
    /// Follow a submitted run of this engine
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<Engine>,
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

/// Reads the digest of a line, or the beginning of one.
fn head(text: &str) -> Result<String, String> {
    let is_digest = (12..=64).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_digest
        .then(|| text.to_ascii_lowercase())
        .ok_or_else(|| "it takes 12 to 64 hexadecimal digits".to_owned())
}
