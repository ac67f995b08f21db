//! What is said in a conversation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Attachment;
use crate::output::objects;

/// A piece of a conversation.
///
/// A call and its result are one value, so that they cannot be parted: most vendors refuse a conversation in
/// which a call is never answered, or an answer has no call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What was said to the model.
    User {
        /// The words; may be empty if something is attached.
        text: String,
        /// What was given with them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
    },
    /// What the model said, and what it asked for besides.
    Assistant {
        /// The words; may be empty if there are calls.
        text: String,
        /// What it asked for, in its order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<AnsweredCall>,
    },
}

impl Message {
    /// Words to the model.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), attachments: Vec::new() }
    }

    /// With something to look at. The model's own words are as they were: it attaches nothing.
    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        if let Self::User { attachments, .. } = &mut self {
            attachments.push(attachment);
        }
        self
    }

    /// Words of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }

    /// The words.
    pub fn text(&self) -> &str {
        match self {
            Self::User { text, .. } | Self::Assistant { text, .. } => text,
        }
    }

    /// What was given with the words.
    pub fn attachments(&self) -> &[Attachment] {
        match self {
            Self::User { attachments, .. } => attachments,
            Self::Assistant { .. } => &[],
        }
    }

    /// The calls that the model made in this message, with their results.
    pub fn calls(&self) -> &[AnsweredCall] {
        match self {
            Self::User { .. } => &[],
            Self::Assistant { calls, .. } => calls,
        }
    }
}

/// A tool that the model wants to be called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// What the vendor pairs the result with the call by. A [`History`](super::History) replaces one that it
    /// has already.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What it is called with: an object, unless the model did not manage to write one.
    pub arguments: Value,
    /// What the vendor wants back with the call, unread: sealed thoughts, for example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seals: Vec<String>,
    /// The call stands in the message's text, as models without tool calls write it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_text: bool,
}

impl ToolCall {
    /// A call. Arguments that are a text which holds an object are taken for that object: many a model quotes
    /// them once too often. One in which a key stands twice is none, and stays a text, which no tool takes. No arguments
    /// at all are an empty object.
    ///
    /// ```
    /// use loop_agents::chat::ToolCall;
    /// use serde_json::json;
    /// let call = ToolCall::new("c1", "read_file", json!("{\"path\": \"a.txt\"}"));
    /// assert_eq!(call.arguments, json!({ "path": "a.txt" }));
    /// ```
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::String(text) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
            Value::String(text) => objects::unique(&text).unwrap_or(Value::String(text)),
            Value::Null => Value::Object(serde_json::Map::new()),
            other => other,
        };
        Self { id: id.into(), name: name.into(), arguments, seals: Vec::new(), in_text: false }
    }
}

/// A call and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnsweredCall {
    /// The call.
    pub call: ToolCall,
    /// What the model is told of it.
    pub result: String,
}
