//! The command line of `loop policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use loop_guardrails::policy::Verb;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum PolicyCommand {
    /// List the rules, with the file and line of each
    #[command(after_help = "Example:\n  loop policy show --json | jq .programs")]
    Show(PolicyFolderArgs),
    /// Tell whether a command or a path is allowed, and by which rule
    #[command(after_help = "\
Examples:
  loop policy explain 'find . -delete'
  loop policy explain config/.env
  loop policy explain --to write src/main.rs

Exit codes:  0  allowed   1  denied   2  wrong usage or settings")]
    Explain(ExplainArgs),
}

// The folder whose rules apply, and the output format.
#[derive(Debug, Args)]
pub(crate) struct PolicyFolderArgs {
    /// Apply the rules of this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A command in quotes, or a path
    #[arg(value_name = "COMMAND or PATH")]
    pub(crate) text: String,
    /// For a path: read, write, exec or delete [default: read]
    #[arg(long, value_name = "VERB")]
    pub(crate) to: Option<Verb>,
    #[command(flatten)]
    pub(crate) place: PolicyFolderArgs,
}
