//! The command line of `loop run`, and the options of every run.

use std::path::PathBuf;

use clap::Args;
use loop_guardrails::policy::command::CommandPrefix;

use super::OverrideArgs;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The manifest [default: loop.yaml, .yml, .toml or .json here]
    pub(crate) manifest: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

// How a run is made, whatever describes the loop.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// Run in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Show the first prompt, and run only the check
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write no journal: you cannot resume the run
    #[arg(long)]
    pub(crate) no_journal: bool,
    /// Store the whole output of the agent and the check
    #[arg(long, conflicts_with = "no_journal")]
    pub(crate) keep_output: bool,
    /// Run even if another run uses this folder
    #[arg(long)]
    pub(crate) parallel: bool,
    /// Let tools run commands beginning with these words
    #[arg(long, value_name = "COMMAND")]
    pub(crate) allow: Vec<CommandPrefix>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) overrides: OverrideArgs,
}

// The output of a run.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct OutputArgs {
    /// Never ask: halt the run where it would ask
    #[arg(long)]
    pub(crate) non_interactive: bool,
    /// Print the run's record as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the whole output of each iteration
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) show_output: bool,
    /// Print only errors, and ask no questions
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Append the record here [default: telemetry.jsonl]
    #[arg(long, value_name = "FILE")]
    pub(crate) telemetry: Option<PathBuf>,
}
