//! The tools of a session. The model and the person use the same tools, under the same policy and with one audit log.

use std::{fmt, sync::Arc};

use loop_agents::{
    process::RUN_VARIABLE,
    skills::{LoadSkill, Skill, Skills},
    tools::{OriginalFiles, Toolbox},
};
use loop_guardrails::policy::{PolicySettings, audit::Audit, workspace::Workspace};
use loop_manifest::{
    ExecutionContext, ToolName,
    model::{self, ChatSetup},
    settings::Settings,
    skills,
};

use loop_telemetry::StateDir;

use crate::{
    AgreedScripts, ApprovalChannel, OpenError, SessionHost,
    jobs::{self, SessionJobs},
};

/// The tools, and the right to call them.
pub(crate) struct SessionTools {
    pub(crate) audit: Audit,
    /// The channel for questions that the policy leaves to the person.
    pub(crate) approvals: ApprovalChannel,
    /// All tools, for the person.
    pub(crate) toolbox: Toolbox,
    pub(crate) workspace: Workspace,
    /// The files that tools changed, as they were before.
    pub(crate) originals: OriginalFiles,
    /// The rules of the user's settings, which apply when a session begins.
    pub(crate) rules: PolicySettings,
    /// The skills that were found last.
    pub(crate) skills: Arc<Skills>,
    /// The scripts to which the person agreed.
    pub(crate) agreed_scripts: AgreedScripts,
    /// The skill whose turn runs now.
    pub(crate) narrowed_by: Option<Skill>,
    /// The tools that the model may call.
    pub(crate) names: Vec<ToolName>,
    /// True if the model may call tools now.
    pub(crate) are_on: bool,
    /// True if somebody named the tools when the session began.
    pub(crate) are_asked: bool,
}

impl SessionTools {
    /// Creates the tools: those of the settings, unless others are named.
    ///
    /// # Errors
    /// The folder is not usable, or there is no place for the audit log.
    pub(crate) fn new(
        asked: Option<Vec<ToolName>>,
        settings: &Settings,
        place: &ExecutionContext,
    ) -> Result<Self, OpenError> {
        let audit = model::audit(place)?;
        let workspace = model::workspace(place, settings.policy())?;
        let skills = skills::find(settings, &workspace)?.into();
        let state = StateDir::from_env_with(|name| place.variable(name))?;
        let agreed_scripts = AgreedScripts::of(&state, workspace.root())?;
        let setup = ChatSetup::new(settings, place);
        let is_in_run = place.variable(RUN_VARIABLE).is_some();
        let approvals = ApprovalChannel::new(settings.user.path.as_deref(), workspace.root(), is_in_run);
        approvals.set_approve_writes(workspace.policy().approve_writes().value);
        let originals = OriginalFiles::default();
        let toolbox = setup.toolbox(&ToolName::ALL, &workspace, &audit);
        let toolbox = toolbox.approval(approvals.of_person()).keeping(originals.clone());
        let are_asked = asked.is_some();
        let names = asked.unwrap_or_else(|| model::tools_of(settings));
        let rules = settings.user.tables.policy.clone();
        let are_on = !names.is_empty();
        Ok(Self {
            audit,
            approvals,
            toolbox,
            workspace,
            originals,
            rules,
            skills,
            agreed_scripts,
            narrowed_by: None,
            are_on,
            are_asked,
            names,
        })
    }

    /// Returns whether commands run without a check.
    pub(crate) fn are_unsafe(&self) -> bool {
        !self.workspace.policy().commands().mode().value
    }

    /// Returns the state in words.
    pub(crate) fn state(&self) -> String {
        match (self.are_on, self.names.len()) {
            (_, 0) => "there are none: the session was started without tools".to_owned(),
            (true, all) if all == ToolName::ALL.len() => "on, all of them".to_owned(),
            (true, some) => format!("on, {some} of {}", ToolName::ALL.len()),
            (false, _) => "off".to_owned(),
        }
    }

    /// Returns the tools of the model, if there are any. Unless somebody chose the tools, scheduling is among them. A model
    /// that reads files also reads skills. The turn of a skill has only the tools that the skill allows.
    pub(crate) fn of_model(
        &self,
        settings: &Settings,
        place: &ExecutionContext,
        jobs: &SessionJobs,
        host: &SessionHost,
    ) -> Option<Toolbox> {
        let setup = ChatSetup::new(settings, place);
        let toolbox = || {
            let tools = setup.toolbox(&self.names, &self.workspace, &self.audit);
            tools.approval(self.approvals.clone()).keeping(self.originals.clone())
        };
        let mut tools = self.are_on.then(toolbox)?;
        if self.names == ToolName::ALL {
            tools = jobs::with_tools(tools, jobs);
        }
        if self.names.iter().any(|name| name.as_str() == "read_file") && self.skills.all().next().is_some() {
            let (skills, host) = (LoadSkill::new(Arc::clone(&self.skills)), host.clone());
            tools = tools.with(skills.redacted(move |text| host.secrets().redact(text).into_owned()));
        }
        let Some(skill) = &self.narrowed_by else { return Some(tools) };
        let names: Vec<_> = tools.definitions().into_iter().map(|tool| tool.name).collect();
        let others = names.iter().filter(|name| !skill.allows_tool(name));
        Some(others.fold(tools, |tools, name| tools.without(name)))
    }
}

impl fmt::Debug for SessionTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTools")
            .field("names", &self.names)
            .field("are_on", &self.are_on)
            .finish_non_exhaustive()
    }
}
