//! The command line of `loop schedule`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use loop_schedule::{
    CatchUp, Cron, Expiry, Interval, IntervalError, JobId, Overlap, Phrase, PhraseTime, Zone,
};

use super::command_words::known_flag;
use loop_manifest::{closest, duration};

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum ScheduleCommand {
    /// Add a job: a prompt, its schedule, and what runs it
    #[command(
        override_usage = "loop schedule add [OPTIONS] '[SCHEDULE] PROMPT'\n       \
                          loop schedule add [OPTIONS] --every <INTERVAL> | --cron <EXPR> | --at <TIME> PROMPT",
        after_help = "\
Examples:
  loop schedule add '30m look at the deploy' --agent claude
  loop schedule add 'weekdays at 9:30 review the open pull requests'
  loop schedule add --cron '0 9 * * 1-5' --tz Europe/Riga 'Review the open PRs'
  loop schedule add --at 18:00 --run fix-tests.yaml"
    )]
    Add(Box<AddArgs>),
    /// List the jobs of this folder, and when they fire
    #[command(after_help = "Example:\n  loop schedule list --json | jq -r .id")]
    List(ListArgs),
    /// Show a job, and the result each time it fired
    #[command(after_help = "Example:\n  loop schedule show 1f0c93aa")]
    Show(ShowJobArgs),
    /// Delete jobs and drop their queued fires
    #[command(after_help = "Example:\n  loop schedule delete 1f0c93aa")]
    Delete(JobArgs),
    /// Pause jobs: they skip their slots until resumed
    #[command(after_help = "Example:\n  loop schedule pause 1f0c93aa")]
    Pause(JobArgs),
    /// Resume paused jobs from their next slot
    #[command(after_help = "Example:\n  loop schedule resume 1f0c93aa")]
    Resume(JobArgs),
    /// Queue jobs to fire at once, without changing their schedules
    #[command(after_help = "Example:\n  loop schedule fire 1f0c93aa")]
    Fire(JobArgs),
    /// Fire the jobs of this folder when they are due
    #[command(after_help = "Example:\n  loop schedule run")]
    Run(RunScheduleArgs),
    /// Stop all of your jobs on this machine, including running ones
    #[command(after_help = "Example:\n  loop schedule off")]
    Off,
    /// Let your jobs on this machine fire again
    #[command(after_help = "Example:\n  loop schedule on")]
    On,
    /// Print when a cron expression fires
    #[command(after_help = "\
Examples:
  loop schedule next '0 9 * * 1-5'
  loop schedule next '30 2 * * *' --tz Europe/Riga --from 2026-03-28T00:00:00Z")]
    Next(NextArgs),
    /// Describe a cron expression, or a schedule in words
    #[command(after_help = "\
Examples:
  loop schedule describe '*/5 * * * *'
  loop schedule describe 'weekdays at 9'")]
    Describe {
        /// Minute, hour, day of month, month, day of week; or words
        #[arg(value_name = "EXPR")]
        expression: String,
    },
    /// Print a systemd service or a crontab line for this folder's jobs
    #[command(after_help = "\
Examples:
  loop schedule install --systemd > ~/.config/systemd/user/loop-schedule.service
  (crontab -l; loop schedule install --cron) | crontab -")]
    Install(InstallArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The prompt, with a schedule before or after it:
    /// 30m, every 2 hours, weekdays at 9:30, tomorrow at 8, in 20 minutes
    #[arg(value_name = "PROMPT", allow_hyphen_values = true, value_parser = no_flag)]
    prompt: Option<String>,
    /// The rest of a prompt without quotes
    #[arg(hide = true)]
    words: Vec<String>,
    /// Fire again after each interval: 45m, 2h, 1h30m, '45 minutes'
    #[arg(long, value_name = "INTERVAL", value_parser = interval, conflicts_with_all = ["cron", "at"])]
    pub(crate) every: Option<Interval>,
    /// Fire at minute, hour, day, month, weekday: '0 9 * * 1-5'
    #[arg(long, value_name = "EXPR", conflicts_with = "at")]
    pub(crate) cron: Option<Cron>,
    /// Fire once: 18:00, 2026-03-02T18:00, 2026-03-02T18:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// The time zone, such as Europe/Riga [default: this machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<Zone>,
    /// Fire only the first time
    #[arg(long)]
    pub(crate) once: bool,
    /// Round an interval to one that divides the hour or the day
    #[arg(long, conflicts_with_all = ["cron", "at"])]
    pub(crate) rounded: bool,
    /// Let the job expire: 7d, 12h, or never [default: 3 days for
    /// intervals, never for times of day]
    #[arg(long, value_name = "TIME", value_parser = expiry)]
    pub(crate) expires: Option<Expiry>,
    /// Fire without the usual random delay
    #[arg(long)]
    pub(crate) no_jitter: bool,
    /// Accept a first fire that is more than a year away
    #[arg(long)]
    pub(crate) far: bool,
    /// How to handle fires missed while nothing ran: none, once, ask
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub(crate) catch_up: Option<CatchUpArg>,
    /// How to handle a fire while the job runs: skip, queue, cancel
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub(crate) overlap: Option<OverlapArg>,
    /// Show what would be added, and add nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder of the job [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) action: JobActionArgs,
}

