//! A model that follows a script.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use loop_core::Usage;
use serde_json::Value;

use super::{ChatModel, Delta, Message, ModelError, ModelErrorKind, OnDelta, Reply, Request, ToolCall};

/// A model for tests: it gives one reply of its script for each request, and records the requests. Clones share both.
///
/// After the end of its script it [refuses](ModelErrorKind::Refused) every request.
///
/// ```
/// use loop_agents::chat::{Chat, ScriptedModel};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new().says("Half past nine.");
/// let mut chat = Chat::new(model.clone());
/// assert_eq!(chat.turn("What is the time?").run().await?.text, "Half past nine.");
/// assert_eq!(model.requests()[0].messages[0].text(), "What is the time?");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ScriptedModel(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    script: VecDeque<Result<Reply, ModelError>>,
    requests: Vec<RecordedRequest>,
    calls: usize,
    window: Option<u64>,
}

/// A request that a [`ScriptedModel`] received.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The names of the tools.
    pub tools: Vec<String>,
    /// Whether the model was allowed to call them.
    pub may_call: bool,
}

impl ScriptedModel {
    /// Creates a model with an empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reply with this text and without calls.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        self.replies(Reply::text(text))
    }

    /// Adds a reply with this call and without text.
    #[must_use]
    pub fn calls(self, tool: &str, arguments: Value) -> Self {
        let number = {
            let mut state = self.state();
            state.calls += 1;
            state.calls
        };
        self.replies(Reply::default().with_call(ToolCall::new(format!("c{number}"), tool, arguments)))
    }

    /// Adds this reply.
    #[must_use]
    pub fn replies(self, reply: Reply) -> Self {
        self.state().script.push_back(Ok(reply));
        self
    }

    /// Adds a failure of this kind.
    #[must_use]
    pub fn fails(self, kind: ModelErrorKind) -> Self {
        self.fails_after(kind, Usage::unknown())
    }

    /// Adds a failure of this kind that used this much.
    #[must_use]
    pub fn fails_after(self, kind: ModelErrorKind, usage: Usage) -> Self {
        let error = ModelError::new("scripted", kind, "as the script says").with_usage(usage);
        self.state().script.push_back(Err(error));
        self
    }

    /// Sets the window in tokens; without this the window is unknown.
    #[must_use]
    pub fn with_window(self, tokens: u64) -> Self {
        self.state().window = Some(tokens);
        self
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that panics runs under this lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn context_window(&self) -> Option<u64> {
        self.state().window
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        let next = {
            let mut state = self.state();
            state.requests.push(RecordedRequest {
                system: request.system.map(str::to_owned),
                messages: request.messages.to_vec(),
                tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
                may_call: request.may_call,
            });
            state.script.pop_front()
        };
        let reply = next.unwrap_or_else(|| {
            Err(ModelError::new("scripted", ModelErrorKind::Refused, "the script is at its end"))
        })?;
        if !reply.text.is_empty() {
            on_delta(Delta::Text(&reply.text));
        }
        Ok(reply)
    }
}
