//! Tools by their names, and the one way to call them.

use std::{collections::BTreeMap, ffi::OsString, fmt, sync::Arc};

use loop_guardrails::policy::{audit::Audit, environment::EnvironmentPolicy, workspace::Workspace};
use serde_json::Value;

use super::{
    Approval, CreateDir, CurrentDatetime, EditFile, FileTree, Git, ListFiles, ReadFile, RunCommand,
    SearchFiles, Tool, ToolContext, ToolDefinition, ToolError, ToolOutcome, ToolReport, Whoami, WriteFile,
    bounds, context::Deeds, record::Record, tool::AnyTool,
};
use crate::process::{Custody, Environment, Process};

/// Tools that work in one workspace, in the order of their names.
///
/// Every call is audited before it is made, and again when it has ended; a call that is refused, once. A
/// call that cannot be audited is not made.
///
/// # Default
/// Commands see no environment and are in a [`Custody`] of the toolbox; the audit is in memory; nobody is asked, and what
/// takes a person's yes is refused.
///
/// ```
/// use loop_agents::tools::Toolbox;
/// use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let tools = Toolbox::standard(workspace).environment(std::env::vars_os(), &EnvironmentPolicy::new());
///
/// let report = tools.call("write_file", &json!({ "path": "a/b.txt", "content": "hello\n" })).await;
/// assert_eq!((report.text.as_str(), report.files[0].path.as_str()), ("wrote 6 bytes to a/b.txt", "a/b.txt"));
/// let report = tools.call("run_command", &json!({ "command": "cat a/b.txt" })).await;
/// assert_eq!((report.text.as_str(), report.commands[0].exit_code), ("hello\n(exit 0)", 0));
/// # Ok(()) }
/// ```
pub struct Toolbox {
    workspace: Workspace,
    tools: BTreeMap<String, Box<dyn AnyTool>>,
    process: Process,
    audit: Audit,
    approval: Option<Arc<dyn Approval>>,
    run: Option<String>,
    iteration: Option<u64>,
}

impl Toolbox {
    /// No tools.
    pub fn new(workspace: Workspace) -> Self {
        let process = Process::shell("").dir(workspace.root()).custody(Custody::unnamed());
        let audit = Audit::new();
        Self { workspace, tools: BTreeMap::new(), process, audit, approval: None, run: None, iteration: None }
    }

    /// All of ours.
    pub fn standard(workspace: Workspace) -> Self {
        Self::new(workspace)
            .with(ReadFile)
            .with(WriteFile)
            .with(EditFile)
            .with(ListFiles)
            .with(FileTree)
            .with(SearchFiles)
            .with(RunCommand)
            .with(Git)
            .with(CreateDir)
            .with(CurrentDatetime)
            .with(Whoami)
    }

    /// Those that only look: for an agent that judges the work of another. Give it a workspace whose policy is
    /// [for reviewers](loop_guardrails::policy::ActionPolicy::reviewing), since what commands do is the policy's
    /// affair.
    pub fn reviewing(workspace: Workspace) -> Self {
        Self::new(workspace)
            .with(ReadFile)
            .with(ListFiles)
            .with(FileTree)
            .with(SearchFiles)
            .with(RunCommand)
            .with(Git)
    }

    /// Adds a tool. One of the same name is replaced.
    #[must_use]
    pub fn with(mut self, tool: impl Tool) -> Self {
        self.tools.insert(tool.name().to_owned(), Box::new(tool));
        self
    }

    /// Takes a tool away, if it is there.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.tools.remove(name);
        self
    }

    /// What commands see of these variables: of what `policy` lets a child see, what is
    /// [necessary](loop_guardrails::policy::environment::Inherit::Necessary), and what `policy` passes or the
    /// workspace's settings [name](loop_guardrails::policy::ActionPolicy::variables). `POSIXLY_CORRECT` is not among them: with
    /// it programs read their options otherwise than the policy does.
    #[must_use]
    pub fn environment<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        vars: impl IntoIterator<Item = (K, V)>,
        policy: &EnvironmentPolicy,
    ) -> Self {
        let named = self.workspace.policy().variables().iter().map(|name| name.value.clone());
        let policy = policy.clone().of_commands().pass(named);
        let seen = Environment::new().inherit(policy.split(vars).seen);
        self.process = self.process.env(seen.without("POSIXLY_CORRECT"));
        self
    }

    /// Who answers for what commands leave behind.
    #[must_use]
    pub fn custody(mut self, custody: Custody) -> Self {
        self.process = self.process.custody(custody);
        self
    }

    /// Where decisions are kept.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = audit;
        self
    }

    /// Who is asked where the policy leaves an action to a person.
    #[must_use]
    pub fn approval(mut self, approval: impl Approval) -> Self {
        self.approval = Some(Arc::new(approval));
        self
    }

    /// The run that calls are made by, for the audit.
    #[must_use]
    pub fn run(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// The iteration that calls are made by from now on, for the audit.
    pub fn set_iteration(&mut self, iteration: u64) {
        self.iteration = Some(iteration);
    }

    /// The tools, for a model's vendor, in the order of their names.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools.values().map(|tool| tool.definition()).collect()
    }

    /// Makes a call. What goes wrong is in the report, in words for the model.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the call: a command is killed at once, a search stops, and a write that has
    /// begun is still done as a whole.
    pub async fn call(&self, name: &str, arguments: &Value) -> ToolReport {
        let record = Record::new(self.audit.clone(), name, arguments).of(self.run.clone(), self.iteration);
        let cx =
            ToolContext::new(self.workspace.clone(), self.approval.clone(), self.process.clone(), record);
        let result = self.called(name, arguments, &cx).await;
        let unrecorded = cx.record().ended(&result);
        let (outcome, mut text) = match result {
            Ok(text) => (ToolOutcome::Done, text),
            Err(ToolError::Failed(text)) => (ToolOutcome::Failed, text),
            Err(ToolError::Rejected(text)) => (ToolOutcome::Rejected, text),
        };
        if let Some(problem) = unrecorded {
            // What was done cannot be undone, but is not passed over either.
            text = format!("{text}\n({problem})");
        }
        let Deeds { files, commands, notes } = cx.take_deeds();
        ToolReport { tool: name.to_owned(), outcome, text: bounds::bounded(text), files, commands, notes }
    }

    async fn called(&self, name: &str, arguments: &Value, cx: &ToolContext) -> Result<String, ToolError> {
        let Some(tool) = self.tools.get(name) else {
            let names: Vec<_> = self.tools.keys().map(String::as_str).collect();
            return Err(ToolError::rejected(format!(
                "there is no tool `{name}`; there are {}",
                names.join(", ")
            )));
        };
        tool.call_any(arguments, cx).await
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolbox")
            .field("workspace", &self.workspace)
            .field("tools", &self.tools.keys())
            .finish_non_exhaustive()
    }
}
