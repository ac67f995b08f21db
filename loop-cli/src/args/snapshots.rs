//! The command line of the commands about snapshots.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A run, a range of iterations, paths [default: last run]
    #[arg(value_name = "RUN|A..B|PATH")]
    pub(crate) words: Vec<String>,
    /// Print only the names of the changed files
    #[arg(long)]
    pub(crate) names: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The run's id or its beginning, or - for the last run
    #[arg(required_unless_present = "undo")]
    pub(crate) run: Option<String>,
    /// The iteration to return to; 0 is the state before all
    #[arg(long, short, value_name = "N", required_unless_present = "undo")]
    pub(crate) iteration: Option<u64>,
    /// Restore only these paths, below the run's folder
    pub(crate) paths: Vec<PathBuf>,
    /// Take the last restore in this folder back
    #[arg(long, conflicts_with_all = ["run", "iteration", "paths"])]
    pub(crate) undo: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// The run's id or its beginning [default: the last run of this folder]
    pub(crate) run: Option<String>,
    /// Create this branch, with one commit on top of HEAD
    #[arg(long, value_name = "NAME", required_unless_present = "patch", conflicts_with = "patch")]
    pub(crate) branch: Option<String>,
    /// Write a patch to this file, or - for stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) patch: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotsCommand {
    /// List the snapshots of this folder
    List,
    /// Remove what no run of this folder needs
    Gc,
    /// Show how much space the snapshots of this folder take
    Size,
    /// Make the store of this folder anew, without any snapshot
    Reset {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}
