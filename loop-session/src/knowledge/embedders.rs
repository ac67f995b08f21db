//! The embedders that a store can have, by name: none, the built-in one, static vectors, and models of servers.

use std::ffi::OsString;

use loop_knowledge::{Embedder, HashedEmbedder, documents::EmbedderId};
use loop_manifest::{model::Model, settings::Settings};

use super::{KnowledgeError, model2vec};

/// The name of the choice without an embedder.
const NONE: &str = "none";

/// The models that can embed, as the settings and the variables of the user name them.
#[derive(Debug)]
pub(super) struct Embedders {
    settings: Settings,
    variables: Vec<(OsString, OsString)>,
}

impl Embedders {
    pub(super) fn new(settings: &Settings, variables: &[(OsString, OsString)]) -> Self {
        Self { settings: settings.clone(), variables: variables.to_vec() }
    }

    /// Returns the embedder of this name for a new store, or `None` for a store with full text alone. Asks the server
    /// of a model for the length of its vectors.
    pub(super) async fn named(&self, name: &str) -> Result<Option<Box<dyn Embedder>>, KnowledgeError> {
        self.find(name, None).await
    }

    /// Returns the embedder of a store, or `None` if it has none.
    pub(super) async fn of_store(
        &self,
        own: Option<&EmbedderId>,
    ) -> Result<Option<Box<dyn Embedder>>, KnowledgeError> {
        match own {
            Some(own) => self.find(&own.name, Some(own.length)).await,
            None => Ok(None),
        }
    }

    /// Returns the embedder of memories, or `None` if the settings name none. With `asks_no_server`, a model of a server
    /// counts as none.
    pub(super) async fn of_memories(
        &self,
        asks_no_server: bool,
    ) -> Result<Option<Box<dyn Embedder>>, KnowledgeError> {
        match self.settings.memory_embedder() {
            Some(name) if !asks_no_server || is_local(name) => self.find(name, None).await,
            _ => Ok(None),
        }
    }

    async fn find(
        &self,
        name: &str,
        length: Option<usize>,
    ) -> Result<Option<Box<dyn Embedder>>, KnowledgeError> {
        Ok(match name {
            NONE => None,
            HashedEmbedder::NAME => Some(Box::new(HashedEmbedder)),
            _ if model2vec::is_named(name) => {
                let folder = self.settings.user.tables.knowledge.model2vec.as_deref();
                Some(model2vec::load(name, folder)?)
            }
            _ => {
                let model = Model::choose(Some(name), &self.settings, &self.variables)?;
                Some(Box::new(model.embedder(length).await?))
            }
        })
    }
}

/// Returns whether an embedder runs in this process.
fn is_local(name: &str) -> bool {
    [NONE, HashedEmbedder::NAME].contains(&name) || model2vec::is_named(name)
}
