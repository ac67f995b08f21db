//! The knowledge of the session about its folder, and the documents that it adds to prompts.

use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::StateDir;

use super::state::Session;
use crate::{
    InputError,
    knowledge::{KnowledgeError, WorkspaceKnowledge},
};

impl Session {
    /// Returns the knowledge about the folder.
    pub(crate) fn knowledge(&self) -> Result<WorkspaceKnowledge, KnowledgeError> {
        let execution = &self.context.execution;
        let state = StateDir::from_env_with(|name| execution.variable(name))?;
        let (settings, variables) = (&self.context.settings, execution.variables());
        let (secrets, now) = (self.host().secrets(), self.host().now());
        WorkspaceKnowledge::new(&state, execution.folder(), settings, variables, secrets, now)
    }

    /// Lets the prompt follow what retrieval found for it. A failure is reported, and the prompt goes without.
    ///
    /// # Errors
    /// The person interrupted it.
    pub(super) async fn retrieve_for(
        &mut self,
        prompt: &str,
        other: Option<&Model>,
    ) -> Result<(), InputError> {
        let window = other.or(self.dialogue.model.as_ref()).and_then(Model::window);
        let (known, stop) = (self.knowledge(), self.stop());
        let retrieve = async { known?.for_prompt(prompt, window).await };
        let found = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            found = retrieve => found,
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
        Ok(())
    }
}
