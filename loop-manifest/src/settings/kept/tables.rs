//! Tables with a name in the text of a settings file.

use std::path::Path;

use super::{
    error::KeepError,
    folder_table::{fields, line_end, quoted},
};
use crate::{
    Format, Source,
    diagnostics::Span,
    document::{self, ObjectEntry},
};

/// A new table of the user's settings, such as `[models.NAME]`.
#[derive(Debug, Clone, Copy)]
pub struct NewTable<'a> {
    /// `models` or `servers`.
    pub table: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its keys and their texts.
    pub values: &'a [(&'a str, &'a str)],
}

/// Returns the text with the table at its end.
pub(super) fn added(mut text: String, new: &NewTable<'_>) -> String {
    let end = line_end(&text);
    let blank = match text.as_str() {
        "" => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let name = if new.name.chars().all(is_bare) { new.name.to_owned() } else { quoted(new.name) };
    text.push_str(&format!("{blank}[{}.{name}]{end}", new.table));
    for (key, value) in new.values {
        text.push_str(&format!("{key} = {}{end}", quoted(value)));
    }
    text
}

/// Returns the lines of a table, from its heading to its last value, and the empty line above it.
pub(super) fn place(path: &Path, text: &str, table: &str, name: &str) -> Result<Option<Span>, KeepError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let source = Source::from_bytes(path, text.as_bytes().to_vec())?;
    let node = document::parse(Format::Toml, text).map_err(|problem| source.report(vec![problem]))?;
    let of_kind = fields(node).into_iter().find(|entry| entry.key == table);
    let all = of_kind.map(|kind| fields(kind.node)).unwrap_or_default();
    let Some(ObjectEntry { key_span, node, .. }) = all.into_iter().find(|entry| entry.key == name) else {
        return Ok(None);
    };
    let heading = text[..key_span.start].rfind('\n').map_or(0, |at| at + 1);
    let last = fields(node).iter().map(|entry| entry.node.span.end).max().unwrap_or(key_span.end);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let headings = text[heading..end].lines().filter(|line| line.trim_start().starts_with('[')).count();
    if !text[heading..].trim_start().starts_with('[') || headings != 1 {
        return Err(KeepError::Form { path: path.to_owned() });
    }
    let blank = line_end(text);
    let above = &text[..heading];
    let is_blank = above == blank || above.ends_with(&blank.repeat(2));
    let start = if is_blank { heading - blank.len() } else { heading };
    Ok(Some(start..end))
}
