//! What a chat model is.

use std::sync::Arc;

use async_trait::async_trait;
use loop_core::{Meter, Usage};

use super::{Message, ModelError, ToolCall};
use crate::tools::ToolDefinition;

/// Something that answers a conversation.
///
/// # Contract
/// - [`Delta`]s are passed on as they come, not when the reply is complete.
/// - What is not known of the usage is unknown, and not zero. What a reply used that broke off is in the
///   [error](ModelError::usage).
/// - It remembers nothing: what it has to know is in the request.
/// - Dropping the future ends the request.
///
/// ```
/// use loop_agents::chat::{ChatModel, Delta, Message, ModelError, OnDelta, Reply, Request};
///
/// struct Echo;
///
/// #[loop_core::async_trait]
/// impl ChatModel for Echo {
///     fn name(&self) -> &str {
///         "echo"
///     }
///     async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
///         let said = request.messages.last().map_or("", Message::text);
///         on_delta(Delta::Text(said));
///         Ok(Reply::text(said))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ModelError> {
/// let reply = Echo.reply(Request::new(&[Message::user("Hello?")]), &mut |_| {}).await?;
/// assert_eq!(reply.text, "Hello?");
/// # Ok(()) }
/// ```
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The model's name, for people and for the price table.
    fn name(&self) -> &str;

    /// How many tokens it can read and write at once, where that is known.
    fn context_window(&self) -> Option<u64> {
        None
    }

    /// Answers.
    ///
    /// # Errors
    /// [`ModelError`], which says whether it is worth asking again.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request. What was spent on it is not known then.
    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError>;
}

/// Hears a reply while it comes.
pub type OnDelta<'a> = &'a mut (dyn FnMut(Delta<'_>) + Send);

/// A piece of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// The next words.
    Text(&'a str),
    /// What the model thinks, where its vendor shows that. It is no part of the reply.
    Thought(&'a str),
    /// Forget the pieces so far: the reply broke off and is asked for again.
    Restarted,
    /// A try broke off, used this, and is made again. It is part of no other usage: not of the reply's, nor of an
    /// [error's](ModelError::usage).
    Used(Usage),
}

/// Asks a model, and reports what it uses to these meters as soon as that is known, also if it does not answer.
pub(crate) async fn metered(
    model: &dyn ChatModel,
    request: Request<'_>,
    meters: &[Meter],
    on_delta: OnDelta<'_>,
) -> Result<Reply, ModelError> {
    let add = |usage| meters.iter().for_each(|meter| meter.add(usage));
    let mut listen = |delta: Delta<'_>| {
        if let Delta::Used(usage) = delta {
            add(usage);
        }
        on_delta(delta);
    };
    let reply = model.reply(request, &mut listen).await;
    add(reply.as_ref().map_or_else(ModelError::usage, |reply| reply.usage));
    reply
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Who the model is to be.
    pub system: Option<&'a str>,
    /// The conversation: that of a [`History`](super::History), whose last message is to be answered.
    pub messages: &'a [Message],
    /// What the model may call.
    pub tools: &'a [ToolDefinition],
    /// Whether it may call anything in this reply. Tools that must not be called are named all the same,
    /// since some vendors refuse a conversation with calls of which they do not know the tools.
    pub may_call: bool,
}

impl<'a> Request<'a> {
    /// This conversation, without tools.
    pub const fn new(messages: &'a [Message]) -> Self {
        Self { system: None, messages, tools: &[], may_call: true }
    }

    /// With a system prompt.
    #[must_use]
    pub const fn with_system(self, system: Option<&'a str>) -> Self {
        Self { system, ..self }
    }

    /// With tools, and whether they may be called now.
    #[must_use]
    pub const fn with_tools(self, tools: &'a [ToolDefinition], may_call: bool) -> Self {
        Self { tools, may_call, ..self }
    }

    /// Whether tools were called since the user spoke last.
    pub fn follows_calls(&self) -> bool {
        let turn =
            self.messages.iter().rev().take_while(|message| matches!(message, Message::Assistant { .. }));
        turn.into_iter().any(|message| !message.calls().is_empty())
    }
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// What it said.
    pub text: String,
    /// What it wants to be called.
    pub calls: Vec<ToolCall>,
    /// The usage that was reported.
    pub usage: Usage,
    /// The reply was cut at the most tokens that a reply may have.
    pub truncated: bool,
}

impl Reply {
    /// Words alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// With one more call.
    #[must_use]
    pub fn with_call(mut self, call: ToolCall) -> Self {
        self.calls.push(call);
        self
    }

    /// With what it used.
    #[must_use]
    pub const fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Cut at its longest length.
    #[must_use]
    pub const fn truncated(mut self) -> Self {
        self.truncated = true;
        self
    }
}

/// Forwards to the model inside.
macro_rules! forward {
    ($pointer:ty) => {
        #[async_trait]
        impl<M: ChatModel + ?Sized> ChatModel for $pointer {
            fn name(&self) -> &str {
                (**self).name()
            }
            fn context_window(&self) -> Option<u64> {
                (**self).context_window()
            }
            async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
                (**self).reply(request, on_delta).await
            }
        }
    };
}
forward!(Box<M>);
forward!(Arc<M>);

const _: fn(&dyn ChatModel) = |_| {};
