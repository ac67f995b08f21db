//! The command line of `loop pipeline`.

use clap::{Args, value_parser};
use loop_agents::pipeline::{MAX_RETRIES, Percent};

use super::RunOptions;

#[derive(Debug, Args)]
pub(crate) struct PipelineArgs {
    /// The confidence that each reply needs, such as 80%
    pub(crate) percent: Percent,
    /// The files with the prompts, in their order
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Let a confidence pass that no reply states
    #[arg(long)]
    pub(crate) accept_guess: bool,
    /// Repeat a step at most N times if its reply does not pass
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u64).range(0..=MAX_RETRIES))]
    pub(crate) retries: u64,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}
