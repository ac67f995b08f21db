//! A task in Markdown.

use super::{TaskFileError, TaskHeader, strict_object::StrictObject};

const FENCE: &str = "---";

pub(super) fn read(text: &str) -> Result<(TaskHeader, String), TaskFileError> {
    // However its lines end.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let Some((head, body)) = split(&text)? else { return Ok((TaskHeader::default(), text)) };
    if head.trim().is_empty() {
        return Ok((TaskHeader::default(), body.to_owned()));
    }
    let StrictObject(head) = serde_saphyr::from_str(head).map_err(|error| wrong(&error.to_string()))?;
    Ok((head, body.to_owned()))
}

/// The parser draws the place beneath its message.
fn wrong(message: &str) -> TaskFileError {
    let first = message.lines().next().unwrap_or_default();
    TaskFileError::Yaml(first.trim_start_matches("error: ").to_owned())
}

/// Splits the text at the first line and the next one like it. A person who writes such a header wants a check or a
/// tool, so it must not count as words of the task.
fn split(text: &str) -> Result<Option<(&str, &str)>, TaskFileError> {
    let before = text.len() - text.trim_start().len();
    let mut at = text[..before].rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[at..].split_inclusive('\n').zip(1 + text[..at].matches('\n').count()..);
    let Some((first, number)) = lines.next().filter(|(first, _)| first.trim() == FENCE) else {
        return Ok(None);
    };
    if number > 1 || !first.starts_with(FENCE) {
        return Err(TaskFileError::LateHead(number));
    }
    at += first.len();
    let begin = at;
    for (line, number) in lines {
        match line.trim_end() {
            FENCE => return Ok(Some((&text[begin..at], &text[at + line.len()..]))),
            "..." => return Err(TaskFileError::DottedHead(number)),
            _ => at += line.len(),
        }
    }
    Err(TaskFileError::OpenHead)
}
