//! The definition of the command line.

mod chat;
mod every;
mod looking;
mod policy;
mod schedule;
mod task;

use std::{path::PathBuf, time::Duration};

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use loop_core::Usd;

pub(crate) use self::{
    chat::{ChatArgs, ConversationArgs},
    every::EveryArgs,
    looking::{PartArgs, ReportArgs, RmArgs, RunsArgs, ShowArgs, TailArgs},
    policy::{ExplainArgs, PolicyCommand, PolicyPlace},
    schedule::{
        AddArgs, ErrandArgs, InstallArgs, JobArgs, ListArgs, NextArgs, RunScheduleArgs, ScheduleCommand,
        ShowJobArgs,
    },
    task::{TaskArgs, TellingArgs},
};
use loop_manifest::{
    duration,
    init::{Template, known_programs},
};

/// Run an agent against a check until it passes, inside limits that hold.
#[derive(Debug, Parser)]
#[command(
    name = "loop",
    version,
    arg_required_else_help = true,
    // Omits the two options that every command has, so that the help fits one screen.
    help_template = "{about-with-newline}{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}",
    after_help = "\
Also:  report, a page about a run; schema, completions and man
To begin, in the folder of your project:  loop init && loop run
Exit codes:  0  goal met   1  halted by a guardrail   2  wrong usage or manifest
  3  failed for a reason of its own   129, 130, 143  by SIGHUP, Ctrl+C, SIGTERM"
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
    /// Work off a task file: one agent does, another reviews
    #[command(after_help = "\
Examples:
  loop task fix.md
  loop task port.toml --model claude-sonnet-4-5 --review-model gemini-2.5-pro
  loop task fix.md --agent claude --loops 3 --json | jq .status
  loop task fix.md --resume")]
    Task(TaskArgs),
    /// Repeat a prompt or a command on an interval
    #[command(
        override_usage = "loop every [OPTIONS] <INTERVAL> <PROMPT>...\n       \
                          loop every [OPTIONS] <INTERVAL> -- <COMMAND>...",
        after_help = "\
Examples:
  loop every 5m check the build, and say BROKEN if it is --until BROKEN
  loop every 30s --count 20 --until 'all green' -- 'gh run list | head -1'
  loop every 1h --unlimited --for 8h --stop-after-errors 3 -- ./sync"
    )]
    Every(EveryArgs),
    /// Do prompts by the clock: at a time, or again and again
    #[command(
        subcommand,
        after_help = "\
Examples:
  loop schedule add '30m look at the deploy' --agent claude
  loop schedule add --cron '0 9 * * 1-5' 'Review the open pull requests'
  loop schedule run"
    )]
    Schedule(ScheduleCommand),
    /// Talk with a model, which can use tools, or ask it once
    #[command(
        override_usage = "loop chat [OPTIONS]\n       \
                          loop chat [OPTIONS] --prompt <TEXT>",
        after_help = "\
Examples:
  loop chat
  loop chat --resume
  loop chat --prompt 'What does this project do?'
  git diff | loop chat --prompt 'Write a commit message' --no-tools
  loop chat --model ollama:qwen3 --json < question.txt | jq -r .reply"
    )]
    Chat(ChatArgs),
    /// Go on with a run that was cut off or halted
    #[command(after_help = "\
Examples:
  loop resume
  loop resume 0198b2 --add-iterations 5 --note 'leave the tests alone'")]
    Resume(ResumeArgs),
    /// List the runs that began in this folder
    #[command(after_help = "\
Examples:
  loop runs
  loop runs --all --json | jq -r 'select(.state == \"unfinished\").run_id'")]
    Runs(RunsArgs),
    /// Show what a run did, why it ended, and how to go on
    #[command(after_help = "\
