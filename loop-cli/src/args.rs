//! The command line as it is written.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Run an agent against a check until it passes, inside limits that hold.
#[derive(Debug, Parser)]
#[command(
    name = "loop",
    version,
    arg_required_else_help = true,
    after_help = "\
Exit codes:
  0  the goal was met             1  a guardrail halted the run
  2  wrong usage or manifest      3  the run failed for a reason of its own
  129, 130, 143  cancelled by SIGHUP, Ctrl+C, SIGTERM"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the loop that a manifest describes
    #[command(after_help = "Example:\n  loop run fix-tests.yaml --cwd ../my-project")]
    Run(RunArgs),
    /// Validate a manifest, and say what it would do
    #[command(after_help = "Example:\n  loop check fix-tests.yaml")]
    Check(CheckArgs),
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct RunArgs {
    /// The manifest: a .json, .yaml or .yml file
    pub(crate) manifest: PathBuf,
    /// Where the agent and the evaluator run [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Show the first prompt and the commands, try the evaluator once, and leave the agent alone
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask nobody: a checkpoint halts the run
    #[arg(long)]
    pub(crate) non_interactive: bool,
    /// Print the run's telemetry record, one line of JSON, to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Say nothing but errors; asks nobody either
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Append the telemetry record to this file [default: telemetry.jsonl in the state directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) telemetry: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The manifest: a .json, .yaml or .yml file
    pub(crate) manifest: PathBuf,
}
