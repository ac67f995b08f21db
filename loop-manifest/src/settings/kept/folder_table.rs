//! The table of one folder in the text of a settings file.
//!
//! It changes the text in place, because a parser that writes the file anew would also change its line ends.

use std::path::Path;

use super::error::KeepError;
use crate::{
    Format, Source,
    diagnostics::Span,
    document::{self, Node, ObjectEntry, Value},
};

/// The table of one folder in a file, with the places of its parts.
#[derive(Default)]
pub(super) struct FolderTable {
    /// The folder's name in the heading.
    heading: Option<Span>,
    entries: Vec<ObjectEntry>,
}

impl FolderTable {
    pub(super) fn find(path: &Path, text: &str, folder: &str) -> Result<Self, KeepError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let source = Source::from_bytes(path, text.as_bytes().to_vec())?;
        let node = document::parse(Format::Toml, text).map_err(|problem| source.report(vec![problem]))?;
        let folders = fields(node).into_iter().find(|entry| entry.key == "folders");
        let all = folders.map(|folders| fields(folders.node)).unwrap_or_default();
        let Some(here) = all.into_iter().find(|entry| entry.key == folder) else {
            return Ok(Self::default());
        };
        // `[folders."X".permissions]` names the folder too, but a line below it belongs to the permissions.
        let rest = text[here.key_span.end..].trim_start_matches(['"', '\'', ' ', '\t']);
        let heading = Some(here.key_span).filter(|_| !rest.starts_with('.'));
        Ok(Self { heading, entries: fields(here.node) })
    }

    /// Returns the value of a key.
    pub(super) fn value(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// Adds a line with a key and its value below the heading. Adds the heading if it is missing.
    pub(super) fn insert(&self, text: &mut String, folder: &str, key: &str, value: &str) {
        let end = line_end(text);
        let new = format!("{key} = {value}{end}");
        match &self.heading {
            Some(heading) => insert_line(text, heading.end, &new),
            None => {
                let blank = match text.as_str() {
                    "" => String::new(),
                    text if text.ends_with('\n') => end.to_owned(),
                    _ => end.repeat(2),
                };
                text.push_str(&format!("{blank}[folders.{}]{end}{new}", quoted(folder)));
            }
        }
    }
}

/// Inserts a line below the one that contains this position.
pub(super) fn insert_line(text: &mut String, position: usize, line: &str) {
    match text[position..].find('\n') {
        Some(at) => text.insert_str(position + at + 1, line),
        None => text.push_str(&format!("{}{line}", line_end(text))),
    }
}

/// Returns the line end that the text uses.
pub(super) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

pub(super) fn fields(node: Node) -> Vec<ObjectEntry> {
    if let Value::Object(entries) = node.value { entries } else { Vec::new() }
}

/// Returns a text in TOML, between double quotes.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|sign| match sign {
        '"' | '\\' => format!("\\{sign}"),
        sign if sign.is_control() => format!("\\u{:04X}", u32::from(sign)),
        sign => sign.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
