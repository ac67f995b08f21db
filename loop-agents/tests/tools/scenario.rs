//! A test folder with tools.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use loop_agents::tools::{Approval, ToolOutcome, ToolReport, Toolbox};
use loop_guardrails::policy::{
    ActionPolicy, Origin, PolicySettings, WithOrigin, audit::Audit, environment::EnvironmentPolicy,
    workspace::Workspace,
};
use serde_json::Value;

pub(crate) struct Scenario {
    folder: tempfile::TempDir,
    /// The workspace within that folder.
    root: &'static str,
    pub(crate) tools: Toolbox,
    pub(crate) audit: Audit,
}

impl Scenario {
    pub(crate) fn new() -> Self {
        Self::with(PolicySettings::default())
    }

    /// Creates a scenario whose settings allow these programs as well.
    pub(crate) fn allowing(programs: &[&str]) -> Self {
        let mut settings = PolicySettings::default();
        settings.allow =
            programs.iter().map(|name| WithOrigin::new(name.parse().unwrap(), Origin::BuiltIn)).collect();
        Self::with(settings)
    }

    pub(crate) fn with(settings: PolicySettings) -> Self {
        Self::at_root("work", settings)
    }

    /// Creates a scenario whose workspace is this folder. With the feature `sandbox`, commands run in one.
    pub(crate) fn at_root(root: &'static str, settings: PolicySettings) -> Self {
        let scenario = Self::unconfined_at(root, settings);
        #[cfg(feature = "sandbox")]
        let scenario = {
            let folders = loop_agents::process::sandbox::UserFolders::of(|name| std::env::var_os(name));
            let sandbox = loop_agents::tools::CommandSandbox::new(folders);
            Self { tools: scenario.tools.sandbox(sandbox), ..scenario }
        };
        scenario
    }

    /// Creates a scenario whose commands run under the rules for commands alone.
    #[cfg(feature = "sandbox")]
    pub(crate) fn unconfined() -> Self {
        Self::unconfined_at("work", PolicySettings::default())
    }

    fn unconfined_at(root: &'static str, settings: PolicySettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let policy = ActionPolicy::new(settings, PolicySettings::default());
        fs::create_dir_all(folder.path().join(root)).unwrap();
        let workspace = Workspace::open(folder.path().join(root), policy).unwrap();
        let audit = Audit::new();
        let vars = [
            ("PATH", std::env::var("PATH").unwrap()),
            ("LC_ALL", "C".into()),
            ("MY_TOKEN", "hunter2".into()),
        ];
        let tools =
            Toolbox::standard(workspace).environment(vars, &EnvironmentPolicy::new()).audit(audit.clone());
        Self { folder, root, tools, audit }
    }

    pub(crate) fn with_approval(self, approval: impl Approval) -> Self {
        Self { tools: self.tools.approval(approval), ..self }
    }

    /// Adds these folders to the front of the search path for programs.
    pub(crate) fn path_before(self, folders: &[PathBuf]) -> Self {
        let usual = std::env::var_os("PATH").unwrap();
        let path =
            std::env::join_paths(folders.iter().cloned().chain(std::env::split_paths(&usual))).unwrap();
        let tools = self.tools.environment([("PATH", path)], &EnvironmentPolicy::new());
        Self { tools, ..self }
    }

    /// Returns a path in the workspace.
    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(self.root).join(path)
    }

    /// Returns a path outside of the workspace, next to it.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), content).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// Runs git as the owner of the repository.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=kim", "-c", "user.email=kim@example.org"];
        let mut git = Command::new("git");
        let output = git.current_dir(self.at("")).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolReport {
        self.tools.call(tool, &arguments).await
    }

    /// Makes a call that must succeed, and returns its answer.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> String {
        let report = self.call(tool, arguments).await;
        assert_eq!(report.outcome, ToolOutcome::Done, "{}", report.text);
        report.text
    }

    /// Makes a call that must be rejected, and returns the reason.
    pub(crate) async fn rejected(&self, tool: &str, arguments: Value) -> String {
        let report = self.call(tool, arguments).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{}", report.text);
        assert!(report.files.is_empty() && report.commands.is_empty());
        report.text
    }
}
