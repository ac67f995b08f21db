//! Exports of a transcript for people: a screenplay in Fountain, or Markdown.
//!
//! You can show an export to somebody, keep it beside the project, or read it in ten years. It contains every character
//! of the session. Headings, empty lines and lines in capitals have a meaning in these formats, so we escape, quote or
//! fence such text. Only the bytes of attachments are left out, with a note.
//!
//! Both exports are pure functions of a session's entries. The caller passes a function that [views](MessageView)
//! each message as an [`ExportedMessage`].

mod export_event;
mod fountain;
mod markdown;
mod quote;
mod visible;

use serde_json::Value;

pub use self::{fountain::fountain, markdown::markdown};

/// Views a message as a speech.
pub type MessageView<M> = fn(&M) -> ExportedMessage<'_>;

/// The content of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedMessage<'a> {
    /// Whether the model wrote it. If not, the user did.
    pub by_model: bool,
    /// The text; may be empty.
    pub text: &'a str,
    /// The calls in the message, with their results.
    pub calls: Vec<ExportedCall<'a>>,
    /// The files attached to it.
    pub files: Vec<ExportedFile<'a>>,
}

/// A call in an [`ExportedMessage`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExportedCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The arguments.
    pub arguments: &'a Value,
    /// The result, as the model received it.
    pub result: &'a str,
}

/// A file in an [`ExportedMessage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportedFile<'a> {
    /// The name, if the file has one.
    pub name: Option<&'a str>,
    /// The type, such as `image/png`.
    pub media_type: &'a str,
    /// The length in bytes.
    pub bytes: u64,
}
