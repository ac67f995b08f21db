//! The command line of `loop skill`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills of this folder, and the user's own
    List {
        /// Print one JSON object per skill
        #[arg(long)]
        json: bool,
    },
    /// Show the fields and the body of a skill
    Show {
        /// The name of the skill
        name: String,
        /// Print its fields as JSON
        #[arg(long)]
        json: bool,
    },
    /// Report what is wrong with skills
    #[command(after_help = "Exit codes:  0  nothing   1  something is wrong   2  wrong usage")]
    Check {
        /// Folders of skills [default: all skills of this folder, and the user's own]
        folders: Vec<PathBuf>,
        /// Apply all rules of the format, as its reference validator does
        #[arg(long)]
        strict: bool,
        /// Print one JSON object per skill
        #[arg(long)]
        json: bool,
    },
}
