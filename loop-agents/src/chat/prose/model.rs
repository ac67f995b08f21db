//! A model that writes its calls as text.

use async_trait::async_trait;

use super::{
    super::{ChatModel, ModelError, OnDelta, Reply, Request},
    calls::{misplaced_calls, written_calls},
    render::{in_words, instructions},
};

/// Adds tool calls to a model that does not support them: see [`written_calls`] for the format.
///
/// The model inside never gets tools. It sees the conversation as text, even if another model made native tool calls in
/// it.
///
/// ```
/// use loop_agents::{chat::{Chat, ProseTools, ScriptedModel}, tools::Toolbox};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("answer"), "42")?;
/// let small = ScriptedModel::new()
///     .says("```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"answer\"}}\n```")
///     .says("It is 42.");
/// let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// let mut chat = Chat::new(ProseTools::new(small)).tools(tools);
/// let turn = chat.turn("What is the answer?").run().await?;
/// assert_eq!((turn.text.as_str(), turn.calls[0].tool.as_str()), ("It is 42.", "read_file"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ProseTools<M>(M);

impl<M: ChatModel> ProseTools<M> {
    /// Wraps this model.
    pub const fn new(model: M) -> Self {
        Self(model)
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for ProseTools<M> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn context_window(&self) -> Option<u64> {
        self.0.context_window()
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        reply_in_text(&self.0, request, on_delta).await
    }
}

/// Leaves out all tools, for a model that must not call any.
///
/// It sees the calls of another model in the conversation as text.
#[derive(Debug, Clone)]
pub struct WithoutTools<M>(M);

impl<M: ChatModel> WithoutTools<M> {
    /// Wraps this model.
    pub const fn new(model: M) -> Self {
        Self(model)
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for WithoutTools<M> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn context_window(&self) -> Option<u64> {
        self.0.context_window()
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        reply_in_text(&self.0, request.with_tools(&[], false), on_delta).await
    }
}

/// Asks the model to write its calls into its text, and returns them as calls.
pub(super) async fn reply_in_text(
    model: &impl ChatModel,
    request: Request<'_>,
    on_delta: OnDelta<'_>,
) -> Result<Reply, ModelError> {
    let tools = if request.may_call { request.tools } else { &[] };
    let system = instructions(request.system, tools);
    let conversation = in_words(request.messages);
    let plain = Request::new(conversation.messages()).with_system(system.as_deref());
    let mut reply = model.reply(plain, on_delta).await?;
    // Parses calls even if the model may not make any: a model that still asks for a tool has not finished.
    if !request.tools.is_empty() && reply.calls.is_empty() {
        reply.calls = written_calls(&reply.text);
        if reply.calls.is_empty() {
            reply.calls = misplaced_calls(&reply.text, request.tools);
        }
    }
    Ok(reply)
}
