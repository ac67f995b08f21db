//! What is in a folder.

use async_trait::async_trait;
use loop_guardrails::policy::workspace::{Entry, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, Tool, ToolContext, ToolError};

/// Lists a folder: `name`, `folder/`, `link@`, and what cannot be read marked as such.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// std::fs::create_dir(folder.path().join("src"))?;
/// std::fs::write(folder.path().join(".env"), "KEY=1")?;
/// let report = tools.call("list_files", &serde_json::json!({})).await;
/// assert_eq!(report.text, ".env (not readable)\nsrc/\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ListFiles;

/// What [`ListFiles`] is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// The folder, relative to the workspace; the workspace itself if it is left out.
    path: Option<String>,
}

#[async_trait]
impl Tool for ListFiles {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        "list_files"
    }

    fn description(&self) -> &'static str {
        "Lists what is in a folder, one name a line. Folders end in `/`, links in `@`."
    }

    fn needs(&self, arguments: &Arguments) -> Vec<Need> {
        vec![Need::read(arguments.path.as_deref().unwrap_or_default())]
    }

    async fn call(&self, arguments: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
        let path = arguments.path.unwrap_or_default();
        let entries = cx.blocking(move |workspace, _| Ok(workspace.list(&path)?)).await?;
        if entries.is_empty() {
            return Ok("[the folder is empty]".to_owned());
        }
        Ok(entries.iter().map(|entry| shown(entry) + "\n").collect())
    }
}

/// A name with what it is.
pub(super) fn shown(entry: &Entry) -> String {
    let sign = match entry.kind {
        Kind::Folder => "/",
        Kind::Link => "@",
        _ => "",
    };
    let mark = if entry.readable { "" } else { " (not readable)" };
    format!("{}{sign}{mark}", entry.name)
}
