//! How much of a model's window a conversation takes.

use std::fmt;

use super::super::{Chat, History, Message};
use crate::tools::ToolDefinition;

/// The share of the window at which older turns should be summarised.
pub const SUMMARISE_AT: f64 = 0.8;

/// How many bytes of text a token is taken for: about right for English and for code. Other scripts have fewer letters
/// to a token, and more bytes to a letter.
const BYTES_PER_TOKEN: u64 = 4;

/// What a picture is taken for: vendors count 1,000 to 1,600 tokens for one that fills the size which they scale to.
const PICTURE_TOKENS: u64 = 1_500;

/// How much of a model's window is taken.
///
/// ```
/// use loop_agents::chat::{ContextMeasure, Fill};
/// let measure = ContextMeasure::new(99, false, Some(100));
/// assert_eq!((measure.percent(), measure.fill()), (Some(99), Fill::Tight));
/// assert_eq!(measure.to_string(), "99 % of the context: ~99 of 100 tokens");
/// // What is not known stays unknown.
/// assert_eq!(ContextMeasure::new(99, true, None).fill(), Fill::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextMeasure {
    /// Tokens that the next request has.
    pub tokens: u64,
    /// They were counted by the server; else they, or a part of them, are estimated.
    pub exact: bool,
    /// Tokens that the model can read and write at once, if that is known. Never zero.
    pub window: Option<u64>,
}

/// How full a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fill {
    /// The window's size is not known.
    Unknown,
    /// Below [`SUMMARISE_AT`].
    Room,
    /// From there on.
    Tight,
    /// At its end, or beyond: what is sent now may be cut off.
    Over,
}

impl ContextMeasure {
    /// So many tokens, in a window of that size. A size of zero says nothing, so it counts as unknown.
    pub const fn new(tokens: u64, exact: bool, window: Option<u64>) -> Self {
        let window = match window {
            Some(0) => None,
            window => window,
        };
        Self { tokens, exact, window }
    }

    /// The share that is taken, in whole percent, rounded down; more than 100 if it does not fit.
    pub fn percent(&self) -> Option<u64> {
        let percent = u128::from(self.tokens) * 100 / u128::from(self.window?);
        Some(u64::try_from(percent).unwrap_or(u64::MAX))
    }

    /// Whether this share of the window (1.0 is all of it) is taken. Never of a window that is not known; a share of
    /// zero means never, too.
    pub fn reaches(&self, share: f64) -> bool {
        share > 0.0 && self.window.is_some_and(|window| self.tokens as f64 >= share * window as f64)
    }

    /// How full it is.
    pub fn fill(&self) -> Fill {
        match self.window {
            None => Fill::Unknown,
            Some(window) if self.tokens >= window => Fill::Over,
            Some(_) if self.reaches(SUMMARISE_AT) => Fill::Tight,
            Some(_) => Fill::Room,
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

/// What a server counted for a reply: all that it read, and the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) struct Counted {
    pub(in crate::chat) tokens: u64,
    /// The messages that the conversation had then.
    pub(in crate::chat) messages: usize,
}

impl Chat {
    /// How much of the model's window the conversation takes now: as the server counted it with the last reply, or
    /// estimated where it did not, and for what has come since.
    pub fn measure(&self) -> ContextMeasure {
        self.measured(0, true)
    }

    /// How much it will take with this message: to be asked before it is sent.
    ///
    /// ```
    /// use loop_agents::chat::{Chat, Fill, Message, ScriptedModel};
    /// let chat = Chat::new(ScriptedModel::new().with_window(1_000));
    /// let prompt = Message::user("a page ".repeat(1_000));
    /// assert_eq!(chat.measure().fill(), Fill::Room);
    /// assert_eq!(chat.measure_with(&prompt).fill(), Fill::Over);
    /// ```
    pub fn measure_with(&self, prompt: &Message) -> ContextMeasure {
        self.measured(message_tokens(prompt), false)
    }

    /// What a turn of another model takes that has a window of this size and hears the last messages alone, with this
    /// prompt if it is yet to be said: see [`Turn::asking`](super::super::Turn::asking). It is estimated.
    ///
    /// ```
    /// use loop_agents::chat::{Chat, Fill, Message, ScriptedModel};
    /// let chat = Chat::new(ScriptedModel::new().with_window(1_000_000));
    /// let prompt = Message::user("a page ".repeat(1_000));
    /// assert_eq!(chat.measure_last(10, Some(&prompt), Some(1_000)).fill(), Fill::Over);
    /// ```
    pub fn measure_last(&self, last: usize, prompt: Option<&Message>, window: Option<u64>) -> ContextMeasure {
        let along = &self.history.messages()[self.history.turns_from(last)..];
        let tokens = along.iter().chain(prompt).map(message_tokens).sum::<u64>();
        ContextMeasure::new(self.instruction_tokens() + tokens, false, window)
    }

    /// What the next request of a turn takes, in the midst of it: what the server counted with the last reply, if it
    /// did, and the results of its calls.
    pub(in crate::chat) fn measure_draft(
        &self,
        draft: &History,
        counted: Option<u64>,
        window: Option<u64>,
    ) -> ContextMeasure {
        let messages = draft.messages();
        let results = || messages.last().into_iter().flat_map(Message::calls);
        let estimated = || self.instruction_tokens() + messages.iter().map(message_tokens).sum::<u64>();
        let tokens = counted.map_or_else(estimated, |counted| {
            counted + results().map(|answered| tokens(&answered.result)).sum::<u64>()
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

    /// What is sent beside the messages.
    fn instruction_tokens(&self) -> u64 {
        let tool = |tool: &ToolDefinition| {
            tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.parameters.to_string())
        };
        self.instructions().as_deref().map_or(0, tokens) + self.definitions.iter().map(tool).sum::<u64>()
    }
}

fn message_tokens(message: &Message) -> u64 {
    let calls = message.calls().iter().map(|answered| {
        let call = &answered.call;
        tokens(&call.name) + tokens(&call.arguments.to_string()) + tokens(&answered.result)
    });
    let pictures = PICTURE_TOKENS * message.attachments().len() as u64;
    tokens(message.text()) + calls.sum::<u64>() + pictures
}

fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES_PER_TOKEN)
}
