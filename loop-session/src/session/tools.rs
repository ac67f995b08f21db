//! What the model can call in a session, and what the person can: the same tools, under the same policy and in one
//! audit.

use std::fmt;

use loop_agents::tools::Toolbox;
use loop_guardrails::policy::{Settings as PolicySettings, audit::Audit, workspace::Workspace};
use loop_manifest::{
    ExecutionContext, ToolName, ToolsError,
    model::{self, ChatSetup},
    settings::Settings,
};

use crate::{
    Approvals,
    jobs::{self, SessionJobs},
};

/// Tools, and who may call them.
pub(crate) struct Tools {
    pub(crate) audit: Audit,
    /// Where the person is asked what the policy leaves to them.
    pub(crate) approvals: Approvals,
    /// All of them, for the person.
    pub(crate) toolbox: Toolbox,
    pub(crate) workspace: Workspace,
    /// The rules of the user's settings, with which each session begins.
    pub(crate) rules: PolicySettings,
    /// What the model may call.
    pub(crate) names: Vec<ToolName>,
    /// Whether it may call anything now.
    pub(crate) are_on: bool,
    /// Somebody named them when the session began.
    pub(crate) are_asked: bool,
}

impl Tools {
    /// Those of the settings, unless others are named.
    ///
    /// # Errors
    /// A folder that cannot be worked in, and no place for the audit.
    pub(crate) fn new(
        asked: Option<Vec<ToolName>>,
        settings: &Settings,
        place: &ExecutionContext,
    ) -> Result<Self, ToolsError> {
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
    pub(crate) fn are_unsafe(&self) -> bool {
        !self.workspace.policy().commands().mode().value
    }

    /// How things stand, in words.
    pub(crate) fn state(&self) -> String {
        match (self.are_on, self.names.len()) {
            (_, 0) => "there are none: it was begun without".to_owned(),
            (true, all) if all == ToolName::ALL.len() => "on, all of them".to_owned(),
            (true, some) => format!("on, {some} of {}", ToolName::ALL.len()),
            (false, _) => "off".to_owned(),
        }
    }

    /// What the model can call, if that is anything. Where nobody has chosen among the tools, it can schedule too.
    pub(crate) fn of_model(
        &self,
        settings: &Settings,
        place: &ExecutionContext,
        jobs: &SessionJobs,
    ) -> Option<Toolbox> {
        let setup = ChatSetup::new(settings, place);
        let toolbox = || {
            let tools = setup.toolbox(&self.names, &self.workspace, &self.audit);
            tools.approval(self.approvals.clone())
        };
        let tools = self.are_on.then(toolbox)?;
        Some(if self.names == ToolName::ALL { jobs::with_tools(tools, jobs) } else { tools })
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
