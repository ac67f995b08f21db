//! Replies to requests, for people and for programs.

use serde_json::Value;

/// The reply to a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnowledgeReply {
    /// The words for a person; may be empty.
    pub text: String,
    /// The same for programs: one value per item.
    pub json: Vec<Value>,
    /// Remarks for a person, such as a missing embedder.
    pub remarks: Vec<String>,
    /// Whether a search found nothing.
    pub is_empty: bool,
}

impl KnowledgeReply {
    pub(super) fn said(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json: vec![json], ..Self::default() }
    }

    pub(super) fn list(lines: &[String], empty: &str, json: Vec<Value>) -> Self {
        let text = if lines.is_empty() { empty.to_owned() } else { lines.join("\n") };
        Self { text, json, ..Self::default() }
    }
}
