//! A worker that is a conversation with a model.

use async_trait::async_trait;
use loop_core::{IterationContext, WorkError};

use super::{SAID_BYTES, Worker};
use crate::{
    chat::{ChatAgent, TurnEvent},
    output::excerpt,
    review::{Account, recorder::Recorder, verdict::Slot},
};

/// A [`ChatAgent`] as a [`Worker`]: its tools report what they do. The agent's template is not used.
///
/// At its limit of rounds a model answers without tools, and that is its end like any other, unless it still asks for
/// some. Such a reply, and one that was cut, is no end: the account has it as a failure.
#[derive(Debug)]
pub struct ChatWorker {
    agent: ChatAgent,
    /// Where the verdict arrives, if it reviews.
    slot: Option<Slot>,
}

impl ChatWorker {
    /// This agent. Each piece of work begins with its conversation as it is now.
    pub fn new(agent: ChatAgent) -> Self {
        Self { agent: agent.fresh(), slot: None }
    }

    /// One that gives its verdict here.
    pub(in crate::review) fn giving(self, slot: Option<Slot>) -> Self {
        Self { slot, ..self }
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
        let Self { agent, slot } = self;
        let mut recorder = Recorder::new(account);
        let hear = |event: TurnEvent<'_>| {
            recorder.hear(event);
            if let Some(slot) = slot {
                slot.hear(event);
            }
        };
        let output = agent.work(prompt, cx.part(), hear).await?;
        account.failure = output.failure();
        Ok(excerpt(output.text.as_bytes(), SAID_BYTES))
    }
}
