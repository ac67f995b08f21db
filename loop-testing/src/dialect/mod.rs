//! The wire formats of a reply.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use axum::http::HeaderValue;
use serde_json::{Value, json};

use crate::answer::Reply;

/// A protocol of a vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
    /// Streamed generated content.
    Gemini,
    /// Lines of JSON.
    Ollama,
}

impl Dialect {
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        match path {
            path if path.ends_with("/chat/completions") => Some(Self::OpenAi),
            path if path.ends_with("/messages") => Some(Self::Anthropic),
            path if path.ends_with(":streamGenerateContent") => Some(Self::Gemini),
            path if path.ends_with("/api/chat") => Some(Self::Ollama),
            _ => None,
        }
    }

    pub(crate) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Ollama => "application/x-ndjson",
            _ => "text/event-stream",
        })
    }

    pub(crate) fn error(self, message: &str) -> Value {
        match self {
            Self::Ollama => json!({ "error": message }),
            _ => json!({ "error": { "type": "scripted", "message": message } }),
        }
    }

    /// Returns the frames before the first piece.
    pub(crate) fn opening(self, reply: &Reply) -> Option<String> {
        match self {
            Self::Anthropic => Some(anthropic::opening(reply)),
            _ => None,
        }
    }

    /// Returns the pieces of the reply, each in the form of one frame.
    pub(crate) fn pieces(self, reply: &Reply) -> Vec<String> {
        match self {
            Self::OpenAi => openai::pieces(reply),
            Self::Anthropic => anthropic::pieces(reply),
            Self::Gemini => gemini::pieces(reply),
            Self::Ollama => ollama::pieces(reply),
        }
    }

    /// Returns the frame that reports the usage, if it comes before the end.
    pub(crate) fn usage(self, reply: &Reply) -> Option<String> {
        match self {
            Self::OpenAi => openai::usage(reply),
            Self::Anthropic => anthropic::usage(reply),
            Self::Gemini => gemini::usage(reply),
            Self::Ollama => None,
        }
    }

    /// Returns the frame that ends the reply.
    pub(crate) fn ending(self, reply: &Reply) -> String {
        match self {
            Self::OpenAi => openai::ending(reply),
            Self::Anthropic => anthropic::ending(reply),
            Self::Gemini => gemini::ending(reply),
            Self::Ollama => ollama::ending(reply),
        }
    }
}

/// A server-sent event without a name.
fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}
