//! The arguments of `loop check`.

use std::path::PathBuf;

use clap::Args;

use super::OverrideArgs;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The manifest [default: loop.yaml, .yml, .toml or .json here]
    pub(crate) manifest: Option<PathBuf>,
    /// Run the check once, and warn if it already passes
    #[arg(long)]
    pub(crate) run: bool,
    /// Run the check in this folder [default: the current one]
    #[arg(long, value_name = "DIR", requires = "run")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print the description as JSON
    #[arg(long, conflicts_with = "run")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) overrides: OverrideArgs,
}
