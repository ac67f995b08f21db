//! What the session knows about its folder, and what it adds to prompts.

use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::StateDir;

use super::state::Session;
use crate::knowledge::{KnowledgeError, WorkspaceKnowledge};

impl Session {
    /// Returns the knowledge about the folder.
    pub(crate) fn knowledge(&self) -> Result<WorkspaceKnowledge, KnowledgeError> {
        let execution = &self.context.execution;
        let state = StateDir::from_env_with(|name| execution.variable(name))?;
        let secrets = self.host().secrets();
        WorkspaceKnowledge::new(
            &state,
            execution.folder(),
            &self.context.settings,
            secrets,
            self.host().now(),
        )
    }

    /// Lets the prompt follow what retrieval found for it. A failure is reported, and the prompt goes without.
    pub(super) async fn retrieve_for(&mut self, prompt: &str, other: Option<&Model>) {
        let window = other.or(self.dialogue.model.as_ref()).and_then(Model::window);
        let found = match self.knowledge() {
            Ok(known) => known.for_prompt(prompt, window).await,
            Err(error) => Err(error),
        };
        let found = found.unwrap_or_else(|error| {
            self.warn(&format!("the prompt goes without documents: {}", with_causes(&error)));
            Default::default()
        });
        self.dialogue.chat.set_context(found.block);
        if let Some(remark) = found.remark
            && !std::mem::replace(&mut self.dialogue.told_full_text, true)
        {
            self.warn(&remark);
        }
    }
}
