//! The models of a server.

use serde_json::Value;

use super::{Fact, FactSource, ModelFacts, ollama, open_ai};
use crate::chat::{Endpoint, GenaiError, Vendor};

/// A model in the list of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedModel {
    /// Its name.
    pub id: String,
    /// The digest of its content; empty if the server reports none.
    pub digest: String,
    /// The facts that the list contains.
    pub facts: ModelFacts,
}

impl ListedModel {
    /// Returns whether this is its name. Ollama lets people leave out the tag `latest`.
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.id.strip_suffix(":latest") == Some(name)
    }
}

impl Endpoint {
    /// Returns the models of the server, with the facts in its list. `now` becomes the time of these facts.
    ///
    /// # Errors
    /// [`GenaiError`] for an invalid address, a missing key, or an error of the server.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub async fn listed(&self, now: &str) -> Result<Vec<ListedModel>, GenaiError> {
        match self.vendor() {
            Vendor::Ollama => Ok(ollama::list(&self.page("api/tags", None).await?, now)),
            Vendor::OpenAi => Ok(open_ai::list(&self.page("models", None).await?, now)),
            Vendor::Anthropic | Vendor::Gemini => {
                let plain = |id| ListedModel { id, digest: String::new(), facts: ModelFacts::default() };
                Ok(self.models().await?.into_iter().map(plain).collect())
            }
        }
    }

    /// Returns the facts that the server knows about this model, besides those in its list. Nothing is known about a
    /// model of a vendor's own server.
    ///
    /// # Errors
    /// As for [`listed`](Self::listed); also if the server does not have the model.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub async fn facts_of(&self, model: &str, now: &str) -> Result<ModelFacts, GenaiError> {
        match self.vendor() {
            Vendor::Ollama => {
                let asked = serde_json::json!({ "model": model });
                Ok(ollama::facts(&self.page("api/show", Some(&asked)).await?, now))
            }
            // Only llama.cpp and its relatives have this page.
            Vendor::OpenAi => {
                let properties = self.page("../props", None).await;
                Ok(properties.map(|page| open_ai::properties(&page, now)).unwrap_or_default())
            }
            Vendor::Anthropic | Vendor::Gemini => Ok(ModelFacts::default()),
        }
    }

    /// Returns the names of the models that the server has in its memory; `None` if it does not report that.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub async fn loaded(&self) -> Option<Vec<String>> {
        match self.vendor() {
            Vendor::Ollama => Some(ollama::loaded(&self.page("api/ps", None).await.ok()?)),
            Vendor::OpenAi | Vendor::Anthropic | Vendor::Gemini => None,
        }
    }
}

/// A fact of the server, if the value is there.
pub(super) fn of_server<T>(value: Option<T>, now: &str) -> Option<Fact<T>> {
    value.map(|value| Fact::new(value, FactSource::Server, now))
}

/// Returns a text that is not empty.
pub(super) fn text(page: &Value, pointer: &str) -> Option<String> {
    page.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns a number above 0.
pub(super) fn number(page: &Value, pointer: &str) -> Option<u64> {
    page.pointer(pointer)?.as_u64().filter(|number| *number > 0)
}
