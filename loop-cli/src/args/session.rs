//! The command line of `loop session`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the stored sessions, the last used first
    List(ListSessionsArgs),
    /// Print a session as Markdown
    Show(ShowSessionArgs),
    /// Delete sessions
    Rm(RmSessionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListSessionsArgs {
    /// List the sessions of all folders
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Print one JSON object per session
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowSessionArgs {
    /// The session's id, its beginning, or its name [default: the last of this folder]
    pub(crate) session: Option<String>,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RmSessionsArgs {
    /// The sessions' ids, their beginnings, or their names
    #[arg(required_unless_present = "keep")]
    pub(crate) sessions: Vec<String>,
    /// Delete all but the last N sessions of this folder
    #[arg(long, value_name = "N", conflicts_with = "sessions")]
    pub(crate) keep: Option<usize>,
}
