//! The rules for tools, as they change during a session.

use std::path::PathBuf;

use loop_guardrails::policy::{
    Settings as PolicySettings,
    audit::AuditFile,
    workspace::{Workspace, WorkspaceError},
};
use loop_manifest::{ToolName, model::ChatSetup};
use loop_telemetry::{StateDir, transcript::Entry};

use super::state::Session;

/// Rules that are about to hold, and the folder under them.
pub(crate) struct Ruled {
    rules: PolicySettings,
    workspace: Workspace,
}

impl Session {
    /// Lets the model call tools, or not. Without any it cannot.
    pub(crate) fn allow_tools(&mut self, are_on: bool) {
        let are_on = are_on && !self.tools.names.is_empty();
        if are_on != self.tools.are_on {
            self.log.write(Entry::ToolsChanged { on: are_on });
        }
        self.tools.are_on = are_on;
        self.renew_tools();
    }

    /// Goes on with the tools of another session: those that were off, here or there, stay off.
    pub(crate) fn take_over_tools(&mut self, were_on: bool) {
        let are_on = self.tools.are_on && were_on;
        if are_on != were_on {
            self.log.write(Entry::ToolsChanged { on: are_on });
        }
        self.tools.are_on = are_on;
        self.renew_tools();
    }

    /// The file in which decisions are kept.
    pub(crate) fn audit_file(&self) -> Option<PathBuf> {
        let state = StateDir::from_env_with(|name| self.context.execution.variable(name)).ok()?;
        Some(AuditFile::at(state.audit()).path())
    }

    /// Other rules hold for commands from now on, in this session alone.
    ///
    /// # Errors
    /// As for [`Tools::new`]; the rules are as they were then.
    pub(crate) fn change_policy(
        &mut self,
        change: impl FnOnce(&mut PolicySettings),
    ) -> Result<(), WorkspaceError> {
        let mut rules = self.context.settings.user.tables.policy.clone();
        change(&mut rules);
        let ruled = self.ruled(rules)?;
        self.rule(ruled);
        Ok(())
    }

    /// The rules of the settings, if others hold now: for a session that is gone on with.
    ///
    /// # Errors
    /// As for [`Tools::new`].
    pub(crate) fn rules_anew(&mut self) -> Result<Option<Ruled>, WorkspaceError> {
        let rules = self.tools.rules.clone();
        (self.context.settings.user.tables.policy != rules).then(|| self.ruled(rules)).transpose()
    }

    /// The folder under other rules, which do not hold yet.
    fn ruled(&mut self, rules: PolicySettings) -> Result<Ruled, WorkspaceError> {
        let before = std::mem::replace(&mut self.context.settings.user.tables.policy, rules);
        let workspace = Workspace::open(self.context.execution.folder(), self.context.settings.policy());
        let rules = std::mem::replace(&mut self.context.settings.user.tables.policy, before);
        Ok(Ruled { rules, workspace: workspace? })
    }

    /// Lets these rules hold.
    pub(crate) fn rule(&mut self, Ruled { rules, workspace }: Ruled) {
        self.context.settings.user.tables.policy = rules;
        let setup = ChatSetup::new(&self.context.settings, &self.context.execution);
        let toolbox = setup.toolbox(&ToolName::ALL, &workspace, &self.tools.audit);
        self.tools.toolbox = toolbox.approval(self.tools.approvals.clone());
        self.tools.workspace = workspace;
        self.renew_tools();
    }

    /// Gives the model what it can call now.
    pub(crate) fn renew_tools(&mut self) {
        self.dialogue.chat.set_tools(self.tools.of_model(
            &self.context.settings,
            &self.context.execution,
            &self.jobs,
        ));
    }
}
