//! What the model can call in a session, and what the person can: the same tools, under the same policy and in one
//! audit.

use std::{fmt, path::PathBuf, time::Duration};

use loop_agents::tools::{ToolOutcome, ToolReport, Toolbox};
use loop_guardrails::policy::{
    Settings as PolicySettings,
    audit::{Audit, AuditFile},
    workspace::Workspace,
};
use loop_telemetry::{StateDir, transcript::Entry};
use serde_json::Value;
use tokio::time::timeout;

use super::{
    Interrupted, Session,
    approval::Approvals,
    jobs::{self, SessionJobs},
};
use loop_manifest::{
    ExecutionContext, ToolName,
    model::{self, ChatSetup},
    settings::Settings,
};

/// The exit code of what Ctrl+C ended, as shells show it. A command that has not left our process group yet hears of it
/// when we do, and may be quicker.
const BY_CTRL_C: i32 = 130;

/// How long we may take to hear of it then.
const HEARD: Duration = Duration::from_millis(200);

/// Tools, and who may call them.
pub(crate) struct Tools {
    pub(super) audit: Audit,
    /// Where the person is asked what the policy leaves to them.
    pub(super) approvals: Approvals,
    /// All of them, for the person.
    toolbox: Toolbox,
    pub(super) workspace: Workspace,
    /// The rules of the user's settings, with which each session begins.
    pub(super) rules: PolicySettings,
    /// What the model may call.
    pub(super) names: Vec<ToolName>,
    /// Whether it may call anything now.
    pub(super) are_on: bool,
    /// Somebody named them when the session began.
    pub(super) are_asked: bool,
}

/// Rules that are about to hold, and the folder under them.
pub(super) struct Ruled {
    rules: PolicySettings,
    workspace: Workspace,
}

impl Tools {
    /// Those of the settings, unless others are named.
    ///
    /// # Errors
    /// A folder that cannot be worked in, and no place for the audit.
    pub(super) fn new(
        asked: Option<Vec<ToolName>>,
        settings: &Settings,
        place: &ExecutionContext,
    ) -> anyhow::Result<Self> {
        let audit = model::audit(place)?;
        let workspace = model::workspace(place, settings.policy())?;
        let setup = ChatSetup::new(settings, place);
        let approvals = Approvals::default();
        let toolbox = setup.toolbox(&ToolName::ALL, &workspace, &audit).approval(approvals.clone());
        let are_asked = asked.is_some();
        let names = asked.unwrap_or_else(|| model::tools_of(settings));
        let rules = settings.user.tables.policy.clone();
        Ok(Self { audit, approvals, toolbox, workspace, rules, are_on: !names.is_empty(), are_asked, names })
    }

    /// Whether commands are not looked at.
    pub(super) fn are_unsafe(&self) -> bool {
        !self.workspace.policy().commands().mode().value
    }

    /// How things stand, in words.
    pub(super) fn state(&self) -> String {
        match (self.are_on, self.names.len()) {
            (_, 0) => "there are none: it was begun without".to_owned(),
            (true, all) if all == ToolName::ALL.len() => "on, all of them".to_owned(),
            (true, some) => format!("on, {some} of {}", ToolName::ALL.len()),
            (false, _) => "off".to_owned(),
        }
    }

    /// What the model can call, if that is anything. Where nobody has chosen among the tools, it can schedule too.
    fn of_model(&self, settings: &Settings, place: &ExecutionContext, jobs: &SessionJobs) -> Option<Toolbox> {
        let setup = ChatSetup::new(settings, place);
        let toolbox = || {
            let tools = setup.toolbox(&self.names, &self.workspace, &self.audit);
            tools.approval(self.approvals.clone())
        };
        let tools = self.are_on.then(toolbox)?;
        Some(if self.names == ToolName::ALL { jobs::with_tools(tools, jobs) } else { tools })
    }
}

