//! The interface of a tool.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::time::timeout;

use super::{Need, ProposedChange, ToolContext, ToolError, arguments};

/// The default time limit of a call: 30 seconds.
pub const DEFAULT_TOOL_TIME: Duration = Duration::from_secs(30);

/// A tool that a model can call.
///
/// Tools access files and commands only through the [context](ToolContext), which applies the policy. When the time is
/// over or the run ends, the toolbox may drop a call at any of its awaits. Calls may run at the same time.
///
/// ```
/// use async_trait::async_trait;
/// use loop_agents::tools::{Need, Tool, ToolContext, ToolError, Toolbox};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// struct CountLines;
///
/// #[derive(Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct Arguments {
///     /// The file, relative to the workspace.
///     path: String,
/// }
///
/// #[async_trait]
/// impl Tool for CountLines {
///     type Arguments = Arguments;
///     fn name(&self) -> &str { "count_lines" }
///     fn description(&self) -> &str { "Counts the lines of a file." }
///     fn needs(&self, arguments: &Arguments) -> Vec<Need> { vec![Need::read(&arguments.path)] }
///     async fn call(&self, arguments: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
///         let file = cx.workspace().read(&arguments.path)?.file;
///         let text = std::io::read_to_string(file).map_err(|error| ToolError::failed(error.to_string()))?;
///         Ok(text.lines().count().to_string())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("poem"), "two\nlines\n")?;
/// let tools = Toolbox::new(Workspace::open(folder.path(), ActionPolicy::default())?).with(CountLines);
/// let report = tools.call("count_lines", &serde_json::json!({ "path": "poem" })).await;
/// assert_eq!(report.text, "2");
/// # Ok(()) }
/// ```
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// The type of its arguments. Calls whose arguments do not fit the schema do not reach the tool.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    /// Returns the name by which a model calls it: letters, digits and `_`.
    fn name(&self) -> &str;

    /// Describes the tool for the model: when to use it, and what it returns.
    fn description(&self) -> &str;

    /// Lists the actions of the call that a policy can refuse, so that the toolbox refuses the call before it does
    /// anything, and the audit records the refusal. Nothing by default. The policy still refuses a missing entry, but
    /// only when the call attempts the action.
    fn needs(&self, _arguments: &Self::Arguments) -> Vec<Need> {
        Vec::new()
    }

    /// Returns what the call would change. The policy judges the new text before the call does anything, and a person
    /// can be asked about it. By default it returns nothing, and the toolbox refuses a call that needs a person's yes.
    fn change(&self, _arguments: &Self::Arguments) -> Option<ProposedChange> {
        None
    }

    /// Returns how long a call may take; [`DEFAULT_TOOL_TIME`] by default.
    fn max_time(&self, _cx: &ToolContext) -> Duration {
        DEFAULT_TOOL_TIME
    }

    /// Makes the call, and returns the text for the model.
    ///
    /// # Errors
    /// [`ToolError`], whose text the model reads instead.
    async fn call(&self, arguments: Self::Arguments, cx: &ToolContext) -> Result<String, ToolError>;
}

/// The description of a tool for a model's vendor.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The tool's name.
    pub name: String,
    /// The description of what it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// A tool with an erased argument type.
#[async_trait]
pub(super) trait AnyTool: Send + Sync {
    fn definition(&self) -> ToolDefinition;
    async fn call_any(&self, arguments: &Value, cx: &ToolContext) -> Result<String, ToolError>;
}

#[async_trait]
impl<T: Tool> AnyTool for T {
    fn definition(&self) -> ToolDefinition {
        let (name, description) = (self.name().to_owned(), self.description().to_owned());
        ToolDefinition { name, description, parameters: arguments::schema::<T::Arguments>() }
    }

    async fn call_any(&self, arguments: &Value, cx: &ToolContext) -> Result<String, ToolError> {
        let arguments = arguments::read(self.name(), arguments)?;
        let limit = self.max_time(cx);
        let late = || {
            let name = self.name();
            ToolError::failed(format!("{name} did not end within {limit:?}; ask for less at a time"))
        };
        let judged = cx.judge(self.needs(&arguments), self.change(&arguments));
        let question = timeout(limit, judged).await.unwrap_or_else(|_| Err(late()))?;
        if let Some(question) = question {
            // No time limit applies while a person decides.
            cx.ask(question, self.change(&arguments)).await?;
        }
        cx.record().allowed()?;
        let call = async {
            cx.keep_original(self.change(&arguments)).await?;
            self.call(arguments, cx).await
        };
        timeout(limit, call).await.unwrap_or_else(|_| Err(late()))
    }
}
