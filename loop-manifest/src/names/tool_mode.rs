//! How a model gets tools, and how much of a conversation.

use std::{fmt, str::FromStr};

/// How a model gets tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolMode {
    /// Structured calls where the model is known to support them, or where nobody knows it. If a reply is nothing but a
    /// call in text, the model gets them in its text from then on.
    #[default]
    Auto,
    /// Through the interface of the server.
    Structured,
    /// As fenced JSON in the text of the model.
    Prose,
    /// Not at all. A prompt carries the files that it names.
    Inject,
    /// Not at all.
    None,
}

/// The error for a text that is neither a [`ToolMode`] nor a [`HistoryShare`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{written}` is not one of {expected}")]
pub struct ModeError {
    written: String,
    expected: &'static str,
}

impl ToolMode {
    /// All modes.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Structured, Self::Prose, Self::Inject, Self::None];

    /// Returns the mode as people write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Structured => "structured",
            Self::Prose => "prose",
            Self::Inject => "inject",
            Self::None => "none",
        }
    }

    /// Returns whether the model can call tools.
    pub const fn has_calls(self) -> bool {
        !matches!(self, Self::Inject | Self::None)
    }
}

impl fmt::Display for ToolMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ToolMode {
    type Err = ModeError;

    fn from_str(text: &str) -> Result<Self, ModeError> {
        let expected = "`auto`, `structured`, `prose`, `inject` and `none`";
        let unknown = || ModeError { written: text.to_owned(), expected };
        Self::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or_else(unknown)
    }
}

/// How much of a conversation a model gets that is asked once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryShare {
    /// The whole conversation.
    All,
    /// Up to this many recent messages.
    Last(usize),
    /// Only the prompt.
    None,
}

impl FromStr for HistoryShare {
    type Err = ModeError;

    fn from_str(text: &str) -> Result<Self, ModeError> {
        let expected = "`all`, `none` and a number of messages above 0";
        match text {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => match text.parse() {
                Ok(messages @ 1..) => Ok(Self::Last(messages)),
                _ => Err(ModeError { written: text.to_owned(), expected }),
            },
        }
    }
}
