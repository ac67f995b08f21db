//! A model as an embedder.

use loop_agents::embedding::{EmbedRequestError, ServerEmbedder};

use super::Model;

impl Model {
    /// Returns the model as an embedder. With a known length of its vectors, no request is sent; without one, a request
    /// learns it.
    ///
    /// # Errors
    /// The length is unknown, and the server returns no vector.
    pub async fn embedder(&self, length: Option<usize>) -> Result<ServerEmbedder, EmbedRequestError> {
        let endpoint = self.server.endpoint().clone();
        match length {
            Some(length) => Ok(ServerEmbedder::new(self.asked(), endpoint, self.id(), length)),
            None => ServerEmbedder::connect(self.asked(), endpoint, self.id()).await,
        }
    }
}
