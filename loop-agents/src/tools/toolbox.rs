//! Tools by their names, and the only way to call them.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use loop_guardrails::policy::{audit::Audit, environment::EnvironmentPolicy, workspace::Workspace};
use serde_json::Value;

use super::{
    AfterWrite, Approval, CreateDir, CurrentDatetime, EditFile, FileTree, FormatOutcome, Git, ListFiles,
    OriginalFiles, ReadFile, RunCommand, SearchFiles, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutcome, ToolReport, Whoami, WriteFile, audit_record::AuditRecord, context::CallEffects,
    live_output::LiveOutput, report, size_limits, tool::AnyTool,
};
use crate::process::{Environment, Process, Supervisor};

/// A set of tools for one workspace, sorted by name.
///
/// The toolbox audits every call before it and after it, and a refused call once. It does not make a call that it
/// cannot audit.
///
/// # Default
/// Commands get an empty environment and run under a [`Supervisor`] of the toolbox, without a sandbox. The audit is in memory. There is
/// nobody to ask, so the toolbox refuses every action that needs a person's permission.
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
    #[cfg(feature = "sandbox")]
    sandbox: Option<super::CommandSandbox>,
    audit: Audit,
    approval: Option<Arc<dyn Approval>>,
    originals: Option<OriginalFiles>,
    after_write: Option<AfterWrite>,
    max_output: usize,
    run: Option<String>,
    iteration: Option<u64>,
    on_call: Option<Arc<CallListener>>,
}

type CallListener = dyn Fn(&ToolReport, Duration) + Send + Sync;

impl Toolbox {
    /// Creates a toolbox without tools.
    pub fn new(workspace: Workspace) -> Self {
        let process = Process::shell("").dir(workspace.root()).supervisor(Supervisor::unnamed());
        let audit = Audit::new();
        Self {
            workspace,
            tools: BTreeMap::new(),
            process,
            #[cfg(feature = "sandbox")]
            sandbox: None,
            audit,
            approval: None,
            originals: None,
            after_write: None,
            max_output: size_limits::MAX_OUTPUT_BYTES,
            run: None,
            iteration: None,
            on_call: None,
        }
    }

    /// Creates a toolbox with all built-in tools.
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

    /// Creates a toolbox with read-only tools, for an agent that judges another agent's work. Give it a workspace whose
    /// policy is [for reviewers](loop_guardrails::policy::ActionPolicy::reviewing), because only the policy restricts
    /// what commands do.
    pub fn reviewing(workspace: Workspace) -> Self {
        Self::new(workspace)
            .with(ReadFile)
            .with(ListFiles)
            .with(FileTree)
            .with(SearchFiles)
            .with(RunCommand)
            .with(Git)
    }

    /// Adds a tool, and replaces one of the same name.
    #[must_use]
    pub fn with(mut self, tool: impl Tool) -> Self {
        self.tools.insert(tool.name().to_owned(), Box::new(tool));
        self
    }

