//! The command line of `loop server`.

use std::path::PathBuf;

use clap::Args;
use loop_manifest::model::ServerLine;

/// Returns the words and examples, for the help.
pub(super) fn words() -> String {
    let examples = "  loop server status\n  loop server start qwen\n  loop server pull qwen3";
    format!(
        "Words:\n{}\n\nExit:  0 done  2 wrong usage  3 it could not be done\n\nExamples:\n{examples}",
        ServerLine::help()
    )
}

#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// The request, such as `start NAME` [default: status]
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Use the settings of this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}
