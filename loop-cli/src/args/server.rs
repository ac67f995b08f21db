//! The command line of `loop server`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// The request, such as `start NAME` [default: status]
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Use the settings of this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}