impl AddArgs {
    /// Returns the prompt as typed.
    pub(crate) fn text(&self) -> String {
        let words: Vec<_> = self.prompt.iter().chain(&self.words).map(String::as_str).collect();
        words.join(" ")
    }
}

// Options for what carries out a job.
#[derive(Debug, Args)]
#[command(next_help_heading = "What runs the prompt [default: the model of the settings]")]
pub(crate) struct JobActionArgs {
    /// Run a manifest; the prompt only names the job
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["agent", "model", "max_time"])]
    pub(crate) run: Option<PathBuf>,
    /// Run a command that reads the prompt, or a known agent
    #[arg(long, value_name = "CMD", conflicts_with = "model")]
    pub(crate) agent: Option<String>,
    /// Ask a model with tools, as `loop chat` does
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Without --run: stop each fire after this time: 90s, 30m [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) max_time: Option<Duration>,
}

/// Refuses a word that looks like a flag. A text with `-5m` or with several words is a prompt.
fn no_flag(text: &str) -> Result<String, String> {
    let is_letter = |name: &str| name.starts_with(|sign: char| sign.is_ascii_alphabetic());
    let name = text.trim_start_matches('-').split('=').next().unwrap_or_default();
    if !text.starts_with('-') || !is_letter(name) || text.contains(char::is_whitespace) {
        return Ok(text.to_owned());
    }
    let command = AddArgs::augment_args(clap::Command::new(""));
    let own = || command.get_arguments().filter_map(|flag| flag.get_long());
    let other = known_flag(&format!("--{name}"), &command).map(str::to_owned);
    let near = || closest(name, own(), |flag| flag).map(|flag| format!("--{flag}"));
    let hint = match other.or_else(near) {
        Some(flag) => format!("did you mean `{flag}`?"),
        None => "`loop schedule add --help` lists the options".to_owned(),
    };
    Err(format!("there is no such option; {hint}"))
}

/// Parses an interval, in short units or in the words that a schedule may have behind `every`.
fn interval(text: &str) -> Result<Interval, String> {
    let worded = || match Phrase::parse(&format!("every {text}"), &Zone::utc(), Timestamp::UNIX_EPOCH) {
        Ok(Phrase { time: Some(PhraseTime::Interval(interval)), prompt, .. }) if prompt.is_empty() => {
            Some(interval)
        }
        _ => None,
    };
    text.parse().or_else(|error: IntervalError| worded().ok_or_else(|| error.to_string()))
}

/// Parses the time after which a job expires.
fn expiry(text: &str) -> Result<Expiry, String> {
    match text {
        "never" => Ok(Expiry::Never),
        _ => match duration::parse(text) {
            Ok(Duration::ZERO) => Err("a job cannot expire at once: write `7d`, or `never`".to_owned()),
            Ok(time) => Ok(Expiry::AfterSeconds(time.as_secs().max(1))),
            Err(error) => Err(format!("{error}, or `never`")),
        },
    }
}

/// How a job handles missed slots.
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

/// How a job handles a fire that is due while it runs.
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
    /// Print one JSON object per job
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
    /// The ids of the jobs
    #[arg(required = true)]
    pub(crate) jobs: Vec<JobId>,
    /// The folder of the jobs [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunScheduleArgs {
    /// Fire the jobs that are due now, and exit, for a system timer
    #[arg(long)]
    pub(crate) once: bool,
    /// Print only errors
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
    /// The number of fires
    #[arg(short = 'n', long = "count", value_name = "N", default_value_t = 5)]
    pub(crate) count: u16,
    /// The time zone, such as Europe/Riga [default: this machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<Zone>,
    /// Start after this time: 2026-03-28T00:00:00Z [default: now]
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

// Options for the system service that fires the jobs.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct SystemArgs {
    /// Print a user service of systemd that runs `loop schedule run`
    #[arg(long)]
    pub(crate) systemd: bool,
    /// Print a crontab line that runs `loop schedule run --once`
    #[arg(long)]
    pub(crate) cron: bool,
}
