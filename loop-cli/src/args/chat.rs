//! The arguments of `loop chat`.

use std::path::PathBuf;

use clap::Args;

use loop_manifest::ToolName;

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// What to answer; what is piped in stands before it
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Go on with a session, else with the last one of this folder
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["prompt", "json"])]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) chat: ConversationArgs,
    /// Print one line of JSON at the end: reply, usage, cost, calls
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder in which tools work [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

/// Who answers, and what they can do.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConversationArgs {
    /// Who answers: claude-sonnet-4-5, ollama:qwen3, or a name of yours
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// A file that says who the model is to be
    #[arg(long, value_name = "FILE")]
    pub(crate) system: Option<PathBuf>,
    /// What it can call, as the policy allows [default: all tools]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_tools")]
    pub(crate) tools: Option<Vec<ToolName>>,
    /// It can only speak
    #[arg(long)]
    pub(crate) no_tools: bool,
}

impl ConversationArgs {
    /// The tools that were asked for; `None` is what the settings say.
    pub(crate) fn asked_tools(&self) -> Option<Vec<ToolName>> {
        if self.no_tools { Some(Vec::new()) } else { self.tools.clone() }
    }
}
