//! The arguments of `loop chat`.

use std::path::PathBuf;

use clap::Args;

use loop_guardrails::policy::command::CommandPrefix;
use loop_manifest::ToolName;

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Answer TEXT, after any piped input, and exit
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Resume a session [default: the last in this folder]
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "", conflicts_with = "json")]
    pub(crate) resume: Option<String>,
    /// Store nothing of the session
    #[arg(long, conflicts_with_all = ["prompt", "json"])]
    pub(crate) no_record: bool,
    #[command(flatten)]
    pub(crate) chat: ConversationArgs,
    /// Print reply, usage, cost and calls as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
    /// Show tool calls as JSON, with whole results
    #[arg(long, conflicts_with_all = ["prompt", "json"])]
    pub(crate) verbose: bool,
    /// Run tools in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

// The model, its system prompt and its tools.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConversationArgs {
    /// Use this model [default: from the settings]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Use the text of this file as the system prompt
    #[arg(long, value_name = "FILE")]
    pub(crate) system: Option<PathBuf>,
    /// Offer only these tools [default: from settings]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_tools")]
    pub(crate) tools: Option<Vec<ToolName>>,
    /// Offer no tools
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// Let tools run commands beginning with these words
    #[arg(long, value_name = "COMMAND")]
    pub(crate) allow: Vec<CommandPrefix>,
}

impl ConversationArgs {
    /// Returns the requested tools; `None` means those of the settings.
    pub(crate) fn asked_tools(&self) -> Option<Vec<ToolName>> {
        if self.no_tools { Some(Vec::new()) } else { self.tools.clone() }
    }
}
