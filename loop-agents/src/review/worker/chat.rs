//! A worker that is a conversation with a model.

use async_trait::async_trait;
use loop_core::{IterationContext, WorkError};

use super::{SAID_BYTES, Worker};
use crate::{
    chat::ChatAgent,
    output::excerpt,
    review::{Account, recorder::Recorder},
};

/// A [`ChatAgent`] as a [`Worker`]: its tools report what they do. The agent's template is not used.
///
/// At its limit of rounds a model answers without tools, and that is its end like any other.
#[derive(Debug)]
pub struct ChatWorker(ChatAgent);

impl ChatWorker {
    /// This agent. Each piece of work begins with its conversation as it is now.
    pub fn new(agent: ChatAgent) -> Self {
        Self(agent.fresh())
    }
}

#[async_trait]
impl Worker for ChatWorker {
    async fn work(
        &mut self,
        prompt: String,
        account: &mut Account,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError> {
        let mut recorder = Recorder::new(account);
        let output = self.0.work(prompt, cx.part(), |event| recorder.hear(event)).await?;
        Ok(excerpt(output.text.as_bytes(), SAID_BYTES))
    }
}
