//! The arguments of `loop workspace`.

use clap::{Args, Subcommand};

use super::KnowledgeArgs;

#[derive(Debug, Args)]
pub(crate) struct WorkspaceArgs {
    #[command(subcommand)]
    pub(crate) command: Option<WorkspaceCommand>,
    #[command(flatten)]
    pub(crate) place: KnowledgeArgs,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// Show the folder, its branch, and the stored data (the default)
    Status,
}
