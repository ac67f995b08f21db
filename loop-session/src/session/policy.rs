//! The tool rules, as they change during a session.

use std::path::PathBuf;

use loop_core::with_causes;
use loop_guardrails::policy::{
    Origin, PolicySettings, WithOrigin,
    audit::AuditFile,
    command::CommandPrefix,
    workspace::{Workspace, WorkspaceError},
};
use loop_manifest::{ToolName, model::ChatSetup, settings::CommandRule};
use loop_telemetry::{StateDir, transcript::TranscriptEntry};

use super::state::Session;
use crate::approval_channel::Grant;

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

    /// Allows or forbids commands with these leading words, and takes back the opposite. A rule that is kept also holds
    /// after the session's own rules are reset.
    ///
    /// # Errors
    /// As for [`SessionTools::new`]; on failure the rules stay unchanged.
    pub(crate) fn change_command_rule(
        &mut self,
        rule: CommandRule,
        entry: &WithOrigin<CommandPrefix>,
        is_kept: bool,
    ) -> Result<(), WorkspaceError> {
        let change = |policy: &mut PolicySettings| {
            let (list, other) = match rule {
                CommandRule::Allow => (&mut policy.allow, &mut policy.forbid),
                CommandRule::Forbid => (&mut policy.forbid, &mut policy.allow),
            };
            other.retain(|own| own.value != entry.value);
            list.push(entry.clone());
        };
        self.change_policy(change)?;
        if is_kept {
            change(&mut self.tools.rules);
        }
        Ok(())
    }

    /// Restores the settings' rules for commands, and forgets what the person answered.
    ///
    /// # Errors
    /// As for [`SessionTools::new`]; on failure the rules stay unchanged.
    pub(crate) fn reset_command_rules(&mut self) -> Result<(), WorkspaceError> {
        let rules = self.tools.rules.clone();
        self.change_policy(|policy| {
            (policy.safe_mode, policy.allow, policy.forbid) = (rules.safe_mode, rules.allow, rules.forbid);
        })?;
        self.tools.approvals.forget();
        Ok(())
    }

    /// Adds what the person allowed while tools asked to the rules, for later turns and loops of this session.
    pub(crate) fn adopt_grants(&mut self) {
        let grants = self.tools.approvals.take_grants();
        if grants.is_empty() {
            return;
        }
        let entry = |grant: &Grant| {
            let said = if grant.is_kept { "your answer, kept in your settings" } else { "your answer" };
            WithOrigin::new(grant.entry.clone(), Origin::Session(said.to_owned()))
        };
        self.tools.rules.allow.extend(grants.iter().filter(|grant| grant.is_kept).map(entry));
        let changed = self.change_policy(|policy| policy.allow.extend(grants.iter().map(entry)));
        if let Err(error) = changed {
            self.warn(&with_causes(&error));
        }
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
        let toolbox = toolbox.approval(self.tools.approvals.of_person());
        self.tools.toolbox = toolbox.keeping(self.tools.originals.clone());
        self.tools.approvals.set_approve_writes(workspace.policy().approve_writes().value);
        self.tools.workspace = workspace;
        self.rebuild_tools();
    }

    /// Updates the tools that the model can call.
    pub(crate) fn rebuild_tools(&mut self) {
        self.dialogue.chat.set_tools(self.tools.of_model(
            &self.context.settings,
            &self.context.execution,
            &self.jobs,
            &self.context.host,
        ));
    }
}
