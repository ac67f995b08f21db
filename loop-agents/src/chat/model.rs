//! The interface of a chat model.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use loop_core::{Meter, Usage};

use super::{Message, ModelError, ModelErrorKind, ToolCall};
use crate::tools::ToolDefinition;

/// A model that answers a conversation.
///
/// # Contract
/// - It passes on [`Delta`]s as they arrive, not when the reply is complete.
/// - If it does not know the usage, it reports `Usage::unknown()`, and not zero. The usage of an interrupted reply is
///   in the [error](ModelError::usage).
/// - It has no memory: the request contains everything that it needs.
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
    /// Returns the model's name, for people and for the price table.
    fn name(&self) -> &str;

    /// Returns how many tokens the model can read and write at once, if known.
    fn context_window(&self) -> Option<u64> {
        None
    }

    /// Answers the request.
    ///
    /// # Errors
    /// [`ModelError`], which tells whether a retry makes sense.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request. Its usage is then unknown.
    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError>;
}

/// Receives a reply while it arrives.
pub type OnDelta<'a> = &'a mut (dyn FnMut(Delta<'_>) + Send);

/// A piece of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// The next words.
    Text(&'a str),
    /// A part of the model's thoughts, if its vendor shows them. It is not part of the reply.
    Thought(&'a str),
    /// The request failed for this reason before any piece of a reply, and [`Retry`](super::Retry) repeats it, after the
    /// wait that a rate limit names.
    Retrying(ModelErrorKind),
    /// The reply broke off, and the model is asked again: discard the pieces so far.
    Restarted,
    /// The usage of an attempt that broke off and is about to be repeated. No other usage includes it: neither that of
    /// the reply, nor that of an [error](ModelError::usage).
    Used(Usage),
    /// The memory of the server does not suffice for the model's window, so the window is smaller from now on.
    SmallerWindow(SmallerWindow),
}

/// The size to which a lack of memory reduced the window of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SmallerWindow {
    /// The new size.
    pub tokens: u64,
}

impl fmt::Display for SmallerWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the server's memory does not suffice: from now on the model reads at most {} tokens",
            self.tokens
        )
    }
}

/// Asks a model, and reports its usage to these meters as soon as it is known, even if the model fails. If a reply has no
/// numbers of tokens, its usage is a lower bound.
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
    let mut reply = model.reply(request, &mut listen).await;
    if let Ok(Reply { usage, .. }) = &mut reply {
        usage.are_tokens_partial |= usage.tokens().is_none();
    }
    add(reply.as_ref().map_or_else(ModelError::usage, |reply| reply.usage));
    reply
}

/// A request to a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The system prompt.
    pub system: Option<&'a str>,
    /// The messages of a [`History`](super::History). The model answers the last one.
    pub messages: &'a [Message],
    /// The tools that the model may call.
    pub tools: &'a [ToolDefinition],
    /// Whether the model may call tools in this reply. The request names the tools in any case, because some vendors
    /// refuse a conversation with calls of tools that the request does not name.
    pub may_call: bool,
}

impl<'a> Request<'a> {
    /// Creates a request with this conversation and without tools.
    pub const fn new(messages: &'a [Message]) -> Self {
        Self { system: None, messages, tools: &[], may_call: true }
    }

    /// Sets the system prompt.
    #[must_use]
    pub const fn with_system(self, system: Option<&'a str>) -> Self {
        Self { system, ..self }
    }

    /// Sets the tools, and whether the model may call them now.
    #[must_use]
    pub const fn with_tools(self, tools: &'a [ToolDefinition], may_call: bool) -> Self {
        Self { tools, may_call, ..self }
    }

    /// Returns whether the model has called tools since the user's last message.
    pub fn follows_calls(&self) -> bool {
        let turn =
            self.messages.iter().rev().take_while(|message| matches!(message, Message::Assistant { .. }));
        turn.into_iter().any(|message| !message.calls().is_empty())
    }
}

/// The reply of a model.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The calls that the model asks for.
    pub calls: Vec<ToolCall>,
    /// The reported usage.
    pub usage: Usage,
    /// Whether the reply reached its token limit and was cut.
    pub truncated: bool,
}

impl Reply {
    /// Creates a reply with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Adds a call.
    #[must_use]
    pub fn with_call(mut self, call: ToolCall) -> Self {
        self.calls.push(call);
        self
    }

    /// Sets the usage.
    #[must_use]
    pub const fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Marks the reply as cut at its token limit.
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
