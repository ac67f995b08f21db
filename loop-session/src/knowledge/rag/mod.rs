//! Requests about documents.

mod retrieve;
mod show;

use std::path::PathBuf;

use loop_agents::remote::is_address;
use loop_knowledge::{
    SecretFilter as _,
    documents::{
        DocumentError, DocumentStore, EmbedderId, Ingest, PdfText, QueryOptions, RemoteText, Selection,
    },
};
use serde_json::json;

pub use self::retrieve::PromptContext;
use super::{KnowledgeError, KnowledgeReply, WorkspaceKnowledge};

/// A request about the documents of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RagRequest {
    /// Lists the stores.
    List,
    /// Creates a store, and uses it if none is in use.
    Create {
        /// Its name.
        name: String,
        /// The name of its embedder: `none`, `hashed`, or a model.
        embedder: String,
    },
    /// Uses a store from now on.
    Use {
        /// Its name.
        name: String,
    },
    /// Deletes a store. The files that it was made from stay.
    Delete {
        /// Its name.
        name: String,
    },
    /// Reads files, folders and addresses into a store.
    Ingest {
        /// The files and folders, relative to the workspace, and the addresses.
        paths: Vec<PathBuf>,
        /// Whether to drop the sources below them that are gone.
        prune: bool,
        /// The store, instead of the one in use.
        store: Option<String>,
    },
    /// Describes the store in use.
    Status,
    /// Finds chunks.
    Query {
        /// Any text.
        text: String,
        /// The most hits; `None` for the number of the settings.
        top_k: Option<usize>,
        /// The store, instead of the one in use.
        store: Option<String>,
    },
    /// Adds hits to prompts from now on, or stops that.
    Switch {
        /// Whether hits are added.
        on: bool,
    },
}

impl RagRequest {
    /// Carries out the request. Blocks on the disk.
    ///
    /// # Errors
    /// The store is missing or cannot be used, or the embedder failed.
    pub async fn run(&self, known: &WorkspaceKnowledge) -> Result<KnowledgeReply, KnowledgeError> {
        match self {
            Self::List => show::list(known),
            Self::Create { name, embedder } => create(known, name, embedder).await,
            Self::Use { name } => {
                DocumentStore::open(&known.folder, name)?;
                let is_on = Selection::load(&known.folder)?.is_on;
                Selection { store: Some(name.clone()), is_on }.save(&known.folder)?;
                Ok(KnowledgeReply::said(format!("the store `{name}` is in use"), json!({ "store": name })))
            }
            Self::Delete { name } => delete(known, name),
            Self::Ingest { paths, prune, store } => {
                ingest(known, &mut open(known, store.as_deref())?, paths, *prune).await
            }
            Self::Status => show::status(known),
            Self::Query { text, top_k, store } => {
                query(known, &mut open(known, store.as_deref())?, text, *top_k).await
            }
            Self::Switch { on } => {
                let store = open(known, None)?;
                let store = store.name();
                Selection { store: Some(store.to_owned()), is_on: *on }.save(&known.folder)?;
                let effect = if *on { "are" } else { "are not" };
                let text = format!("hits of the store `{store}` {effect} added to prompts in sessions");
                Ok(KnowledgeReply::said(text, json!({ "store": store, "on": on })))
            }
        }
    }
}

/// Opens the named store, or the one in use.
fn open(known: &WorkspaceKnowledge, name: Option<&str>) -> Result<DocumentStore, KnowledgeError> {
    let selected = match name {
        Some(name) => Some(name.to_owned()),
        None => Selection::load(&known.folder)?.store,
    };
    let name = selected.ok_or(KnowledgeError::NoStoreInUse)?;
    Ok(DocumentStore::open(&known.folder, &name)?)
}

async fn create(
    known: &WorkspaceKnowledge,
    name: &str,
    embedder: &str,
) -> Result<KnowledgeReply, KnowledgeError> {
    if known.secrets.redacted(name) != name {
        return Err(KnowledgeError::SecretName);
    }
    let embedder = known.embedders.named(embedder).await?;
    let id = embedder.as_deref().map(EmbedderId::of);
    DocumentStore::create(&known.folder, name, id.clone(), known.now)?;
    let selection = Selection::load(&known.folder)?;
    let is_used = selection.store.is_none();
    if is_used {
        Selection { store: Some(name.to_owned()), ..selection }.save(&known.folder)?;
    }
    let used = if is_used { ", and is in use" } else { "" };
    let text = format!("the store `{name}` was created{used}: `loop rag ingest PATH` fills it");
    Ok(KnowledgeReply::said(text, json!({ "store": name, "embedder": id, "in_use": is_used })))
}

fn delete(known: &WorkspaceKnowledge, name: &str) -> Result<KnowledgeReply, KnowledgeError> {
    DocumentStore::delete(&known.folder, name)?;
    if Selection::load(&known.folder)?.store.as_deref() == Some(name) {
        Selection::default().save(&known.folder)?;
    }
    Ok(KnowledgeReply::said(format!("the store `{name}` is deleted"), json!({ "deleted": name })))
}

async fn ingest(
    known: &WorkspaceKnowledge,
    store: &mut DocumentStore,
    paths: &[PathBuf],
    prune: bool,
) -> Result<KnowledgeReply, KnowledgeError> {
    let (addresses, paths): (Vec<_>, Vec<_>) =
        paths.iter().partition(|path| path.to_str().is_some_and(is_address));
    let texts = fetched(known, &addresses).await?;
    let paths: Vec<_> = paths.into_iter().map(|path| known.root.join(path)).collect();
    let embedder = known.embedders.of_store(store.embedder()).await?;
    let ingest = Ingest {
        root: &known.root,
        paths: &paths,
        texts: &texts,
        pdf: known.pdf.as_ref().map(|programs| programs as &dyn PdfText),
        secrets: &known.secrets,
        embedder: embedder.as_deref(),
        prune,
        now: known.now,
    };
    Ok(show::ingested(known, &store.ingest(ingest).await?))
}

/// Reads addresses, all of them before the store changes.
async fn fetched(
    known: &WorkspaceKnowledge,
    addresses: &[&PathBuf],
) -> Result<Vec<RemoteText>, KnowledgeError> {
    let mut texts = Vec::new();
    for address in addresses.iter().filter_map(|path| path.to_str()) {
        let reader = known.remote.as_ref().map_err(Clone::clone)?;
        let text = reader.read(address).await?.text()?;
        texts.push(RemoteText { address: address.to_owned(), text });
    }
    Ok(texts)
}

async fn query(
    known: &WorkspaceKnowledge,
    store: &mut DocumentStore,
    text: &str,
    top_k: Option<usize>,
) -> Result<KnowledgeReply, KnowledgeError> {
    let text = known
        .secrets
        .redact(text)
        .map_err(|source| DocumentError::Path { path: known.root.clone(), source })?;
    let options = QueryOptions { top_k: top_k.unwrap_or(known.query_options.top_k), ..known.query_options };
    let (found, remark) = retrieve::found(known, store, &text, options).await?;
    Ok(show::hits(&found, remark))
}
