//! The system prompt: the project's `AGENTS.md`, a description of the environment and the list of skills.

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
        let prompt = tokio::select! {
            biased;
            () = stop.cancelled() => return self.dialogue.chat.system_prompt().map(str::to_owned),
            prompt = project_prompt(workspace, toolbox, PromptSections::All, now) => prompt,
        };
        let prompt = prompt.unwrap_or_default() + &self.skill_catalogue();
        // Names of files and the project's own text may hold secrets.
        let prompt = self.host().secrets().redact(&prompt).into_owned();
        Some(prompt).filter(|prompt| !prompt.is_empty())
    }
}
