//! Creates folders.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, ProposedChange, Tool, ToolContext, ToolError};

/// Creates a folder and its missing parents.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// let report = tools.call("create_dir", &serde_json::json!({ "path": "src/bin" })).await;
/// assert_eq!(report.text, "src/bin/ is there");
/// assert!(folder.path().join("src/bin").is_dir());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CreateDir;

/// The arguments of `create_dir`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateDirArguments {
    /// The folder, relative to the workspace.
    path: String,
}

#[async_trait]
impl Tool for CreateDir {
    type Arguments = CreateDirArguments;

    fn name(&self) -> &'static str {
        "create_dir"
    }

    fn description(&self) -> &'static str {
        "Creates a folder and its missing parents. write_file does this by itself."
    }

    fn needs(&self, arguments: &CreateDirArguments) -> Vec<Need> {
        vec![Need::write(&arguments.path)]
    }

    fn change(&self, CreateDirArguments { path }: &CreateDirArguments) -> Option<ProposedChange> {
        Some(ProposedChange::described("to create a folder", format!("+ the folder {path}\n")))
    }

    async fn call(
        &self,
        CreateDirArguments { path }: CreateDirArguments,
        cx: &ToolContext,
    ) -> Result<String, ToolError> {
        let made = cx
            .blocking(move |workspace, _| {
                let is_new = workspace.status(&path).is_err();
                Ok((workspace.create_dir(&path)?, is_new))
            })
            .await?;
        if made.1 {
            cx.changed(&made.0, true);
        }
        Ok(format!("{}/ is there", made.0))
    }
}
