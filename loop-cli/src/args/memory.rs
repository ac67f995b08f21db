//! The command line of `loop memory`.

use clap::{Args, Subcommand};
use loop_knowledge::{
    memory::{MemoryKind, MemoryType, ProfileTemplate},
    recall::UNKNOWN_WINDOW_TOKENS,
};

use super::KnowledgeArgs;

pub(crate) const ABOUT_MEMORY: &str = "\
Exit:  0 done  1 nothing is known  2 wrong usage  3 it could not be done

Examples:
  loop memory mine
  loop memory list
  loop memory add tool_use 'cargo test hangs without a server' --kind pitfall
  loop memory flag 3f
  loop memory recall 'why do the tests hang?'";

#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    pub(crate) command: MemoryCommand,
    #[command(flatten)]
    pub(crate) place: KnowledgeArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List the memories and proposals
    List {
        /// Only those of this type, such as `tool_use`
        #[arg(value_name = "TYPE")]
        memory_type: Option<MemoryType>,
        /// Archived and rejected ones too
        #[arg(long)]
        all: bool,
    },
    /// Show one memory
    Show {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Add a memory
    Add {
        /// `project_fact`, `user_preference`, `workflow` or `tool_use`
        #[arg(value_name = "TYPE")]
        memory_type: MemoryType,
        /// One line of at most 120 characters
        #[arg(required = true)]
        summary: Vec<String>,
        /// `pitfall`, `workaround`, `recommendation` or `pattern`
        #[arg(long, value_name = "KIND")]
        kind: Option<MemoryKind>,
        /// Markdown of at most 4 KiB
        #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
        body: String,
        /// Recall it only where a file matches this glob; may be repeated
        #[arg(long, value_name = "GLOB")]
        applies_to: Vec<String>,
    },
    /// Lower the confidence in a memory by 0.1; at 0.2 it is archived
    Flag {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Raise the confidence in a memory by 0.1, up to 0.9
    Keep {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Remove the file of a memory
    Forget {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Accept a proposal: from now on it is recalled
    Accept {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Reject a proposal: it never comes again
    Reject {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Count the memories, and name files that are skipped
    Status,
    /// Print what is known about a text
    Recall {
        /// Any text; with `--for-run` the goal and the last verdict of the run
        #[arg(required_unless_present = "for_run")]
        text: Vec<String>,
        /// Print the value of `{memory}` in the run of this process
        #[arg(long)]
        for_run: bool,
        /// The most tokens, of 4 bytes each
        #[arg(long, value_name = "N", default_value_t = UNKNOWN_WINDOW_TOKENS)]
        max_tokens: u64,
        /// Notes too
        #[arg(long, conflicts_with = "for_run")]
        notes: bool,
    },
    /// Print the profile of the folder, or make it from a template
    Profile {
        /// `software`, `library`, `data`, `writing`, `research`, `operations` or `empty`
        #[arg(long, value_name = "NAME")]
        template: Option<ProfileTemplate>,
    },
    /// Let a model propose memories from runs and sessions, and decide about them
    Mine(MineArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MineArgs {
    /// Mine this run only, also if it was mined before
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Mine this session only, also if it was mined before
    #[arg(long, value_name = "ID", conflicts_with = "run")]
    pub(crate) session: Option<String>,
    /// The model that proposes [default: the model of the settings]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Accept all proposals
    #[arg(long)]
    pub(crate) yes: bool,
}
