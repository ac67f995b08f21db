//! Vectors of texts from a model server: Ollama, or any server with `OpenAI`'s protocol.

use std::time::Duration;

use async_trait::async_trait;
use loop_core::{
    Halt, Iteration, IterationContext, IterationError, Loop, Step, StopReason, WorkError, condition_fn,
};
use loop_guardrails::Backoff;
use loop_knowledge::{BoxError, Embedder};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::chat::{Endpoint, GenaiError, Vendor};

/// The most attempts for a request.
const TRIES: u64 = 4;

/// The longest time for an attempt.
const MAX_TIME: Duration = Duration::from_mins(2);

/// The reason why a server returned no vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedRequestError {
    /// The server cannot be used, or refused.
    #[error(transparent)]
    Server(#[from] GenaiError),
    /// The server did not answer in time.
    #[error("the server did not answer within {} seconds", MAX_TIME.as_secs())]
    TimedOut,
    /// The answer has no vectors.
    #[error("the answer of the server has no vectors: choose a model that embeds")]
    NoVectors,
    /// The vendor's protocol has no vectors here.
    #[error("models of {0:?} cannot embed here: choose one of Ollama or of an OpenAI-compatible server")]
    Unsupported(Vendor),
}

/// A model of a server as an [`Embedder`]. Requests that fail for a passing reason are repeated, as those of chat models
/// are: four attempts, with a second, two seconds and so on between them.
#[derive(Debug, Clone)]
pub struct ServerEmbedder {
    name: String,
    endpoint: Endpoint,
    model: String,
    length: usize,
}

impl ServerEmbedder {
    /// Uses a model whose vectors have this length, without a request. `name` is the name of the embedder.
    pub fn new(name: impl Into<String>, endpoint: Endpoint, model: impl Into<String>, length: usize) -> Self {
        Self { name: name.into(), endpoint, model: model.into(), length }
    }

    /// Uses a model, and learns the length of its vectors with one request.
    ///
    /// # Errors
    /// The server returns no vector.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    pub async fn connect(
        name: impl Into<String>,
        endpoint: Endpoint,
        model: impl Into<String>,
    ) -> Result<Self, EmbedRequestError> {
        let new = Self::new(name, endpoint, model, 0);
        let length = new.vectors(&["length"]).await?.first().map_or(0, Vec::len);
        if length == 0 { Err(EmbedRequestError::NoVectors) } else { Ok(Self { length, ..new }) }
    }

    async fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedRequestError> {
        let mut failure = None;
        let attempt = Attempt { embedder: self, texts, failure: &mut failure };
        let report = Loop::new(attempt)
            .until(condition_fn(|step: &Step<Vec<Vec<f32>>>, _| step.output().is_some()))
            .at_most(TRIES)
            .pace(Backoff::new(Duration::from_secs(1)))
            .run()
            .await;
        let output = report.ok().and_then(|report| report.output().cloned());
        output.ok_or(failure.unwrap_or(EmbedRequestError::NoVectors))
    }

    async fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedRequestError> {
        let path = match self.endpoint.vendor() {
            Vendor::Ollama => "api/embed",
            Vendor::OpenAi => "embeddings",
            vendor => return Err(EmbedRequestError::Unsupported(vendor)),
        };
        let body = json!({ "model": self.model, "input": texts });
        let page = timeout(MAX_TIME, self.endpoint.page(path, Some(&body))).await;
        parsed(&page.map_err(|_| EmbedRequestError::TimedOut)??).ok_or(EmbedRequestError::NoVectors)
    }
}

#[async_trait]
impl Embedder for ServerEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn length(&self) -> usize {
        self.length
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(self.vectors(texts).await?)
    }
}

/// One attempt.
struct Attempt<'a> {
    embedder: &'a ServerEmbedder,
    texts: &'a [&'a str],
    /// The error itself, because the loop keeps only its text.
    failure: &'a mut Option<EmbedRequestError>,
}

#[async_trait]
impl Iteration for Attempt<'_> {
    type Output = Vec<Vec<f32>>;

    async fn run(&mut self, _cx: IterationContext<Self::Output>) -> Result<Self::Output, IterationError> {
        let error = match self.embedder.request(self.texts).await {
            Ok(vectors) => return Ok(vectors),
            Err(error) => error,
        };
        let is_passing = match &error {
            EmbedRequestError::Server(GenaiError::Server(error)) => error.kind().is_passing(),
            EmbedRequestError::TimedOut => true,
            _ => false,
        };
        let text = error.to_string();
        *self.failure = Some(error);
        Err(if is_passing { WorkError::failed(text) } else { Halt::new(StopReason::Failed, text).into() })
    }
}

/// Reads the vectors of an answer: Ollama's `embeddings`, or `OpenAI`'s `data` in the order of its indices.
fn parsed(page: &Value) -> Option<Vec<Vec<f32>>> {
    let vector = |value: &Value| -> Option<Vec<f32>> {
        value.as_array()?.iter().map(|number| number.as_f64().map(|number| number as f32)).collect()
    };
    if let Some(embeddings) = page["embeddings"].as_array() {
        return embeddings.iter().map(vector).collect();
    }
    let mut data: Vec<_> = page["data"].as_array()?.iter().collect();
    data.sort_by_key(|item| item["index"].as_u64());
    data.into_iter().map(|item| vector(&item["embedding"])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_answer_are_read() {
        let ollama = json!({ "embeddings": [[1, 2.5], [3, 4]] });
        assert_eq!(parsed(&ollama), Some(vec![vec![1.0, 2.5], vec![3.0, 4.0]]));
        let open_ai = json!({ "data": [{ "index": 1, "embedding": [3] }, { "index": 0, "embedding": [1] }] });
        assert_eq!(parsed(&open_ai), Some(vec![vec![1.0], vec![3.0]]));
        for page in [json!({}), json!({ "data": [{ "embedding": ["a"] }] }), json!({ "embeddings": 3 })] {
            assert_eq!(parsed(&page), None);
        }
    }
}