Examples:
  loop show
  loop show 0198b2 -i 3
  loop show 0198b2 -i 3 --output | less")]
    Show(ShowArgs),
    /// Follow a run from another terminal, and exit as it does
    #[command(after_help = "Example:\n  loop tail && git push")]
    Tail(TailArgs),
    /// Remove runs, and all that is kept of them
    #[command(after_help = "Examples:\n  loop rm 0198b2\n  loop rm --keep 50")]
    Rm(RmArgs),
    /// Validate a manifest, and say what it would do
    #[command(after_help = "Examples:\n  loop check fix-tests.yaml\n  loop check --run")]
    Check(CheckArgs),
    /// Show what tools may do, and which line of settings decides
    #[command(
        subcommand,
        after_help = "\
Examples:
  loop policy show
  loop policy explain 'git log -p'
  loop policy explain --to write src/main.rs"
    )]
    Policy(PolicyCommand),
    /// Write a page about a run, for a browser
    #[command(
        hide = true,
        after_help = "\
Examples:
  loop report
  loop report 0198b2 --html nightly.html"
    )]
    Report(ReportArgs),
    /// Print the JSON Schema of manifests, for editors
    #[command(hide = true, after_help = "Example:\n  loop schema > loop.schema.json")]
    Schema,
    /// Print a completion script for a shell
    #[command(
        hide = true,
        after_help = "\
Example:
  loop completions bash > ~/.local/share/bash-completion/completions/loop"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of loop, or of one of its commands
    #[command(hide = true, after_help = "Example:\n  loop man run | man -l -")]
    Man {
        /// A command, such as `run`
        command: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// fix-until-tests-pass (the default) or refactor-until-lint-clean
    #[arg(default_value = "fix-until-tests-pass", hide_possible_values = true, hide_default_value = true)]
    #[arg(value_parser = template())]
    pub(crate) template: Template,
    /// A .yaml, .toml or .json file, or - [default: loop.yaml]
    #[arg(long, value_name = "FILE", default_value = "loop.yaml", hide_default_value = true)]
    pub(crate) out: PathBuf,
    /// A name or a command [default: the first known one on PATH]
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The manifest [default: loop.yaml, .yml, .toml or .json here]
    pub(crate) manifest: Option<PathBuf>,
    /// Where the agent and the check run [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Show the first prompt, and try the check alone
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep no journal: the run cannot be resumed
    #[arg(long)]
    pub(crate) no_journal: bool,
    /// Keep all that the agent and the check print
    #[arg(long, conflicts_with = "no_journal")]
    pub(crate) keep_output: bool,
    /// Run although another run works in this folder
    #[arg(long)]
    pub(crate) parallel: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) flags: Option<FlagArgs>,
}

/// What is shown and told of a run, and to whom.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct OutputArgs {
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
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// Its id, or how that begins [default: the last that was cut off here]
    pub(crate) run: Option<String>,
    /// Go on with the manifest as it is now
    #[arg(long)]
    pub(crate) accept_changes: bool,
    /// Keep all that the agent and the check print
    #[arg(long)]
    pub(crate) keep_output: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) grant: GrantArgs,
}

/// What is added to a run that goes on.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Added to the run")]
pub(crate) struct GrantArgs {
    /// More iterations than it was allowed
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) add_iterations: u64,
    /// More money, in dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) add_cost: Option<Usd>,
    /// More time, in seconds
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) add_seconds: u64,
    /// A note for the next prompt, where it says {guidance}
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// An amount of money as a person writes it, such as `2.50`.
fn dollars(written: &str) -> Result<Usd, String> {
    let dollars: f64 = written.parse().map_err(|_| "it has to be a number, such as 2.50".to_owned())?;
    Usd::try_from_f64(dollars).map_err(|error| error.to_string())
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
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) max_time: Option<Duration>,
    /// Accept a limit on cost for an agent that does not report it
    #[arg(long)]
    pub(crate) allow_unmetered: bool,
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

/// Reads the name of a template. The list of names is for completions.
fn template() -> impl TypedValueParser<Value = Template> {
    let about = |template| match template {
        Template::FixUntilTestsPass => "Mend the code until the project's tests pass",
        _ => "Rewrite the code until the project's linter finds nothing",
    };
    let names = Template::ALL.map(|template| PossibleValue::new(template.name()).help(about(template)));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Template>())
}
