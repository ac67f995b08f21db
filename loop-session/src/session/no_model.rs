//! The placeholder for a session without a model.

use async_trait::async_trait;
use loop_agents::chat::{Chat, ChatModel, ModelError, ModelErrorKind, OnDelta, Reply, Request};
use loop_manifest::{ExecutionContext, model::Model, settings::Settings};

/// A model that answers nothing, used until there is a real one.
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

/// Begins the conversation of a session, as the settings bound it.
pub(crate) fn new_chat(model: Option<&Model>, settings: &Settings, execution: &ExecutionContext) -> Chat {
    settings.bound(match model {
        Some(model) => Chat::new(model.boxed(execution.seed())),
        None => Chat::new(NoModel),
    })
}
