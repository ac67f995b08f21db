//! The hits that precede a prompt.

use loop_core::with_causes;
use loop_knowledge::{
    SecretFilter as _,
    documents::{DocumentError, DocumentStore, Hit, QueryOptions, Retrieved, Selection, context_block},
    recall::Silo,
};
use loop_telemetry::transcript::RecalledItem;

use super::{KnowledgeError, WorkspaceKnowledge};

/// Reported when there is no vector of the query.
const LEXICAL: &str = "retrieval uses full text alone";

/// The result of retrieval for a prompt.
#[derive(Debug, Default)]
pub struct PromptContext {
    /// The text before the prompt.
    pub block: Option<String>,
    /// The reason why only full text was used.
    pub remark: Option<String>,
    /// The store, and its documents in the text.
    pub found: Option<(String, Vec<RecalledItem>)>,
}

impl WorkspaceKnowledge {
    /// Finds what belongs before a prompt to a model with this window, within the budget of recall, of which `used` tokens
    /// are spent. If retrieval is off, that is nothing.
    ///
    /// # Errors
    /// The store in use cannot be read.
    pub async fn for_prompt(
        &self,
        prompt: &str,
        window: Option<u64>,
        used: u64,
    ) -> Result<PromptContext, KnowledgeError> {
        let selection = Selection::load(&self.folder)?;
        let (true, Some(name)) = (selection.is_on, selection.store) else {
            return Ok(PromptContext::default());
        };
        let mut store = DocumentStore::open(&self.folder, &name)?;
        if store.status()?.chunks == 0 {
            return Ok(PromptContext::default());
        }
        let secret =
            |source: loop_knowledge::BoxError| DocumentError::Path { path: self.root.clone(), source };
        let prompt = self.secrets.redact(prompt).map_err(secret)?;
        let (mut found, remark) = found(self, &mut store, &prompt, self.query_options).await?;
        for hit in &mut found.hits {
            hit.source = self.secrets.redact(&hit.source).map_err(secret)?;
            hit.content = self.secrets.redact(&hit.content).map_err(secret)?;
        }
        let block = context_block(&found.hits, self.rules().budget(window).saturating_sub(used));
        let items = block.as_ref().map(|block| block.hits.iter().map(|hit| recalled(hit)).collect());
        Ok(PromptContext {
            found: items.map(|items| (name, items)),
            block: block.map(|block| block.text),
            remark,
        })
    }
}

fn recalled(hit: &Hit) -> RecalledItem {
    RecalledItem {
        silo: Silo::Document.to_string(),
        id: format!("{}:{}-{}", hit.source, hit.first_line, hit.last_line),
        score: f64::from(hit.score),
    }
}

/// Queries a store with its own embedder, or by full text alone with the reason.
pub(super) async fn found(
    known: &WorkspaceKnowledge,
    store: &mut DocumentStore,
    text: &str,
    options: QueryOptions,
) -> Result<(Retrieved, Option<String>), KnowledgeError> {
    let (embedder, missing) = match known.embedders.of_store(store.embedder()).await {
        Ok(embedder) => (embedder, None),
        Err(error) => (None, Some(with_causes(&error))),
    };
    let found = store.query(text, options, embedder.as_deref()).await?;
    let hits = found.hits.iter().map(|hit| (hit.source.clone(), hit.id.to_string(), f64::from(hit.score)));
    known.log_found("retrieval", hits);
    let why = found.failure.as_ref().map(|error| with_causes(error)).or(missing);
    let why = why.unwrap_or_else(|| format!("the store `{}` has no embedder", store.name()));
    let remark = found.is_lexical.then(|| format!("{LEXICAL}: {why}"));
    Ok((found, remark))
}
