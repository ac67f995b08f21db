//! The system prompt: the project's `AGENTS.md` and a description of the environment.

use loop_manifest::model::{PromptSections, project_prompt};

use super::state::Session;

impl Session {
    /// Builds the current system prompt. A prompt of the user's own (`--system`) is used unchanged.
    pub(crate) async fn system_prompt(&mut self) -> Option<String> {
        if let Some(own) = &self.dialogue.system {
            return Some(own.clone());
        }
        let (stop, now) = (self.stop(), self.host().now().into());
        let (workspace, toolbox) = (&self.tools.workspace, &self.tools.toolbox);
        tokio::select! {
            biased;
            () = stop.cancelled() => self.dialogue.chat.system_prompt().map(str::to_owned),
            prompt = project_prompt(workspace, toolbox, PromptSections::All, now) => {
                Some(self.host().secrets().redact(&prompt?).into_owned())
            }
        }
    }
}
