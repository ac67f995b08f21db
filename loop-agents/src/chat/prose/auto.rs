//! A model of which nobody knows whether it supports tool calls.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;

use super::{
    super::{ChatModel, ModelError, OnDelta, Reply, Request, ToolCall},
    calls::{begins_with_block, written_calls},
    model::reply_in_text,
};

/// Offers tools through the interface of the model, until a reply consists of nothing but calls in its text. From then
/// on the model writes all calls into its text, as with [`ProseTools`](super::ProseTools).
///
/// ```
/// use loop_agents::{chat::{AutoTools, Chat, ScriptedModel}, tools::Toolbox};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("answer"), "42")?;
/// let model = ScriptedModel::new()
///     .says("```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"answer\"}}\n```")
///     .says("It is 42.");
/// let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// let mut chat = Chat::new(AutoTools::new(model)).tools(tools);
/// let turn = chat.turn("What is the answer?").run().await?;
/// assert_eq!((turn.text.as_str(), turn.calls[0].tool.as_str()), ("It is 42.", "read_file"));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct AutoTools<M> {
    model: M,
    are_in_text: Arc<AtomicBool>,
    on_calls_in_text: Arc<dyn Fn() + Send + Sync>,
}

impl<M: ChatModel> AutoTools<M> {
    /// Wraps this model.
    pub fn new(model: M) -> Self {
        Self { model, are_in_text: Arc::default(), on_calls_in_text: Arc::new(|| {}) }
    }

    /// Calls `listener` once, when the model turns out to write its calls into its text.
    #[must_use]
    pub fn on_calls_in_text(self, listener: impl Fn() + Send + Sync + 'static) -> Self {
        Self { on_calls_in_text: Arc::new(listener), ..self }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for AutoTools<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn context_window(&self) -> Option<u64> {
        self.model.context_window()
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        if self.are_in_text.load(Ordering::Relaxed) {
            return reply_in_text(&self.model, request, on_delta).await;
        }
        let mut reply = self.model.reply(request, on_delta).await?;
        // Somebody may have asked for an example of a call, with words before it.
        if reply.calls.is_empty() && !request.tools.is_empty() && begins_with_block(&reply.text) {
            let is_tool = |call: &ToolCall| request.tools.iter().any(|tool| tool.name == call.name);
            reply.calls =
                Some(written_calls(&reply.text)).filter(|all| all.iter().all(is_tool)).unwrap_or_default();
            if !reply.calls.is_empty() && !self.are_in_text.swap(true, Ordering::Relaxed) {
                (self.on_calls_in_text)();
            }
        }
        Ok(reply)
    }
}

impl<M: fmt::Debug> fmt::Debug for AutoTools<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutoTools").field("model", &self.model).finish_non_exhaustive()
    }
}
