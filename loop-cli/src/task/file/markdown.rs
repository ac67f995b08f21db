//! A task in Markdown.

use super::{Head, TaskFileError};

const FENCE: &str = "---";

pub(super) fn read(text: &str) -> Result<(Head, String), TaskFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((head, body)) = split(text) else { return Ok((Head::default(), text.to_owned())) };
    if head.trim().is_empty() {
        return Ok((Head::default(), body.to_owned()));
    }
    let head = serde_saphyr::from_str(head).map_err(|error| wrong(&error.to_string()))?;
    Ok((head, body.to_owned()))
}

/// The parser draws the place beneath its message.
fn wrong(message: &str) -> TaskFileError {
    let first = message.lines().next().unwrap_or_default();
    TaskFileError::Yaml(first.trim_start_matches("error: ").to_owned())
}

/// What stands between the first line and the next one like it, and what stands behind that.
fn split(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != FENCE {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}
