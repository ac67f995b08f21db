//! Reads addresses.

use std::time::Duration;

use async_trait::async_trait;
use loop_core::with_causes;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, ToolContext, ToolError};
use crate::remote::{RemoteContent, RemoteReader};

/// Reads the text of an address. It is not among the standard tools, because only the user decides whether a model reaches
/// servers.
///
/// ```
/// # use loop_agents::{remote::RemoteReader, tools::{FetchUrl, Toolbox}};
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let tools = Toolbox::new(workspace).with(FetchUrl::new(RemoteReader::new()));
/// let call = serde_json::json!({ "url": "http://169.254.169.254/latest/meta-data" });
/// assert!(tools.call("fetch_url", &call).await.text.contains("not on the public internet"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct FetchUrl(RemoteReader);

impl FetchUrl {
    /// Creates the tool with this reader. It reads `http` and `https` only: with the user's keys for other schemes, a
    /// model could read everything that the user can.
    pub fn new(reader: RemoteReader) -> Self {
        Self(reader.web_only())
    }
}

/// The arguments of `fetch_url`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FetchUrlArguments {
    /// The address, which begins with `http://` or `https://`.
    url: String,
}

#[async_trait]
impl Tool for FetchUrl {
    type Arguments = FetchUrlArguments;

    fn name(&self) -> &'static str {
        "fetch_url"
    }

    fn description(&self) -> &'static str {
        "Reads the text of a web address, at most 63 KiB. HTML becomes plain text."
    }

    fn max_time(&self, _: &ToolContext) -> Duration {
        // The reader's own message is the better one.
        self.0.max_time() + Duration::from_secs(1)
    }

    async fn call(&self, arguments: FetchUrlArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let failed = |error| ToolError::failed(with_causes(&error));
        let read = self.0.read_start(&arguments.url, RemoteContent::CONVERSATION_BYTES).await;
        let read = read.and_then(|content| content.conversation_text()).map_err(failed)?;
        read.notes.into_iter().for_each(|note| cx.note(note));
        Ok(read.text)
    }
}
