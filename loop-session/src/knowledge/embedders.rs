//! The embedders that a store can have, by name.

use loop_knowledge::{Embedder, HashedEmbedder, documents::EmbedderId};

use super::KnowledgeError;

/// The name that stands for no embedder.
const NONE: &str = "none";

/// Returns the embedder of this name for a new store, or `None` for a store with full text alone.
pub(super) fn named(name: &str) -> Result<Option<Box<dyn Embedder>>, KnowledgeError> {
    match name {
        NONE => Ok(None),
        HashedEmbedder::NAME => Ok(Some(Box::new(HashedEmbedder))),
        _ => Err(KnowledgeError::UnknownEmbedder(name.to_owned())),
    }
}

/// Returns the embedder of a store, or `None` if it has none or is not available here.
pub(super) fn of_store(own: Option<&EmbedderId>) -> Option<Box<dyn Embedder>> {
    named(&own?.name).ok().flatten()
}
