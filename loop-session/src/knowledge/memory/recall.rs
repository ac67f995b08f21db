//! Recall for people, sessions and runs.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use loop_core::with_causes;
use loop_knowledge::{
    documents::{DocumentStore, Selection},
    memory::Memories,
    notes::Notes,
    recall::{RecallEmbedders, RecallOptions, RecallSources, Recalled, UNKNOWN_WINDOW_TOKENS, recall},
};
use loop_telemetry::words;
use serde_json::json;

use super::super::{error::KnowledgeError, reply::KnowledgeReply, workspace::WorkspaceKnowledge};

/// A request to recall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallRequest {
    /// Any text.
    pub text: String,
    /// The most tokens.
    pub max_tokens: u64,
    /// Whether the documents of the store in use are recalled, if retrieval is on.
    pub documents: bool,
    /// The most experiences. The settings may allow fewer.
    pub top_k: usize,
    /// Whether no server is asked for vectors.
    pub full_text: bool,
    /// Whether notes are recalled, even if the settings leave them out.
    pub notes: bool,
}

impl RecallRequest {
    /// Recalls memories, and documents if retrieval is on, within the budget for an unknown window.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            max_tokens: UNKNOWN_WINDOW_TOKENS,
            documents: true,
            full_text: false,
            top_k: usize::MAX,
            notes: false,
        }
    }

    /// Recalls, and returns the items, and the reason if an embedder is not used.
    pub(crate) async fn items<'k>(
        &self,
        known: &'k WorkspaceKnowledge,
        memories: &mut Memories<'k>,
    ) -> Result<(Recalled, Option<String>), KnowledgeError> {
        let selection = Selection::load(&known.folder)?;
        let store = selection.store.filter(|_| self.documents && selection.is_on);
        let mut documents = store.map(|name| DocumentStore::open(&known.folder, &name)).transpose()?;
        let own = documents.as_ref().filter(|_| !self.full_text).and_then(DocumentStore::embedder);
        let (embedder, missing) = match known.embedders.of_store(own).await {
            Ok(embedder) => (embedder, None),
            Err(error) => (None, Some(with_causes(&error))),
        };
        let has_notes = self.notes || known.rules().has_notes;
        let mut notes = has_notes.then(|| Notes::open(&known.folder, &known.secrets)).transpose()?;
        let sources = RecallSources {
            memories,
            workspace: &known.root,
            documents: documents.as_mut(),
            notes: notes.as_mut(),
        };
        let (of_memories, unusable) = match known.embedders.of_memories(self.full_text).await {
            Ok(embedder) => (embedder, None),
            Err(error) => (None, Some(with_causes(&error))),
        };
        let embedders = RecallEmbedders { memories: of_memories.as_deref(), documents: embedder.as_deref() };
        let options = RecallOptions {
            budget_tokens: self.max_tokens,
            top_k: self.top_k.min(known.rules().top_k),
            documents: known.query_options,
        };
        let found = recall(&self.text, sources, embedders, options).await?;
        let items = found.items.iter();
        known.log_found("recall", items.map(|item| (item.silo.to_string(), item.id.clone(), item.score)));
        let failure = found.failure.as_ref().map(|failure| with_causes(failure)).or(missing).or(unusable);
        let remark = failure.map(|why| format!("recall uses full text alone: {why}"));
        Ok((found, remark))
    }

    /// Recalls for a person.
    pub(super) async fn reply<'k>(
        &self,
        known: &'k WorkspaceKnowledge,
        memories: &mut Memories<'k>,
    ) -> Result<KnowledgeReply, KnowledgeError> {
        let (found, remark) = self.items(known, memories).await?;
        let is_empty = found.items.is_empty();
        let text = match found.left_out {
            0 if is_empty => "nothing is known about this".to_owned(),
            left if is_empty => {
                let (items, room) =
                    (words::count(left as u64, "item"), words::count(self.max_tokens, "token"));
                format!("{items} would be recalled, but none fits into {room}")
            }
            _ => found.text(),
        };
        let remarks = remark.into_iter().collect();
        let json = found.items.iter().map(|item| json!(item)).collect();
        Ok(KnowledgeReply { text: text.trim_end().to_owned(), json, remarks, is_empty })
    }
}

impl WorkspaceKnowledge {
    /// Returns the text of `{memory}` for a run, and remembers which memories the run received. It is empty if nothing
    /// is known, and if the settings turn memories off. Asks no server for vectors.
    ///
    /// # Errors
    /// The files or a database cannot be used.
    pub fn recall_for_run(&self, run: &str, text: &str, max_tokens: u64) -> Result<String, KnowledgeError> {
        // A workspace without knowledge gets no database.
        if !self.rules().is_enabled || self.folder.is_empty() {
            return Ok(String::new());
        }
        let mut memories = self.memories()?;
        let request = RecallRequest { max_tokens, full_text: true, ..RecallRequest::new(text) };
        let (found, _) = {
            let mut recalling = pin!(request.items(self, &mut memories));
            match recalling.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(found) => found?,
                Poll::Pending => return Err(KnowledgeError::Waits),
            }
        };
        let ids: Vec<_> = found.memory_ids().collect();
        memories.note_received(run, &ids, self.now)?;
        Ok(found.text())
    }

    /// Adds 0.1 to the confidence in the memories that a run received, once. Returns their ids.
    ///
    /// # Errors
    /// The files or the database cannot be used.
    pub fn reward_run(&self, run: &str) -> Result<Vec<String>, KnowledgeError> {
        if !self.folder.database().exists() {
            return Ok(Vec::new());
        }
        Ok(self.memories()?.reward(run)?.into_iter().map(|memory| memory.id).collect())
    }
}
