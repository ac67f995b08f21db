//! The seam to a model that finds facts in a text.

use async_trait::async_trait;

use crate::BoxError;

/// Finds facts in a text: a model, or a script in a test.
#[async_trait]
pub trait Extractor: Send + Sync {
    /// Returns a JSON text for `text` that should follow the JSON schema `schema`. The caller has redacted `text`, and
    /// checks the reply.
    ///
    /// # Errors
    ///
    /// Fails if there is no reply, for example because the model is unavailable.
    async fn extract(&self, text: &str, schema: &serde_json::Value) -> Result<String, BoxError>;
}

const _: Option<&dyn Extractor> = None;
