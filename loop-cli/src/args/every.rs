//! The arguments of `loop every`.

use std::{num::NonZeroU64, path::PathBuf, time::Duration};

use clap::{Args, builder::NonEmptyStringValueParser};

use super::{ConversationArgs, OutputArgs};
use loop_manifest::duration;

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = false, args = ["prompt", "command"])]
pub(crate) struct EveryArgs {
    /// The pause after each iteration: 30s, 5m, 1h30m, 1d; a number is seconds
    #[arg(value_parser = loop_session::repeat::interval, allow_negative_numbers = true)]
    pub(crate) interval: Duration,
    /// What to tell the model each time
    #[arg(value_name = "PROMPT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) prompt: Vec<String>,
    /// The command: a shell's line, or a program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// How often, from 1 to 100 [default: 10]
    #[arg(long, value_name = "N", value_parser = loop_session::repeat::count, allow_negative_numbers = true)]
    pub(crate) count: Option<NonZeroU64>,
    /// As often as there is time for
    #[arg(long, requires = "time", conflicts_with = "count")]
    pub(crate) unlimited: bool,
    /// For how long: no iteration begins later, and none goes on
    #[arg(long = "for", id = "time", value_name = "TIME", value_parser = duration::parse)]
    pub(crate) time: Option<Duration>,
    /// Stop when the output has this, or matches this /expression/
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) until: Option<String>,
    /// Stop when the output has not changed N times in a row
    #[arg(long, value_name = "N")]
    pub(crate) until_unchanged: Option<NonZeroU64>,
    /// Stop when N iterations in a row have failed
    #[arg(long, value_name = "N")]
    pub(crate) stop_after_errors: Option<NonZeroU64>,
    /// Begin each turn without the ones before it
    #[arg(long, conflicts_with = "command")]
    pub(crate) fresh: bool,
    #[command(flatten)]
    pub(crate) chat: ConversationArgs,
    /// Where the command or the tools run [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Keep no journal: the run cannot be resumed
    #[arg(long)]
    pub(crate) no_journal: bool,
    /// Keep all that a command prints
    #[arg(long, conflicts_with = "no_journal")]
    pub(crate) keep_output: bool,
    /// Run although another run works in this folder
    #[arg(long)]
    pub(crate) parallel: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
