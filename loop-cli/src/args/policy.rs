//! The command line of `loop policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use loop_guardrails::policy::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// List the rules, and where each of them stands
    #[command(after_help = "Example:\n  loop policy show --json | jq .programs")]
    Show(PolicyPlace),
    /// Say what would become of a command or a path, and which rule decides
    #[command(after_help = "\
Examples:
  loop policy explain 'find . -delete'
  loop policy explain config/.env
  loop policy explain --to write src/main.rs

Exit codes:  0  allowed   1  denied   2  wrong usage or settings")]
    Explain(ExplainArgs),
}

/// Whose rules are meant, and for whom they are printed.
#[derive(Debug, Args)]
pub(crate) struct PolicyPlace {
    /// The folder in which tools would work [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A command, in quotes, or a path
    #[arg(value_name = "COMMAND or PATH")]
    pub(crate) text: String,
    /// Of a path: read (the default), write, exec or delete
    #[arg(long, value_name = "VERB")]
    pub(crate) to: Option<Verb>,
    #[command(flatten)]
    pub(crate) place: PolicyPlace,
}
