//! The command line as it is written.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::{
    duration,
    init::{agent::known_programs, template::Template},
};

/// Run an agent against a check until it passes, inside limits that hold.
#[derive(Debug, Parser)]
#[command(
    name = "loop",
    version,
    arg_required_else_help = true,
    after_help = "\
To begin, in the folder of your project:  loop init && loop run

Exit codes:
  0  the goal was met             1  a guardrail halted the run
  2  wrong usage or manifest      3  the run failed for a reason of its own
  129, 130, 143  cancelled by SIGHUP, Ctrl+C, SIGTERM"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// In the order in which help lists them: what one needs first stands first.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a manifest for the project in this folder
    #[command(after_help = format!("\
Agents that are known by name: {}

Examples:
  loop init
  loop init refactor-until-lint-clean --out lint.toml
  loop init --agent 'my-agent --unattended'", known_programs()))]
    Init(InitArgs),
    /// Run a loop, from a manifest or from flags
    #[command(
        override_usage = "loop run [OPTIONS] [MANIFEST]\n       \
                          loop run [OPTIONS] --agent <CMD> --check <CMD> --max <N>",
        after_help = "\
Examples:
  loop run
  loop run fix-tests.yaml --cwd ../my-project
  loop run --agent claude --check 'cargo test' --max 10 --max-time 30m"
    )]
    Run(RunArgs),
    /// Validate a manifest, and say what it would do
    #[command(after_help = "Examples:\n  loop check fix-tests.yaml\n  loop check --run")]
    Check(CheckArgs),
    /// Print the JSON Schema of manifests, for editors
    #[command(after_help = "Example:\n  loop schema > loop.schema.json")]
    Schema,
    /// Print a completion script for a shell
    #[command(after_help = "\
Example:
  loop completions bash > ~/.local/share/bash-completion/completions/loop")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of loop, or of one of its commands
    #[command(after_help = "Example:\n  loop man run | man -l -")]
    Man {
        /// A command, such as `run`
        command: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// fix-until-tests-pass (the default) or refactor-until-lint-clean
    #[arg(default_value = "fix-until-tests-pass", hide_possible_values = true, hide_default_value = true)]
    pub(crate) template: Template,
    /// A .yaml, .yml, .toml or .json file, or - [default: loop.yaml]
    #[arg(long, value_name = "FILE", default_value = "loop.yaml", hide_default_value = true)]
    pub(crate) out: PathBuf,
    /// A name or a command [default: the first on PATH that is known]
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct RunArgs {
    /// The manifest [default: loop.yaml, .yml, .toml or .json here]
    pub(crate) manifest: Option<PathBuf>,
    /// Where the agent and the check run [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Show the first prompt, and try the check alone
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask nobody: a checkpoint halts the run
    #[arg(long)]
    pub(crate) non_interactive: bool,
    /// Print the run's record to standard output, as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print all that the agent and the check print
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) show_output: bool,
    /// Say nothing but errors; asks nobody either
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Where the run's record goes [default: state directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) telemetry: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) flags: Option<FlagArgs>,
}

/// A loop without a manifest.
#[derive(Debug, Args)]
#[command(next_help_heading = "Without a manifest")]
#[group(requires_all = ["agent", "check", "max"], conflicts_with = "manifest")]
pub(crate) struct FlagArgs {
    /// The agent: a command, or a name that `init` knows
    #[arg(long, value_name = "CMD", required = false)]
    pub(crate) agent: String,
    /// The check: a command that exits 0 when the goal is met
    #[arg(long, value_name = "CMD", required = false)]
    pub(crate) check: String,
    /// How many times the agent may run at most
    #[arg(long, value_name = "N", required = false, allow_negative_numbers = true)]
    pub(crate) max: i64,
    /// What to reach [default: that the check exits 0]
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,
    /// What the agent is told [default: one for any goal]
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// What the run may cost, in dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) max_cost: Option<f64>,
    /// How long the run may take: 90s, 30m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = duration::seconds)]
    pub(crate) max_time: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The manifest [default: loop.yaml, .yml, .toml or .json here]
    pub(crate) manifest: Option<PathBuf>,
    /// Try the check once, and warn if it passes already
    #[arg(long)]
    pub(crate) run: bool,
    /// Where the check runs [default: here]
    #[arg(long, value_name = "DIR", requires = "run")]
    pub(crate) cwd: Option<PathBuf>,
}
