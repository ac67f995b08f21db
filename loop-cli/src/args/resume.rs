//! The arguments of `loop resume`.

use std::time::Duration;

use clap::Args;
use loop_core::Usd;
use loop_guardrails::policy::command::CommandPrefix;
use loop_manifest::duration;

use super::{Engine, OutputArgs, numbers::dollars};

#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// The run's id or its beginning [default: the last unfinished run here]
    pub(crate) run: Option<String>,
    /// Use the manifest as it is now, even if it changed
    #[arg(long)]
    pub(crate) accept_changes: bool,
    /// Store the whole output of the agent and the check
    #[arg(long)]
    pub(crate) keep_output: bool,
    /// Let tools run commands beginning with these words
    #[arg(long, value_name = "COMMAND")]
    pub(crate) allow: Vec<CommandPrefix>,
    /// Resume a submitted run of this engine
    #[arg(
        long,
        value_name = "ENGINE",
        hide_possible_values = true,
        conflicts_with_all = ["accept_changes", "keep_output", "allow"]
    )]
    pub(crate) engine: Option<Engine>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) grant: GrantArgs,
}

// Raised limits and a note for a resumed run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Added to the run")]
pub(crate) struct GrantArgs {
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
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) add_seconds: Option<Duration>,
    /// Add this note to the next prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}
