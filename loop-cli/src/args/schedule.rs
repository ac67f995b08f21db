//! The command line of `loop schedule`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use loop_schedule::{CatchUp, Cron, JobId, Overlap, Zone};

use loop_manifest::duration;

#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleCommand {
    /// Add a job: a prompt, when it is wanted, and who does it
    #[command(
        override_usage = "loop schedule add [OPTIONS] '[INTERVAL] PROMPT'\n       \
                          loop schedule add [OPTIONS] --cron <EXPR> | --at <TIME> PROMPT",
        after_help = "\
Examples:
  loop schedule add '30m look at the deploy' --agent claude
  loop schedule add --cron '0 9 * * 1-5' --tz Europe/Riga 'Review the open PRs'
  loop schedule add --at 18:00 --run fix-tests.yaml"
    )]
    Add(Box<AddArgs>),
    /// List the jobs of this folder, and when they fire
    #[command(after_help = "Example:\n  loop schedule list --json | jq -r .id")]
    List(ListArgs),
    /// Show a job, and what became of its fires
    #[command(after_help = "Example:\n  loop schedule show 1f0c93aa")]
    Show(ShowJobArgs),
    /// Delete jobs; what of them waits is never delivered
    #[command(after_help = "Example:\n  loop schedule delete 1f0c93aa")]
    Delete(JobArgs),
    /// Let the slots of jobs pass by
    #[command(after_help = "Example:\n  loop schedule pause 1f0c93aa")]
    Pause(JobArgs),
    /// Let paused jobs go on, with the slots to come
    #[command(after_help = "Example:\n  loop schedule resume 1f0c93aa")]
    Resume(JobArgs),
    /// Let jobs fire now, whatever their slots are
    #[command(after_help = "Example:\n  loop schedule fire 1f0c93aa")]
    Fire(JobArgs),
    /// Fire the jobs of this folder when they are due
    #[command(after_help = "Example:\n  loop schedule run")]
    Run(RunScheduleArgs),
    /// Stop all firing on this machine, and what fired and still runs
    #[command(after_help = "Example:\n  loop schedule off")]
    Off,
    /// Let the jobs of this machine fire again
    #[command(after_help = "Example:\n  loop schedule on")]
    On,
    /// Print when an expression fires
    #[command(after_help = "\
Examples:
  loop schedule next '0 9 * * 1-5'
  loop schedule next '30 2 * * *' --tz Europe/Riga --from 2026-03-28T00:00:00Z")]
    Next(NextArgs),
    /// Say in words when an expression fires
    #[command(after_help = "Example:\n  loop schedule describe '*/5 * * * *'")]
    Describe {
        /// Minute, hour, day of month, month, day of week
        #[arg(value_name = "EXPR")]
        expression: Cron,
    },
    /// Print what makes the system fire the jobs of this folder
    #[command(after_help = "\
Examples:
  loop schedule install --systemd > ~/.config/systemd/user/loop-schedule.service
  (crontab -l; loop schedule install --cron) | crontab -")]
    Install(InstallArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What is to be done, and how often: 30m PROMPT, PROMPT every 2 hours
    #[arg(value_name = "PROMPT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// More words of it, without quotes around them all
    #[arg(hide = true)]
    words: Vec<String>,
    /// When: minute, hour, day, month, weekday: '0 9 * * 1-5'
    #[arg(long, value_name = "EXPR", conflicts_with = "at")]
    pub(crate) cron: Option<Cron>,
    /// When, once: 18:00, 2026-03-02T18:00, 2026-03-02T18:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Whose clock: Europe/Riga [default: this machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<Zone>,
    /// Fire at the next slot, and never again
    #[arg(long)]
    pub(crate) once: bool,
    /// Keep an interval as it is, from now on: every 45m is not rounded
    #[arg(long, conflicts_with_all = ["cron", "at", "once"])]
    pub(crate) exact: bool,
    /// Fire exactly at the slots
    #[arg(long)]
    pub(crate) no_jitter: bool,
    /// Take a first fire that is more than a year away
    #[arg(long)]
    pub(crate) far: bool,
    /// Of slots that nobody was awake for: none, once, ask
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub(crate) catch_up: Option<CatchUpArg>,
    /// Of a slot that comes while it runs: skip, queue, cancel
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub(crate) overlap: Option<OverlapArg>,
    /// Add nothing: say what would be
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder of the job [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) errand: ErrandArgs,
}

impl AddArgs {
    /// All that was written of the prompt.
    pub(crate) fn text(&self) -> String {
        let words: Vec<_> = self.prompt.iter().chain(&self.words).map(String::as_str).collect();
        words.join(" ")
    }
}

/// Who does what a job wants.
#[derive(Debug, Args)]
#[command(next_help_heading = "Who does it [default: the model of the settings]")]
pub(crate) struct ErrandArgs {
    /// A manifest; the prompt is only what the job is called
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["agent", "model", "max_time"])]
    pub(crate) run: Option<PathBuf>,
    /// A command that reads the prompt, or a name of `init`'s
    #[arg(long, value_name = "CMD", conflicts_with = "model")]
    pub(crate) agent: Option<String>,
    /// A model with tools, as for `loop chat`
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// How long it may take: 90s, 30m [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) max_time: Option<Duration>,
}

/// What becomes of slots that nobody was awake for.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CatchUpArg {
    None,
    Once,
    Ask,
}

impl From<CatchUpArg> for CatchUp {
    fn from(asked: CatchUpArg) -> Self {
        match asked {
            CatchUpArg::None => Self::None,
            CatchUpArg::Once => Self::Once,
            CatchUpArg::Ask => Self::Ask,
        }
    }
}

/// What happens when a job is due that still runs.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OverlapArg {
    Skip,
    Queue,
    Cancel,
}

impl From<OverlapArg> for Overlap {
    fn from(asked: OverlapArg) -> Self {
        match asked {
            OverlapArg::Skip => Self::Skip,
            OverlapArg::Queue => Self::QueueOne,
            OverlapArg::Cancel => Self::Cancel,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print one JSON object a job
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder of the jobs [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowJobArgs {
    /// The job's id
    pub(crate) job: JobId,
    /// Print one JSON object, with the job and its fires
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder of the job [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    /// Their ids
    #[arg(required = true)]
    pub(crate) jobs: Vec<JobId>,
    /// The folder of the jobs [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunScheduleArgs {
    /// Fire what is due now, and exit: for a timer of the system
    #[arg(long)]
    pub(crate) once: bool,
    /// Say nothing but what is wrong
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// The folder of the jobs [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NextArgs {
    /// Minute, hour, day of month, month, day of week
    #[arg(value_name = "EXPR")]
    pub(crate) expression: Cron,
    /// How many fires
    #[arg(short = 'n', long = "count", value_name = "N", default_value_t = 5)]
    pub(crate) count: u16,
    /// Whose clock: Europe/Riga [default: this machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<Zone>,
    /// After when, as in 2026-03-28T00:00:00Z [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<Timestamp>,
    /// Print one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    pub(crate) system: SystemArgs,
    /// The folder of the jobs [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

/// What of the system fires the jobs.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct SystemArgs {
    /// A service of your own systemd, which runs `loop schedule run`
    #[arg(long)]
    pub(crate) systemd: bool,
    /// A line for crontab, with `loop schedule run --once` each minute
    #[arg(long)]
    pub(crate) cron: bool,
}
