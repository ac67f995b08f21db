//! The memories that prompts receive.

use std::sync::Arc;

use loop_agents::shell::PromptMemory;

use super::{ExecutionContext, Hook};

/// Returns the memories for a text, in at most this many tokens.
pub(super) type Recall = dyn Fn(&str, u64) -> String + Send + Sync;

impl ExecutionContext {
    /// Sets the source of `{memory}`: it returns what earlier work taught about a text, in at most this many tokens.
    /// Default: none, and `{memory}` is empty.
    #[must_use]
    pub fn with_memory(self, recall: impl Fn(&str, u64) -> String + Send + Sync + 'static) -> Self {
        Self { memory: Some(Hook(Arc::new(recall))), ..self }
    }

    /// Returns the source of `{memory}`, in at most this many tokens.
    pub fn memory(&self, max_tokens: u64) -> Option<PromptMemory> {
        let Hook(recall) = self.memory.clone()?;
        Some(PromptMemory::new(move |text| recall(text, max_tokens)))
    }
}
