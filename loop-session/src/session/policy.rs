//! The tool rules, as they change during a session.

use std::path::PathBuf;

use loop_guardrails::policy::{
    PolicySettings,
    audit::AuditFile,
    workspace::{Workspace, WorkspaceError},
};
use loop_manifest::{ToolName, model::ChatSetup};
use loop_telemetry::{StateDir, transcript::TranscriptEntry};

use super::state::Session;

/// Prepared rules, and the workspace under them.
pub(crate) struct PreparedPolicy {
    rules: PolicySettings,
    workspace: Workspace,
}

impl Session {
    /// Allows or forbids tool calls by the model. A session without tools stays without.
    pub(crate) fn allow_tools(&mut self, are_on: bool) {
        let are_on = are_on && !self.tools.names.is_empty();
        if are_on != self.tools.are_on {
            self.log.write(TranscriptEntry::ToolsChanged { on: are_on });
        }
        self.tools.are_on = are_on;
        self.rebuild_tools();
    }

    /// Adopts the tool state of another session: tools that were off in either session stay off.
    pub(crate) fn adopt_tools(&mut self, were_on: bool) {
        let are_on = self.tools.are_on && were_on;
        if are_on != were_on {
            self.log.write(TranscriptEntry::ToolsChanged { on: are_on });
        }
        self.tools.are_on = are_on;
        self.rebuild_tools();
    }

    /// Returns the file that stores the decisions.
    pub(crate) fn audit_file(&self) -> Option<PathBuf> {
        let state = StateDir::from_env_with(|name| self.context.execution.variable(name)).ok()?;
        Some(AuditFile::at(state.audit().ok()?).path())
    }

    /// Applies other rules for commands, in this session only.
    ///
    /// # Errors
    /// As for [`SessionTools::new`]; on failure the rules stay unchanged.
    pub(crate) fn change_policy(
        &mut self,
        change: impl FnOnce(&mut PolicySettings),
    ) -> Result<(), WorkspaceError> {
        let mut rules = self.context.settings.user.tables.policy.clone();
        change(&mut rules);
        let prepare_policy = self.prepare_policy(rules)?;
        self.apply_policy(prepare_policy);
        Ok(())
    }

    /// Returns the rules of the settings if others apply now, for a session that is resumed.
    ///
    /// # Errors
    /// As for [`SessionTools::new`].
    pub(crate) fn policy_of_settings(&mut self) -> Result<Option<PreparedPolicy>, WorkspaceError> {
        let rules = self.tools.rules.clone();
        (self.context.settings.user.tables.policy != rules).then(|| self.prepare_policy(rules)).transpose()
    }

    /// Prepares the workspace under other rules, which do not apply yet.
    fn prepare_policy(&mut self, rules: PolicySettings) -> Result<PreparedPolicy, WorkspaceError> {
        let before = std::mem::replace(&mut self.context.settings.user.tables.policy, rules);
        let workspace = Workspace::open(self.context.execution.folder(), self.context.settings.policy());
        let rules = std::mem::replace(&mut self.context.settings.user.tables.policy, before);
        Ok(PreparedPolicy { rules, workspace: workspace? })
    }

    /// Applies prepared rules.
    pub(crate) fn apply_policy(&mut self, PreparedPolicy { rules, workspace }: PreparedPolicy) {
        self.context.settings.user.tables.policy = rules;
        let setup = ChatSetup::new(&self.context.settings, &self.context.execution);
        let toolbox = setup.toolbox(&ToolName::ALL, &workspace, &self.tools.audit);
        self.tools.toolbox = toolbox.approval(self.tools.approvals.clone());
        self.tools.workspace = workspace;
        self.rebuild_tools();
    }

    /// Updates the tools that the model can call.
    pub(crate) fn rebuild_tools(&mut self) {
        self.dialogue.chat.set_tools(self.tools.of_model(
            &self.context.settings,
            &self.context.execution,
            &self.jobs,
        ));
    }
}
