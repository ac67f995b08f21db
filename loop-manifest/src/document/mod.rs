//! A manifest's text as a tree of values, each with its place.
//!
//! The only seam between formats and the manifest. Every format becomes a [`Node`], and no later module knows the
//! original format. This module does not check types, so that every wrong value can be reported together and in our own
//! words, rather than only the first one in a library's words.

mod json;
mod toml;
mod yaml;

use super::{
    diagnostic::{Diagnostic, Span},
    duration,
    format::Format,
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
    /// A date as it is written. Only TOML has dates, and only `metadata` takes one.
    Date(String),
    List(Vec<Node>),
    Object(Vec<ObjectEntry>),
}

impl Value {
    /// Returns the time that the value says, in seconds, if it is one.
    pub(crate) fn seconds(&self) -> Option<f64> {
        match self {
            Self::Whole(whole) => Some(*whole as f64),
            Self::Decimal(decimal) => Some(*decimal),
            Self::Text(text) => duration::parse(text).ok().map(|time| time.as_secs_f64()),
            _ => None,
        }
    }
}

/// A key with its value. Both copies of a duplicate key are kept, to be reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectEntry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
    /// The flag of the command line that set the value, if it is one for this key alone.
    pub(crate) flag: Option<&'static str>,
}

/// Reads a text in this format.
///
/// # Errors
/// The first place at which it is not what its format asks for.
pub(crate) fn parse(format: Format, text: &str) -> Result<Node, Diagnostic> {
    match format {
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
        // JSON is YAML, and only the YAML parser reports locations. The strict JSON parser runs first: it rejects text
        // that other programs cannot read, and its errors are about JSON.
        Format::Json => {
            json::check(text)?;
            yaml::parse(text)
        }
    }
}

/// Reads one value from the command line, in YAML. All of its locations are `span`.
///
/// # Errors
/// The first place at which it is not YAML, moved to `span`.
pub(crate) fn parse_value(text: &str, span: &Span) -> Result<Node, Diagnostic> {
    let mut node = yaml::parse(text).map_err(|problem| problem.moved(span))?;
    node.locate(span);
    Ok(node)
}

impl Node {
    /// Gives one location to the value and all of its parts.
    fn locate(&mut self, span: &Span) {
        self.span = span.clone();
        match &mut self.value {
            Value::List(nodes) => nodes.iter_mut().for_each(|node| node.locate(span)),
            Value::Object(entries) => entries.iter_mut().for_each(|entry| {
                entry.key_span = span.clone();
                entry.node.locate(span);
            }),
            _ => {}
        }
    }

    /// Returns the value in JSON. A date becomes text, and a number that JSON does not have becomes `null`.
    pub(crate) fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Whole(whole) => match i64::try_from(*whole) {
                Ok(whole) => whole.into(),
                Err(_) => u64::try_from(*whole).ok().into(),
            },
            Value::Decimal(decimal) => (*decimal).into(),
            Value::Text(text) | Value::Date(text) => text.as_str().into(),
            Value::List(nodes) => nodes.iter().map(Self::json).collect(),
            Value::Object(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.node.json())).collect()
            }
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
