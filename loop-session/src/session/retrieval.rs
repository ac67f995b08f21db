//! The knowledge of the session about its folder, and the documents that it adds to prompts.

use loop_core::with_causes;
use loop_knowledge::recall::{self, Recalled};
use loop_manifest::model::Model;
use loop_telemetry::{
    StateDir,
    transcript::{RecalledItem, TranscriptEntry},
};

use super::state::Session;
use crate::{
    InputError,
    knowledge::{KnowledgeError, RecallRequest, WorkspaceKnowledge},
};

impl Session {
    /// Returns the knowledge about the folder.
    pub(crate) fn knowledge(&self) -> Result<WorkspaceKnowledge, KnowledgeError> {
        let execution = &self.context.execution;
        let state = StateDir::from_env_with(|name| execution.variable(name))?;
        let (settings, variables) = (&self.context.settings, execution.variables());
        let (secrets, now) = (self.host().secrets(), self.host().now());
        let known = WorkspaceKnowledge::new(&state, execution.folder(), settings, variables, secrets, now)?;
        Ok(known.with_debug_log(execution.debug_log().cloned()))
    }

    /// Returns the knowledge about the folder, with the programs that read PDF files and files of other machines.
    pub(crate) fn knowledge_with_programs(&self) -> Result<WorkspaceKnowledge, KnowledgeError> {
        self.knowledge()?.with_programs(&self.context.settings, &self.context.execution)
    }

    /// Lets the prompt follow what retrieval found for it, within the budget of recall, of which `used` tokens are spent. A
    /// failure is reported, and the prompt goes without.
    ///
    /// # Errors
    /// The person interrupted it.
    pub(super) async fn retrieve_for(
        &mut self,
        prompt: &str,
        other: Option<&Model>,
        used: u64,
    ) -> Result<(), InputError> {
        let window = other.or(self.dialogue.model.as_ref()).and_then(Model::window);
        let (known, stop) = (self.knowledge(), self.stop());
        let retrieve = async { known?.for_prompt(prompt, window, used).await };
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
        if let Some((store, items)) = found.found {
            self.log.write(TranscriptEntry::Recalled { store: Some(store), items });
        }
        if let Some(remark) = found.remark
            && !std::mem::replace(&mut self.dialogue.told_full_text, true)
        {
            self.warn(&remark);
        }
        Ok(())
    }

    /// Begins the conversation with what earlier work taught about the first prompt, while a person is there. A failure
    /// is reported, and the conversation goes without. Returns the tokens of what was recalled.
    pub(super) async fn recall_at_start(&mut self, prompt: &str) -> u64 {
        if !self.tools.approvals.is_open() || !std::mem::take(&mut self.dialogue.needs_memories) {
            return 0;
        }
        let rules = self.context.settings.memory();
        if !(rules.is_enabled && rules.injects_on_start) {
            return 0;
        }
        self.recall(prompt, false).await.unwrap_or_else(|error| {
            self.warn(&format!("the conversation goes without memories: {}", with_causes(&error)));
            0
        })
    }

    /// Puts what is known about a text into the conversation. Returns its tokens: 0 if nothing is known.
    pub(crate) async fn recall(&mut self, text: &str, documents: bool) -> Result<u64, KnowledgeError> {
        let known = self.knowledge()?;
        if known.folder().is_empty() {
            return Ok(0);
        }
        let window = self.dialogue.model.as_ref().and_then(Model::window);
        let max_tokens = known.rules().budget(window);
        let request = RecallRequest { max_tokens, documents, ..RecallRequest::new(text) };
        let mut memories = known.memories()?;
        let (found, remark) = request.items(&known, &mut memories).await?;
        let text = found.text();
        // The first line is the mark of the message.
        let Some((_, items)) = text.split_once('\n') else { return Ok(0) };
        memories.mark_used(found.memory_ids(), known.now())?;
        let tokens = recall::tokens(items);
        self.add_to_context("memory context", items);
        self.dialogue.recalled += found.items.len() as u64;
        let items = found.items.iter().map(|item| RecalledItem {
            silo: item.silo.to_string(),
            id: item.id.clone(),
            score: item.score,
        });
        self.log.write(TranscriptEntry::Recalled { store: None, items: items.collect() });
        remark.iter().for_each(|remark| self.warn(remark));
        self.say(&self.host().printable(&format!("recalled {}", recalled_ids(&found))));
        Ok(tokens)
    }
}

/// Names the items of recall for a person.
fn recalled_ids(found: &Recalled) -> String {
    let ids = found.items.iter().map(|item| format!("{} {}", item.silo, item.id));
    ids.collect::<Vec<_>>().join(", ")
}
