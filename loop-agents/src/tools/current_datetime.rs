//! Reports the time.

use async_trait::async_trait;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, ToolContext, ToolError};

/// Returns the date and the time in UTC. Models know neither.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// let report = tools.call("current_datetime", &serde_json::json!({})).await;
/// assert!(report.text.contains("UTC, unix time "), "{}", report.text);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CurrentDatetime;

/// The arguments of `current_datetime`: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurrentDatetimeArguments {}

#[async_trait]
impl Tool for CurrentDatetime {
    type Arguments = CurrentDatetimeArguments;

    fn name(&self) -> &'static str {
        "current_datetime"
    }

    fn description(&self) -> &'static str {
        "Returns the date and the time in UTC, and the seconds since 1970."
    }

    async fn call(
        &self,
        CurrentDatetimeArguments {}: CurrentDatetimeArguments,
        _cx: &ToolContext,
    ) -> Result<String, ToolError> {
        let now = Timestamp::now();
        Ok(format!("{now:.0}, UTC, unix time {}", now.as_second()))
    }
}
