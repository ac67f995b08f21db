//! Writes whole files.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Change, MAX_CONTENT_BYTES, Need, Tool, ToolContext, ToolError};

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

/// What [`WriteFile`] is given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// The file, relative to the workspace.
    path: String,
    /// All that is to be in it.
    content: String,
}

#[async_trait]
impl Tool for WriteFile {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        "write_file"
    }

    fn description(&self) -> &'static str {
        "Writes a whole file, with the folders above it. What was in it is gone: to change a part of a file, \
         use edit_file."
    }

    fn needs(&self, arguments: &Arguments) -> Vec<Need> {
        vec![Need::write(&arguments.path)]
    }

    fn change(&self, Arguments { path, content }: &Arguments) -> Option<Change> {
        let content = content.clone();
        Some(Change::of_file(path, move |_| Ok(content)))
    }

    async fn call(
        &self,
        Arguments { path, content }: Arguments,
        cx: &ToolContext,
    ) -> Result<String, ToolError> {
        if content.len() > MAX_CONTENT_BYTES {
            let text = format!(
                "the content has {} bytes, and {MAX_CONTENT_BYTES} at most are written",
                content.len()
            );
            return Err(ToolError::rejected(text));
        }
        let bytes = content.len();
        let written =
            cx.blocking(move |workspace, _| Ok(workspace.write(&path, content.as_bytes())?)).await?;
        cx.changed(&written.path, written.created);
        Ok(format!("wrote {bytes} bytes to {}", written.path))
    }
}
