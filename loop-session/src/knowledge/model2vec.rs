//! Static vectors of words, from the files that the settings name.

use std::path::Path;

use loop_knowledge::Embedder;

use super::KnowledgeError;

/// The name that a person chooses. A store has a longer one, which contains a digest of the files.
const NAME: &str = "model2vec";

/// Returns whether this is the name of such an embedder.
pub(super) fn is_named(name: &str) -> bool {
    name.split(':').next() == Some(NAME)
}

/// Reads the embedder of this name.
#[cfg(feature = "model2vec")]
pub(super) fn load(name: &str, folder: Option<&Path>) -> Result<Box<dyn Embedder>, KnowledgeError> {
    let folder = folder.ok_or(KnowledgeError::NoModel2Vec)?;
    let found = loop_knowledge::Model2VecEmbedder::load(folder)?;
    if name != NAME && found.name() != name {
        let (own, found) = (name.to_owned(), found.name().to_owned());
        return Err(KnowledgeError::OtherModel2Vec { own, found });
    }
    Ok(Box::new(found))
}

/// Refuses, because the crate is not there.
#[cfg(not(feature = "model2vec"))]
pub(super) fn load(_: &str, _: Option<&Path>) -> Result<Box<dyn Embedder>, KnowledgeError> {
    Err(KnowledgeError::WithoutModel2Vec)
}
