//! Measures how much of a model's window a conversation takes.

use std::fmt;

#[cfg(feature = "genai")]
use super::super::Request;
use super::super::{Chat, History, Message, TurnError};
use crate::tools::ToolDefinition;

/// The share of the window at which older turns should be summarised.
pub const SUMMARISE_AT: f64 = 0.8;

/// Estimated bytes of text per token: about right for English and for code. Other scripts have fewer letters per token,
/// and more bytes per letter.
pub(in crate::chat) const BYTES_PER_TOKEN: u64 = 4;

/// Estimated tokens of a picture: vendors count 1,000 to 1,600 for one that fills the size to which they scale.
const PICTURE_TOKENS: u64 = 1_500;

/// How much of a model's window a conversation takes.
///
/// ```
/// use loop_agents::chat::{ContextMeasure, ContextFill};
/// let measure = ContextMeasure::new(99, false, Some(100));
/// assert_eq!((measure.percent(), measure.fill()), (Some(99), ContextFill::Tight));
/// assert_eq!(measure.to_string(), "99 % of the context: ~99 of 100 tokens");
/// // What is not known stays unknown.
/// assert_eq!(ContextMeasure::new(99, true, None).fill(), ContextFill::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextMeasure {
    /// The tokens of the next request.
    pub tokens: u64,
    /// Whether the server counted all of them. Otherwise some or all of them are estimated.
    pub exact: bool,
    /// How many tokens the model can read and write at once, if known. Never zero.
    pub window: Option<u64>,
}

/// How full a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextFill {
    /// The window's size is unknown.
    Unknown,
    /// The conversation takes less than [`SUMMARISE_AT`] of the window.
    Room,
    /// The conversation takes [`SUMMARISE_AT`] or more.
    Tight,
    /// The window is full, or too small: the server may cut off the next request.
    Over,
}

impl ContextMeasure {
    /// Creates a measure of this many tokens in a window of this size. A window of zero counts as unknown.
    pub const fn new(tokens: u64, exact: bool, window: Option<u64>) -> Self {
        let window = match window {
            Some(0) => None,
            window => window,
        };
        Self { tokens, exact, window }
    }

    /// Returns the share of the window in whole percent, rounded down; more than 100 if the conversation does not fit.
    pub fn percent(&self) -> Option<u64> {
        let percent = u128::from(self.tokens) * 100 / u128::from(self.window?);
        Some(u64::try_from(percent).unwrap_or(u64::MAX))
    }

    /// Returns whether the conversation takes at least this share of the window (1.0 is all of it). Always `false` if
    /// the window is unknown, or if the share is zero.
    pub fn reaches(&self, share: f64) -> bool {
        share > 0.0 && self.window.is_some_and(|window| self.tokens as f64 >= share * window as f64)
    }

    /// Returns how full the window is.
    pub fn fill(&self) -> ContextFill {
        match self.window {
            None => ContextFill::Unknown,
            Some(window) if self.tokens >= window => ContextFill::Over,
            Some(_) if self.reaches(SUMMARISE_AT) => ContextFill::Tight,
            Some(_) => ContextFill::Room,
        }
    }
}

impl fmt::Display for ContextMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.exact { "" } else { "~" };
        match (self.percent(), self.window) {
            (Some(percent), Some(window)) => {
                write!(f, "{percent} % of the context: {about}{} of {window} tokens", self.tokens)
            }
            _ => write!(f, "the context has {about}{} tokens", self.tokens),
        }
    }
}

/// The parts of a request, in estimated tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextParts {
    /// The system prompt.
    pub system: u64,
    /// The pinned texts.
    pub pinned: u64,
    /// The messages, with calls, results and attachments.
    pub messages: u64,
    /// The descriptions of the tools.
    pub tools: u64,
}

impl ContextParts {
    /// Returns the sum.
    pub const fn total(&self) -> u64 {
        self.system + self.pinned + self.messages + self.tools
    }
}

/// The server's count for a reply: everything that the model read, plus the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) struct Counted {
    pub(in crate::chat) tokens: u64,
    /// How many messages the conversation had at that time.
    pub(in crate::chat) messages: usize,
}

impl Chat {
    /// Measures how much of the model's window the conversation takes now. It uses the server's count of the last
    /// reply, if there is one, and estimates the rest.
    pub fn measure(&self) -> ContextMeasure {
        self.measured(0, true)
    }

    /// Measures how much of the window the conversation takes together with this message, before you send it.
    ///
    /// ```
    /// use loop_agents::chat::{Chat, ContextFill, Message, ScriptedModel};
    /// let chat = Chat::new(ScriptedModel::new().with_window(1_000));
    /// let prompt = Message::user("a page ".repeat(1_000));
    /// assert_eq!(chat.measure().fill(), ContextFill::Room);
    /// assert_eq!(chat.measure_with(&prompt).fill(), ContextFill::Over);
    /// ```
    pub fn measure_with(&self, prompt: &Message) -> ContextMeasure {
        self.measured(message_tokens(prompt), false)
    }

