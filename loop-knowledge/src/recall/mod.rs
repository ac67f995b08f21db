//! Recall: what is known about a text, within a budget.
//!
//! One function serves people, sessions and runs, so that all of them get the same items in the same order: the profile
//! and the facts, experiences, chunks of documents, and notes.

mod budget;
mod error;
#[cfg(test)]
mod tests;

use std::{fmt, path::Path};

use serde::Serialize;

pub use self::{budget::tokens, error::RecallError};
use crate::{
    EmbedError, Embedder, data_line,
    data_text::data_notice,
    documents::{DocumentStore, Hit, QueryOptions},
    indented_data,
    memory::{Memories, Memory},
    notes::{Note, Notes},
};

/// The first lines of a text that was recalled: they end with [`DATA_NOTICE`](crate::DATA_NOTICE).
pub const HEADER: &str = concat!("[memory context]\n", data_notice!(), "\n");

/// The number of experiences unless the options say otherwise.
pub const TOP_K: usize = 5;

/// The budget in tokens if the window of the model is unknown.
pub const UNKNOWN_WINDOW_TOKENS: u64 = 512;

/// The part of a model's window that recall may fill unless the caller says otherwise.
pub const BUDGET_SHARE: f64 = 0.25;

/// The most notes.
const MOST_NOTES: usize = 5;

/// The score of a note.
const NOTE_SCORE: f64 = 0.5;

/// Where an item comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Silo {
    /// The profile of the workspace.
    WorkspaceProfile,
    /// A fact about the project.
    ProjectFact,
    /// Any other memory.
    Experience,
    /// A chunk of a document.
    Document,
    /// A note.
    Note,
}

impl Silo {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WorkspaceProfile => "workspace_profile",
            Self::ProjectFact => "project_fact",
            Self::Experience => "experience",
            Self::Document => "document",
            Self::Note => "note",
        }
    }

    /// Returns whether the items are memories.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::WorkspaceProfile | Self::ProjectFact | Self::Experience)
    }
}

impl fmt::Display for Silo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An item that was recalled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecallItem {
    /// Where it comes from.
    pub silo: Silo,
    /// Its id there.
    pub id: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// Its text, as it appears in [`Recalled::text`].
    pub text: String,
}

/// The options of recall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallOptions {
    /// The most tokens of the whole text. A token is 4 bytes.
    pub budget_tokens: u64,
    /// The most experiences. Default: [`TOP_K`].
    pub top_k: usize,
    /// Which chunks of documents are recalled.
    pub documents: QueryOptions,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self { budget_tokens: UNKNOWN_WINDOW_TOKENS, top_k: TOP_K, documents: QueryOptions::default() }
    }
}

/// The places that recall looks at.
#[derive(Debug)]
pub struct RecallSources<'a, 'secrets> {
    /// The memories. Their filter also redacts the query and the items.
    pub memories: &'a mut Memories<'secrets>,
    /// The workspace, whose files `applies_to` is compared with.
    pub workspace: &'a Path,
    /// The documents, if they are used.
    pub documents: Option<&'a mut DocumentStore>,
    /// The notes, if they are used.
    pub notes: Option<&'a mut Notes<'secrets>>,
}

/// The embedders that recall uses.
#[derive(Clone, Copy, Default)]
pub struct RecallEmbedders<'a> {
    /// That of the memories.
    pub memories: Option<&'a dyn Embedder>,
    /// That of the store of documents.
    pub documents: Option<&'a dyn Embedder>,
}

impl fmt::Debug for RecallEmbedders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecallEmbedders")
            .field("memories", &self.memories.map(Embedder::name))
            .field("documents", &self.documents.map(Embedder::name))
            .finish()
    }
}

/// The result of recall.
#[derive(Debug, Default)]
pub struct Recalled {
    /// The items, in order.
    pub items: Vec<RecallItem>,
    /// The number of items that did not fit into the budget.
    pub left_out: usize,
    /// The reason why vectors were not used, if there is an embedder.
    pub failure: Option<EmbedError>,
}

impl Recalled {
    /// Returns the text for a model: [`HEADER`] and the items; empty without items.
    #[must_use]
    pub fn text(&self) -> String {
        if self.items.is_empty() {
            return String::new();
        }
        self.items.iter().fold(HEADER.to_owned(), |text, item| text + &item.text)
    }

    /// Returns the ids of the memories among the items.
    pub fn memory_ids(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter(|item| item.silo.is_memory()).map(|item| item.id.as_str())
    }
}

/// Returns what is known about a text. The whole text of the items is never over the budget: an item is included whole
/// or not at all, and smaller ones after it may still fit.
///
/// # Errors
///
/// Fails if a database or a file cannot be read, if the embedder is not that of the store of documents, and if it cannot
/// be known which words are secret.
pub async fn recall(
    query: &str,
    sources: RecallSources<'_, '_>,
    embedders: RecallEmbedders<'_>,
    options: RecallOptions,
) -> Result<Recalled, RecallError> {
    let secrets = sources.memories.secrets();
    let query = &secrets.redact(query).map_err(RecallError::Secrets)?;
    let mut items: Vec<_> = sources.memories.profile_and_facts()?.iter().map(always).collect();
    let found =
        sources.memories.experiences(query, options.top_k, sources.workspace, embedders.memories).await?;
    items.extend(found.found.iter().map(|(memory, score)| of_memory(Silo::Experience, memory, *score)));
    let mut failure = found.failure;
    if let Some(documents) = sources.documents {
        let found = documents.query(query, options.documents, embedders.documents).await?;
        failure = failure.or(found.failure);
        items.extend(found.hits.iter().map(chunk));
    }
    if let Some(notes) = sources.notes {
        items.extend(notes.search(query, MOST_NOTES)?.iter().map(note));
    }
    let redact = |text: &str| secrets.redact(text).map_err(RecallError::Secrets);
    let found = items.len();
    let items = budget::within(items, options.budget_tokens, redact)?;
    Ok(Recalled { left_out: found - items.len(), items, failure })
}

fn always(memory: &Memory) -> RecallItem {
    use crate::memory::MemoryType::WorkspaceProfile;
    let is_profile = memory.content.memory_type == WorkspaceProfile;
    of_memory(if is_profile { Silo::WorkspaceProfile } else { Silo::ProjectFact }, memory, 1.0)
}

fn of_memory(silo: Silo, memory: &Memory, score: f64) -> RecallItem {
    let content = &memory.content;
    let kind = content.kind.map(|kind| format!(", {kind}")).unwrap_or_default();
    let label = format!("{} {}{kind}", content.memory_type, memory.id);
    item(silo, memory.id.clone(), score, &label, &content.text())
}

fn chunk(hit: &Hit) -> RecallItem {
    let label = format!("document {}:{}-{}", hit.source, hit.first_line, hit.last_line);
    item(Silo::Document, hit.id.to_string(), f64::from(hit.score), &label, &hit.content)
}

fn note(note: &Note) -> RecallItem {
    let label = format!("{} {}", note.silo, note.label);
    item(Silo::Note, format!("{}:{}", note.silo, note.id), NOTE_SCORE, &label, &note.text)
}

fn item(silo: Silo, id: String, score: f64, label: &str, text: &str) -> RecallItem {
    let text = format!("- [{}]\n{}", data_line(label), indented_data(text));
    RecallItem { silo, id, score, text }
}
