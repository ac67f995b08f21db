//! Reports the user, the machine and the workspace.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, ToolContext, ToolError};

/// Returns the user's name, the machine's name, and the path of the workspace.
///
/// The user's name is the `USER` or `LOGNAME` that commands see, or otherwise the user's number.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let tools = Toolbox::standard(workspace).environment([("USER", "kim")], &EnvironmentPolicy::new());
/// let report = tools.call("whoami", &serde_json::json!({})).await;
/// assert!(report.text.starts_with("user: kim\n"), "{}", report.text);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Whoami;

/// The arguments of `whoami`: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhoamiArguments {}

#[async_trait]
impl Tool for Whoami {
    type Arguments = WhoamiArguments;

    fn name(&self) -> &'static str {
        "whoami"
    }

    fn description(&self) -> &'static str {
        "Returns the user's name, the machine's name, and the path of the workspace."
    }

    async fn call(&self, WhoamiArguments {}: WhoamiArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let process = cx.process();
        let name = ["USER", "LOGNAME"].iter().find_map(|name| process.env.get(name));
        let user = name.map_or_else(
            || format!("number {}", rustix::process::getuid().as_raw()),
            |name| name.to_string_lossy().into_owned(),
        );
        let system = rustix::system::uname();
        let host = system.nodename().to_string_lossy().into_owned();
        Ok(format!("user: {user}\nhost: {host}\nworkspace: {}\n", cx.workspace().root().display()))
    }
}