    /// Estimates how many tokens a turn of another model takes, with a window of this size. That model gets only the
    /// last messages, and this prompt if you have not sent it yet: see [`Turn::asking`](super::super::Turn::asking).
    ///
    /// ```
    /// use loop_agents::chat::{Chat, ContextFill, Message, ScriptedModel};
    /// let chat = Chat::new(ScriptedModel::new().with_window(1_000_000));
    /// let prompt = Message::user("a page ".repeat(1_000));
    /// assert_eq!(chat.measure_last(10, Some(&prompt), Some(1_000)).fill(), ContextFill::Over);
    /// ```
    pub fn measure_last(&self, last: usize, prompt: Option<&Message>, window: Option<u64>) -> ContextMeasure {
        let along = &self.history.messages()[self.history.turns_from(last)..];
        let tokens = along.iter().chain(prompt).map(message_tokens).sum::<u64>();
        ContextMeasure::new(self.instruction_tokens() + tokens, false, window)
    }

    /// Measures the next request in the middle of a turn: the server's count of the last reply, if there is one, plus
    /// the results of its calls.
    pub(in crate::chat) fn measure_draft(
        &self,
        draft: &History,
        counted: Option<u64>,
        window: Option<u64>,
    ) -> ContextMeasure {
        let messages = draft.messages();
        let results = || messages.last().into_iter().flat_map(Message::calls);
        let context = self.context.as_deref().map_or(0, text_tokens);
        let estimated =
            || self.instruction_tokens() + context + messages.iter().map(message_tokens).sum::<u64>();
        let tokens = counted.map_or_else(estimated, |counted| {
            counted + results().map(|answered| text_tokens(&answered.result)).sum::<u64>()
        });
        ContextMeasure::new(tokens, false, window)
    }

    fn measured(&self, more: u64, exact: bool) -> ContextMeasure {
        let messages = self.history.messages();
        let (before, since) = match self.counted {
            Some(counted) => (counted.tokens, messages.get(counted.messages..).unwrap_or_default()),
            None => (self.instruction_tokens(), messages),
        };
        let exact = exact && self.counted.is_some() && since.is_empty();
        let tokens = before + since.iter().map(message_tokens).sum::<u64>() + more;
        ContextMeasure::new(tokens, exact, self.model.context_window())
    }

    /// Checks that a request of this size fits into its window, and that the system prompt leaves enough of it.
    ///
    /// # Errors
    /// [`TurnError::SystemTooLong`] and [`TurnError::NoRoom`].
    pub(in crate::chat) fn check_room(&self, measure: ContextMeasure) -> Result<(), TurnError> {
        let Some(window) = measure.window else { return Ok(()) };
        let system = self.system_prompt().map_or(0, text_tokens);
        if system.saturating_mul(6) > window.saturating_mul(5) {
            return Err(TurnError::SystemTooLong { tokens: system, window });
        }
        if measure.fill() == ContextFill::Over { Err(TurnError::NoRoom(measure)) } else { Ok(()) }
    }

    /// Estimates what fills the window.
    pub fn context_parts(&self) -> ContextParts {
        ContextParts {
            system: self.system_prompt().map_or(0, text_tokens),
            pinned: self.pinned().iter().map(|text| text_tokens(text)).sum(),
            messages: self.message_tokens(),
            tools: self.definitions.iter().map(tool_tokens).sum(),
        }
    }

    /// Estimates the tokens of all messages.
    pub(super) fn message_tokens(&self) -> u64 {
        self.history.messages().iter().map(message_tokens).sum()
    }

    /// Estimates the tokens that each request has besides its messages.
    pub fn instruction_tokens(&self) -> u64 {
        let tools = self.definitions.iter().map(tool_tokens).sum::<u64>();
        self.instructions().as_deref().map_or(0, text_tokens) + tools
    }
}

/// Estimates the tokens of a whole request.
#[cfg(feature = "genai")]
pub(in crate::chat) fn request_tokens(request: &Request<'_>) -> u64 {
    let messages = request.messages.iter().map(message_tokens).sum::<u64>();
    request.system.map_or(0, text_tokens) + messages + request.tools.iter().map(tool_tokens).sum::<u64>()
}

fn tool_tokens(tool: &ToolDefinition) -> u64 {
    text_tokens(&tool.name) + text_tokens(&tool.description) + text_tokens(&tool.parameters.to_string())
}

pub(super) fn message_tokens(message: &Message) -> u64 {
    let calls = message.calls().iter().map(|answered| {
        let call = &answered.call;
        text_tokens(&call.name) + text_tokens(&call.arguments.to_string()) + text_tokens(&answered.result)
    });
    let pictures = PICTURE_TOKENS * message.attachments().len() as u64;
    text_tokens(message.text()) + calls.sum::<u64>() + pictures
}

pub(in crate::chat) fn text_tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES_PER_TOKEN)
}
