//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use loop_core::Usd;
use loop_temporal::LONGEST_HISTORY;

/// Run loops of many machines on Temporal
#[derive(Debug, Parser)]
#[command(name = "loop-temporal", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Take runs from a queue and perform their steps, until a signal ends it
    Worker(WorkerArgs),
    /// Submit runs of a manifest
    Submit(SubmitArgs),
    /// List the submitted runs
    Runs(RunsArgs),
    /// Show a submitted run, or a budget
    Show(RunArgs),
    /// Wait for a submitted run, and exit with its exit code
    Tail(RunArgs),
    /// Cancel a submitted run, and end its agent
    Cancel(RunArgs),
    /// Continue a submitted run that is over
    Resume(ResumeArgs),
    /// Give a submitted run whose host is lost to another worker
    Reassign(RunArgs),
    /// Answer the question of a submitted run
    Answer(AnswerArgs),
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The queue with the runs
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: String,
    /// The most steps at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) slots: u16,
    /// The name of this worker; by default the name of this host
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The manifest
    pub(crate) manifest: PathBuf,
    /// The queue of the workers
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: String,
    /// The number of runs
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "each", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) count: u16,
    /// One run for each FILE, which is the variable `file` of the manifest
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) each: Vec<String>,
    /// Where the agents work: in the folder of --cwd on each worker, or in a clone for each run, at the commit of that folder
    #[arg(long, value_name = "PLACE", default_value = "folder")]
    pub(crate) workspace: Place,
    /// The folder in which the agents work, on every worker; by default the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The most that all these runs may cost together, in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) budget: Option<Usd>,
    /// Submit a run at the times of this cron expression, such as '0 3 * * *', until `loop cancel`
    #[arg(long, value_name = "CRON", conflicts_with_all = ["count", "each", "budget"])]
    pub(crate) cron: Option<String>,
    /// The time zone of --cron, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC", requires = "cron")]
    pub(crate) time_zone: String,
    /// Continue a run with a new history after N events
    #[arg(long, value_name = "N", default_value_t = LONGEST_HISTORY, hide = true)]
    pub(crate) longest_history: u32,
}

/// Where agents work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// A folder that each worker has
    Folder,
    /// A git clone for each run, whose changes become the branch loop/RUN
    Git,
}

fn dollars(written: &str) -> Result<Usd, String> {
    let dollars: f64 = written.parse().map_err(|_| "it has to be a number, such as 2.50".to_owned())?;
    match Usd::try_from_f64(dollars).map_err(|error| error.to_string())? {
        Usd::ZERO => Err("no run can begin with a budget of $0".to_owned()),
        budget => Ok(budget),
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The most runs to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Print JSON, one line for each run
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The id of the run
    pub(crate) run: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The id of the run
    pub(crate) run: String,
    /// Allow N more iterations
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) add_iterations: u64,
    /// Allow this many more US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) add_cost: Option<Usd>,
    /// Allow N more tokens
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) add_tokens: u64,
    /// Allow this much more time: 1800, 30m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = loop_manifest::duration::parse)]
    pub(crate) add_seconds: Option<Duration>,
    /// Add this note to the next prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The id of the run
    pub(crate) run: String,
    /// Whether the run goes on
    pub(crate) answer: Reply,
    /// A note for the agent
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reply {
    /// The run goes on
    Yes,
    /// The run ends
    No,
    /// The run ends
    Stop,
}
