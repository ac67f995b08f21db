//! The arguments of `loop every`.

use std::{num::NonZeroU64, path::PathBuf, time::Duration};

use clap::{Args, builder::NonEmptyStringValueParser};

use super::{ConversationArgs, OutputArgs, numbers::above_zero};
use loop_manifest::{duration, kebab_case};

/// Checks a name of a run, to which the rules of a manifest's name apply.
fn run_name(text: &str) -> Result<String, String> {
    match kebab_case(text) {
        name if name == text && !name.is_empty() => Ok(name),
        name if name.is_empty() => Err("a name has lower-case letters and digits".to_owned()),
        // Nothing would recognise a secret in the letters of a name.
        name if crate::view::secrets().redact(text) == text => Err(format!("write `{name}`")),
        _ => Err("a name has lower-case letters, digits and single hyphens between them".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(mut_arg("show_output", |arg| arg.conflicts_with("json")))]
#[group(id = "what", required = true, multiple = true, args = ["prompt", "command"])]
pub(crate) struct EveryArgs {
    /// The pause after each iteration: 30s, 5m, 1h30m, 1d, or seconds
    #[arg(value_parser = loop_session::repeat::interval, allow_negative_numbers = true)]
    pub(crate) interval: Duration,
    /// The prompt for the model, the same each time
    #[arg(value_name = "PROMPT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) prompt: Vec<String>,
    /// The command: one shell line, or a program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Run N iterations, from 1 to 100 [default: 10]
    #[arg(long, value_name = "N", value_parser = loop_session::repeat::count, allow_negative_numbers = true)]
    pub(crate) count: Option<NonZeroU64>,
    /// Set no limit on iterations; requires --for
    #[arg(long, requires = "time", conflicts_with = "count")]
    pub(crate) unlimited: bool,
    /// Stop after this time, even during an iteration
    #[arg(long = "for", id = "time", value_name = "TIME", value_parser = duration::parse)]
    pub(crate) time: Option<Duration>,
    /// Stop when the output has TEXT or matches /REGEX/
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) until: Option<String>,
    /// Stop when the output stays unchanged N times
    #[arg(long, value_name = "N", value_parser = above_zero)]
    pub(crate) until_unchanged: Option<NonZeroU64>,
    /// Stop when N iterations in a row fail
    #[arg(long, value_name = "N", value_parser = above_zero)]
    pub(crate) stop_after_errors: Option<NonZeroU64>,
    /// Start each turn without the earlier turns
    #[arg(long, conflicts_with = "command")]
    pub(crate) fresh: bool,
    /// Name the run in records [default: every]
    #[arg(long, value_name = "NAME", value_parser = run_name)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) chat: ConversationArgs,
    /// Run in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Write no journal: you cannot resume the run
    #[arg(long)]
    pub(crate) no_journal: bool,
    /// Store the whole output of the command
    #[arg(long, conflicts_with = "no_journal")]
    pub(crate) keep_output: bool,
    /// Run even if another run uses this folder
    #[arg(long)]
    pub(crate) parallel: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
