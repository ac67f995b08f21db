//! The command line of `loop replay`.

use clap::Args;
use loop_manifest::ToolName;

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The session's id, its beginning, or its name
    pub(crate) session: String,
    /// Send the prompts to this model; repeat for several
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) model: Vec<String>,
    /// Let the model call these tools, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<ToolName>>,
    /// Name the new session
    #[arg(long, value_name = "NAME")]
    pub(crate) out: Option<String>,
    /// Go on in the new session afterwards, at the terminal
    #[arg(long = "continue", conflicts_with = "json")]
    pub(crate) continues: bool,
    /// Print one JSON object per turn and model
    #[arg(long)]
    pub(crate) json: bool,
}
