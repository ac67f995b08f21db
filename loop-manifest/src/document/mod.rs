//! A manifest's text as a tree of values, each with its place.
//!
//! The only seam between formats and the manifest. Every format becomes a [`Node`], and no later module knows the
//! original format. This module does not check types, so that every wrong value can be reported together and in our own
//! words, rather than only the first one in a library's words.

mod json;
mod toml;
mod yaml;

use super::{
    diagnostics::{Diagnostic, Span},
    source::{Format, Source},
};

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// For an object or a list, only its beginning.
    pub(crate) span: Span,
}

/// The value model shared by JSON, YAML and TOML.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A number written without a fraction or an exponent, within 64 bits.
    Whole(i128),
    /// Any other number; may be infinite or not a number in YAML and TOML.
    Decimal(f64),
    Text(String),
    /// A date, which only TOML has. No field of a manifest takes one, so the date itself does not matter.
    Date,
    List(Vec<Node>),
    Object(Vec<ObjectEntry>),
}

/// A key with its value. Both copies of a duplicate key are kept, to be reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectEntry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

/// Reads the text of `source`.
///
/// # Errors
/// The first place at which it is not what its format asks for.
pub(crate) fn parse(source: &Source) -> Result<Node, Diagnostic> {
    match source.format() {
        Format::Toml => toml::parse(source.text()),
        Format::Yaml => yaml::parse(source.text()),
        // JSON is YAML, and only the YAML parser reports locations. The strict JSON parser runs first: it rejects text
        // that other programs cannot read, and its errors are about JSON.
        Format::Json => {
            json::check(source.text())?;
            yaml::parse(source.text())
        }
    }
}

/// Returns the byte offset of a line and column, both counted from 1; `width` measures the column.
fn offset(text: &str, line: usize, column: usize, width: impl Fn(char) -> usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut left = column.saturating_sub(1);
    let before = text[start..].chars().take_while(|&next| {
        let taken = next != '\n' && left >= width(next);
        left = left.saturating_sub(width(next));
        taken
    });
    start + before.map(char::len_utf8).sum::<usize>()
}