impl Session {
    /// Calls a tool for the person; its report is in words.
    ///
    /// # Errors
    /// What the policy said, what went wrong, or [`Interrupted`].
    pub(super) async fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<ToolReport> {
        let stop = self.stop();
        let report = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(Interrupted.into()),
            report = self.tools.toolbox.call(tool, arguments) => report,
        };
        let by_ctrl_c = report.commands.last().is_some_and(|run| run.exit_code == BY_CTRL_C);
        if by_ctrl_c && timeout(HEARD, stop.cancelled()).await.is_ok() {
            return Err(Interrupted.into());
        }
        match report.outcome {
            ToolOutcome::Done => Ok(report),
            ToolOutcome::Failed | ToolOutcome::Rejected => Err(anyhow::Error::msg(report.text)),
        }
    }

    /// Lets the model call tools, or not. Without any it cannot.
    pub(super) fn allow_tools(&mut self, are_on: bool) {
        let are_on = are_on && !self.tools.names.is_empty();
        if are_on != self.tools.are_on {
            self.log.write(Entry::ToolsChanged { on: are_on });
        }
        self.tools.are_on = are_on;
        self.renew_tools();
    }

    /// Goes on with the tools of another session: those that were off, here or there, stay off.
    pub(super) fn take_over_tools(&mut self, were_on: bool) {
        let are_on = self.tools.are_on && were_on;
        if are_on != were_on {
            self.log.write(Entry::ToolsChanged { on: are_on });
        }
        self.tools.are_on = are_on;
        self.renew_tools();
    }

    /// The file in which decisions are kept.
    pub(super) fn audit_file(&self) -> Option<PathBuf> {
        let state = StateDir::from_env_with(|name| self.place.variable(name)).ok()?;
        Some(AuditFile::at(state.audit()).path())
    }

    /// Other rules hold for commands from now on, in this session alone.
    ///
    /// # Errors
    /// As for [`Tools::new`]; the rules are as they were then.
    pub(super) fn change_policy(&mut self, change: impl FnOnce(&mut PolicySettings)) -> anyhow::Result<()> {
        let mut rules = self.settings.user.tables.policy.clone();
        change(&mut rules);
        let ruled = self.ruled(rules)?;
        self.rule(ruled);
        Ok(())
    }

    /// The rules of the settings, if others hold now: for a session that is gone on with.
    ///
    /// # Errors
    /// As for [`Tools::new`].
    pub(super) fn rules_anew(&mut self) -> anyhow::Result<Option<Ruled>> {
        let rules = self.tools.rules.clone();
        (self.settings.user.tables.policy != rules).then(|| self.ruled(rules)).transpose()
    }

    /// The folder under other rules, which do not hold yet.
    fn ruled(&mut self, rules: PolicySettings) -> anyhow::Result<Ruled> {
        let before = std::mem::replace(&mut self.settings.user.tables.policy, rules);
        let workspace = Workspace::open(self.place.folder(), self.settings.policy());
        let rules = std::mem::replace(&mut self.settings.user.tables.policy, before);
        Ok(Ruled { rules, workspace: workspace? })
    }

    /// Lets these rules hold.
    pub(super) fn rule(&mut self, Ruled { rules, workspace }: Ruled) {
        self.settings.user.tables.policy = rules;
        let setup = ChatSetup::new(&self.settings, &self.place);
        let toolbox = setup.toolbox(&ToolName::ALL, &workspace, &self.tools.audit);
        self.tools.toolbox = toolbox.approval(self.tools.approvals.clone());
        self.tools.workspace = workspace;
        self.renew_tools();
    }

    /// Gives the model what it can call now.
    pub(super) fn renew_tools(&mut self) {
        self.chat.set_tools(self.tools.of_model(&self.settings, &self.place, &self.jobs));
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tools")
            .field("names", &self.names)
            .field("are_on", &self.are_on)
            .finish_non_exhaustive()
    }
}
