//! Writes whole files.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{MAX_CONTENT_BYTES, Need, ProposedChange, Tool, ToolContext, ToolError};

/// Writes a whole file atomically: nobody sees a half-written one.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// let call = serde_json::json!({ "path": "docs/poem", "content": "one\n" });
/// let report = tools.call("write_file", &call).await;
/// assert!(report.files[0].created);
/// assert_eq!(std::fs::read_to_string(folder.path().join("docs/poem"))?, "one\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteFile;

/// The arguments of `write_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFileArguments {
    /// The file, relative to the workspace.
    path: String,
    /// The whole new content.
    content: String,
}

#[async_trait]
impl Tool for WriteFile {
    type Arguments = WriteFileArguments;

    fn name(&self) -> &'static str {
        "write_file"
    }

    fn description(&self) -> &'static str {
        "Writes a whole file and its missing parent folders. It replaces the old content: to change part of a \
         file, use edit_file."
    }

    fn needs(&self, arguments: &WriteFileArguments) -> Vec<Need> {
        vec![Need::write(&arguments.path)]
    }

    fn change(&self, WriteFileArguments { path, content }: &WriteFileArguments) -> Option<ProposedChange> {
        let content = content.clone();
        Some(ProposedChange::of_file(path, move |_| Ok(content)))
    }

    async fn call(
        &self,
        WriteFileArguments { path, content }: WriteFileArguments,
        cx: &ToolContext,
    ) -> Result<String, ToolError> {
        if content.len() > MAX_CONTENT_BYTES {
            let text =
                format!("the content has {} bytes, but the limit is {MAX_CONTENT_BYTES}", content.len());
            return Err(ToolError::rejected(text));
        }
        let bytes = content.len();
        let written =
            cx.blocking(move |workspace, _| Ok(workspace.write(&path, content.as_bytes())?)).await?;
        cx.changed(&written.path, written.created);
        Ok(format!("wrote {bytes} bytes to {}", written.path))
    }
}
