//! Messages of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Attachment;
use crate::output::json_objects;

/// A message of a conversation.
///
/// A call and its result are one value, so that they cannot be separated: most vendors refuse a conversation in which a
/// call has no answer, or an answer has no call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A message to the model.
    User {
        /// The text; may be empty if something is attached.
        text: String,
        /// The files that come with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
    },
    /// A message of the model, with its calls.
    Assistant {
        /// The text; may be empty if there are calls.
        text: String,
        /// The calls in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<AnsweredCall>,
    },
}

impl Message {
    /// Replaces the text of a user's message.
    #[must_use]
    pub(crate) fn with_text(mut self, change: impl FnOnce(&str) -> String) -> Self {
        if let Self::User { text, .. } = &mut self {
            *text = change(text);
        }
        self
    }

    /// Creates a message to the model.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), attachments: Vec::new() }
    }

    /// Adds an attachment. It leaves a message of the model unchanged, because the model attaches nothing.
    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        if let Self::User { attachments, .. } = &mut self {
            attachments.push(attachment);
        }
        self
    }

    /// Changes the attachments.
    #[must_use]
    pub fn map_attachments(mut self, change: impl FnMut(Attachment) -> Attachment) -> Self {
        if let Self::User { attachments, .. } = &mut self {
            *attachments = std::mem::take(attachments).into_iter().map(change).collect();
        }
        self
    }

    /// Creates a message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        match self {
            Self::User { text, .. } | Self::Assistant { text, .. } => text,
        }
    }

    /// Returns the attachments.
    pub fn attachments(&self) -> &[Attachment] {
        match self {
            Self::User { attachments, .. } => attachments,
            Self::Assistant { .. } => &[],
        }
    }

    /// Returns the calls that the model made in this message, with their results.
    pub fn calls(&self) -> &[AnsweredCall] {
        match self {
            Self::User { .. } => &[],
            Self::Assistant { calls, .. } => calls,
        }
    }
}

/// A call of a tool that the model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id by which the vendor matches the result to the call. A [`History`](super::History) replaces an id that it
    /// already has.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: an object, unless the model failed to write one.
    pub arguments: Value,
    /// Opaque data that the vendor wants back with the call, such as encrypted thoughts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seals: Vec<String>,
    /// Whether the model wrote the call in its text, as models without native tool calls do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_text: bool,
}

impl ToolCall {
    /// Creates a call. It parses arguments that are a text with an object in it, because many models quote them once
    /// too often. An object with a duplicate key is not valid: it stays a text, which no tool accepts. Missing
    /// arguments become an empty object.
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
            Value::String(text) => json_objects::unique(&text).unwrap_or(Value::String(text)),
            Value::Null => Value::Object(serde_json::Map::new()),
            other => other,
        };
        Self { id: id.into(), name: name.into(), arguments, seals: Vec::new(), in_text: false }
    }
}

/// A call with its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnsweredCall {
    /// The call.
    pub call: ToolCall,
    /// The result that the model reads.
    pub result: String,
}
