//! The model of a session in which there is none.

use async_trait::async_trait;
use loop_agents::chat::{ChatModel, ModelError, ModelErrorKind, OnDelta, Reply, Request};

/// Stands where a model will stand. It answers nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoModel;

#[async_trait]
impl ChatModel for NoModel {
    fn name(&self) -> &str {
        "no model"
    }

    async fn reply(&self, _: Request<'_>, _: OnDelta<'_>) -> Result<Reply, ModelError> {
        Err(ModelError::new("no model", ModelErrorKind::NotFound, "none was chosen"))
    }
}
