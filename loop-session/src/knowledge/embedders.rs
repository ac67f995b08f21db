//! The embedders that a store can have, by name: none, the built-in one, and models of servers.

use std::ffi::OsString;

use loop_knowledge::{Embedder, HashedEmbedder, documents::EmbedderId};
use loop_manifest::{model::Model, settings::Settings};

use super::KnowledgeError;

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

    async fn find(
        &self,
        name: &str,
        length: Option<usize>,
    ) -> Result<Option<Box<dyn Embedder>>, KnowledgeError> {
        Ok(match name {
            NONE => None,
            HashedEmbedder::NAME => Some(Box::new(HashedEmbedder)),
            _ => {
                let model = Model::choose(Some(name), &self.settings, &self.variables)?;
                Some(Box::new(model.embedder(length).await?))
            }
        })
    }
}
