//! Runs read-only git commands.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, Tool, ToolContext, ToolError, run_command};

/// Asks git about the repository: its state, changes and history. It changes nothing, starts no program that the
/// repository names, and leaves out secrets.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// # let tools = Toolbox::standard(workspace).environment(std::env::vars_os(), &EnvironmentPolicy::new());
/// let call = serde_json::json!({ "subcommand": "diff", "arguments": "--output=x" });
/// assert!(tools.call("git", &call).await.text.contains("is not an option that is allowed here"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Git;

/// The arguments of `git`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitArguments {
    /// The git subcommand.
    subcommand: Subcommand,
    /// The words after the subcommand, as on a command line: options and revisions, then `--` and paths.
    arguments: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Subcommand {
    Status,
    Diff,
    Log,
    Show,
    Blame,
}

impl GitArguments {
    fn line(&self) -> String {
        let words = self.arguments.as_deref().unwrap_or_default();
        format!("git {} {words}", self.subcommand.as_str()).trim_end().to_owned()
    }
}

impl Subcommand {
    fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Diff => "diff",
            Self::Log => "log",
            Self::Show => "show",
            Self::Blame => "blame",
        }
    }
}

#[async_trait]
impl Tool for Git {
    type Arguments = GitArguments;

    fn name(&self) -> &'static str {
        "git"
    }

    fn description(&self) -> &'static str {
        "Runs git status, diff, log, show or blame. Put paths after `--`: `HEAD~2 -- src/main.rs`."
    }

    fn max_time(&self, cx: &ToolContext) -> Duration {
        run_command::max_time(cx)
    }

    fn needs(&self, arguments: &GitArguments) -> Vec<Need> {
        vec![Need::Command(arguments.line())]
    }

    async fn call(&self, arguments: GitArguments, cx: &ToolContext) -> Result<String, ToolError> {
        run_command::run(arguments.line(), cx).await
    }
}
