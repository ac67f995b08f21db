//! A worker that is a conversation with a model.

use async_trait::async_trait;
use loop_core::{IterationContext, WorkError};

use super::{SAID_BYTES, Worker};
use crate::{
    chat::{ChatAgent, TurnEvent},
    output::excerpt,
    review::{ActionLog, CallListener, call_recorder::CallRecorder, verdict::VerdictSlot},
};

/// A [`ChatAgent`] as a [`Worker`]. Its tools report their actions. It ignores the agent's template.
///
/// At its limit of rounds, a model has to answer without tools. That is a normal end, unless the model still asks for
/// tools. Such a reply, or one that was cut, is recorded as a failure.
#[derive(Debug)]
pub struct ChatWorker {
    agent: ChatAgent,
    /// The slot for the verdict, if this agent reviews.
    slot: Option<VerdictSlot>,
    listener: CallListener,
}

impl ChatWorker {
    /// Creates a worker from this agent. Each task starts with the conversation's current state.
    pub fn new(agent: ChatAgent) -> Self {
        Self { agent: agent.fresh(), slot: None, listener: CallListener::default() }
    }

    /// Sets the slot that receives the verdict.
    pub(in crate::review) fn giving(self, slot: Option<VerdictSlot>) -> Self {
        Self { slot, ..self }
    }
}

#[async_trait]
impl Worker for ChatWorker {
    async fn work(
        &mut self,
        prompt: String,
        actions: &mut ActionLog,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError> {
        let Self { agent, slot, listener } = self;
        let mut recorder = CallRecorder::new(actions, listener);
        let on_event = |event: TurnEvent<'_>| {
            recorder.on_event(event);
            if let Some(slot) = slot {
                slot.on_event(event);
            }
        };
        let output = agent.work(prompt, cx.part(), on_event).await?;
        actions.failure = output.failure();
        let words = excerpt(output.text.as_bytes(), SAID_BYTES);
        listener.replied(&words);
        Ok(words)
    }

    fn on_call(&mut self, listener: CallListener) {
        self.listener = listener;
    }

    fn continue_next(&mut self) -> bool {
        self.agent.continue_next();
        true
    }
}
