//! A transcript as people read it: as a screenplay in Fountain, or in Markdown.
//!
//! An export is for showing a session to somebody, keeping it beside the project, or reading it in ten years. What
//! was said stands in it to the last character: headings, empty lines and lines in capitals have a meaning in these
//! formats, so they are escaped, quoted or fenced where they would be taken for something else. Only the bytes of
//! attachments are left out, and said to be.
//!
//! Both are pure functions over a session's entries. What a message is they are told by a function that [views](View)
//! it as a [`Speech`].

mod beat;
mod fountain;
mod markdown;
mod quote;
mod visible;

use serde_json::Value;

pub use self::{fountain::fountain, markdown::markdown};

/// How a message is seen as a speech.
pub type View<M> = fn(&M) -> Speech<'_>;

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub struct Speech<'a> {
    /// By the model, or else by the user.
    pub by_model: bool,
    /// The words; may be empty.
    pub text: &'a str,
    /// The calls in it, with their results.
    pub calls: Vec<SpokenCall<'a>>,
    /// The files that were given with it.
    pub files: Vec<SpokenFile<'a>>,
}

/// A call in a [`Speech`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpokenCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What it was called with.
    pub arguments: &'a Value,
    /// What the model was told of it.
    pub result: &'a str,
}

/// A file in a [`Speech`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpokenFile<'a> {
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    /// What it is, such as `image/png`.
    pub media_type: &'a str,
    /// How long it is, in bytes.
    pub bytes: u64,
}