    /// Removes a tool, if it exists.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.tools.remove(name);
        self
    }

    /// Sets the environment of commands from these variables. Commands get the
    /// [necessary](loop_guardrails::policy::environment::Inheritance::Necessary) ones among those that `policy` lets a
    /// child see, and those that `policy` passes or the workspace's settings
    /// [name](loop_guardrails::policy::ActionPolicy::variables). They never get `POSIXLY_CORRECT`, because with it
    /// programs would parse their options differently from the policy.
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

    /// Sets the supervisor that ends the processes which commands leave behind.
    #[must_use]
    pub fn supervisor(mut self, supervisor: Supervisor) -> Self {
        self.process = self.process.supervisor(supervisor);
        self
    }

    /// Runs commands inside this sandbox.
    #[cfg(feature = "sandbox")]
    #[must_use]
    pub fn sandbox(mut self, sandbox: super::CommandSandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Sets the audit that records decisions.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = audit;
        self
    }

    /// Sets the approval that asks a person if the policy requires it.
    #[must_use]
    pub fn approval(mut self, approval: impl Approval) -> Self {
        self.approval = Some(Arc::new(approval));
        self
    }

    /// Formats and examines files after a tool wrote them. Default: nothing happens.
    #[must_use]
    pub fn after_write(mut self, after: AfterWrite) -> Self {
        self.after_write = Some(after);
        self
    }

    /// Sets the most bytes of a result, from [`MIN_OUTPUT_BYTES`](super::MIN_OUTPUT_BYTES) to the default,
    /// [`MAX_OUTPUT_BYTES`](super::MAX_OUTPUT_BYTES). The middle of a longer result is left out.
    #[must_use]
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes.clamp(size_limits::MIN_OUTPUT_BYTES, size_limits::MAX_OUTPUT_BYTES);
        self
    }

    /// Keeps files there as they were before a tool changes them.
    #[must_use]
    pub fn keeping(mut self, originals: OriginalFiles) -> Self {
        self.originals = Some(originals);
        self
    }

    /// Returns the workspace.
    pub const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Sets the run that the audit records for calls.
    #[must_use]
    pub fn run(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// Calls `listener` after each call, with how long it took.
    #[must_use]
    pub fn on_call(mut self, listener: impl Fn(&ToolReport, Duration) + Send + Sync + 'static) -> Self {
        self.on_call = Some(Arc::new(listener));
        self
    }

    /// Sets the iteration that the audit records for calls from now on.
    pub fn set_iteration(&mut self, iteration: u64) {
        self.iteration = Some(iteration);
    }

    /// Returns the definitions of the tools for a model's vendor, sorted by name.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools.values().map(|tool| tool.definition()).collect()
    }

    /// Makes a call. The report contains errors, too, with texts for the model.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the call: a command is killed at once, a search stops, and a write that has begun still
    /// finishes completely.
    pub async fn call(&self, name: &str, arguments: &Value) -> ToolReport {
        self.call_showing(name, arguments, LiveOutput::default()).await
    }

    /// Makes a call like [`call`](Self::call), and hands the output of a command that a person allowed to `on_output`
    /// while the command runs. Of much output at once only the newest 8 KiB arrive.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// That of [`call`](Self::call).
    pub async fn call_watched(
        &self,
        name: &str,
        arguments: &Value,
        mut on_output: impl FnMut(&[u8]),
    ) -> ToolReport {
        let output = LiveOutput::default();
        let mut call = pin!(self.call_showing(name, arguments, output.clone()));
        loop {
            tokio::select! {
                biased;
                report = &mut call => return report,
                bytes = output.next() => on_output(&bytes),
            }
        }
    }

    async fn call_showing(&self, name: &str, arguments: &Value, output: LiveOutput) -> ToolReport {
        let begun = Instant::now();
        let cx = self.context(name, arguments, output.clone()).keeping(self.originals.clone());
        let mut result = self.called(name, arguments, &cx).await;
        let (written, mut commands_after) = (cx.changed_files(), Vec::new());
        if let (Ok(text), Some(after), false) = (&mut result, &self.after_write, written.is_empty()) {
            // A person approved the call itself, and no other change of a guarded file.
            let after_cx = self.context(name, &Value::Null, output);
            text.push_str(&after.run(&written, &after_cx).await);
            let effects = after_cx.take_effects();
            commands_after = effects.commands;
            cx.lacks(effects.unenforced);
        }
        let unrecorded = cx.record().ended(&result);
        let (outcome, mut text) = match result {
            Ok(text) => (ToolOutcome::Done, text),
            Err(ToolError::Failed(text)) => (ToolOutcome::Failed, text),
            Err(ToolError::Rejected(text)) => (ToolOutcome::Rejected, text),
        };
        if let Some(problem) = unrecorded {
            // The call's effects remain, so the text reports the problem in addition to the result.
            text = format!("{text}\n({problem})");
        }
        let CallEffects { files, mut commands, notes, unenforced, refused } = cx.take_effects();
        commands.extend(commands_after);
        text.push_str(&report::unenforced_notices(&unenforced));
        let (tool, text) = (name.to_owned(), size_limits::bounded(text, self.max_output));
        let report = ToolReport { tool, outcome, text, files, commands, notes, unenforced, refused };
        if let Some(listener) = &self.on_call {
            listener(&report, begun.elapsed());
        }
        report
    }

    /// Formats a file of the workspace, also if [`AfterWrite::formats`] is off. Without [`after_write`](Self::after_write)
    /// there are no formatters.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the formatter, and the file stays as it was or is formatted completely.
    pub async fn format(&self, path: &str) -> FormatOutcome {
        let Some(after) = &self.after_write else { return FormatOutcome::NoFormatter };
        after.format(path, &self.context("format", &Value::Null, LiveOutput::default())).await
    }

    /// Creates the context of a call.
    fn context(&self, name: &str, arguments: &Value, output: LiveOutput) -> ToolContext {
        let record =
            AuditRecord::new(self.audit.clone(), name, arguments).of(self.run.clone(), self.iteration);
        let cx =
            ToolContext::new(self.workspace.clone(), self.approval.clone(), self.process.clone(), record)
                .showing(output);
        #[cfg(feature = "sandbox")]
        let cx = cx.confining(self.sandbox.clone());
        cx
    }

    async fn called(&self, name: &str, arguments: &Value, cx: &ToolContext) -> Result<String, ToolError> {
        let Some(tool) = self.tools.get(name) else {
            let names: Vec<_> = self.tools.keys().map(String::as_str).collect();
            return Err(ToolError::rejected(format!(
                "there is no tool `{name}`; the tools are {}",
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
