//! The command lines of `loop models` and `loop doctor`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object per finding
    #[arg(long)]
    pub(crate) json: bool,
    /// Ask whether to delete damaged files that nothing can repair, and delete them
    #[arg(long)]
    pub(crate) fix: bool,
    /// Delete them without asking
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
    /// Use the settings of this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Show all facts about this model, with their sources
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Print one JSON object per model
    #[arg(long)]
    pub(crate) json: bool,
    /// Ask the servers again instead of using kept facts
    #[arg(long)]
    pub(crate) refresh: bool,
    /// Use the settings of this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}
