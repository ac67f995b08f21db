//! The hits that precede a prompt.

use loop_core::with_causes;
use loop_knowledge::{
    SecretFilter as _,
    documents::{DocumentError, DocumentStore, QueryOptions, Selection, context_block},
};

use super::{KnowledgeError, LEXICAL, WorkspaceKnowledge, embedders};

/// The tokens for retrieved texts if the window of the model is unknown.
const UNKNOWN_WINDOW_TOKENS: u64 = 512;

/// What retrieval found for a prompt.
#[derive(Debug, Default)]
pub(crate) struct PromptContext {
    /// The text before the prompt.
    pub(crate) block: Option<String>,
    /// The reason why only full text was used.
    pub(crate) remark: Option<String>,
}

impl WorkspaceKnowledge {
    /// Finds what belongs before a prompt, within a quarter of the model's window. Without retrieval that is nothing.
    pub(crate) async fn for_prompt(
        &self,
        prompt: &str,
        window: Option<u64>,
    ) -> Result<PromptContext, KnowledgeError> {
        let selection = Selection::load(&self.folder)?;
        let (true, Some(name)) = (selection.is_on, selection.store) else {
            return Ok(PromptContext::default());
        };
        let mut store = DocumentStore::open(&self.folder, &name)?;
        if store.status()?.chunks == 0 {
            return Ok(PromptContext::default());
        }
        let secret = |source| DocumentError::Path { path: self.root.clone(), source };
        let prompt = self.secrets.redact(prompt).map_err(secret)?;
        let embedder = embedders::of_store(store.embedder());
        let found = store.query(&prompt, QueryOptions::default(), embedder.as_deref()).await?;
        let budget = window.map_or(UNKNOWN_WINDOW_TOKENS, |window| window / 4);
        let remark = found.is_lexical.then(|| match &found.failure {
            Some(error) => format!("{LEXICAL}: {}", with_causes(error)),
            None => LEXICAL.to_owned(),
        });
        Ok(PromptContext { block: context_block(&found.hits, budget), remark })
    }
}
