//! Removes the text that carried a score.

use std::ops::Range;

use crate::output::lines::fence_mark;

/// The marks around emphasised text and code.
pub(super) const EMPHASIS: [char; 4] = ['*', '_', '`', '~'];

/// Returns the text without this place. Emphasis around it, a line without further words and an emptied fence go with it.
pub(super) fn without(text: &str, place: Range<usize>) -> String {
    let (mut start, mut end) = (place.start, place.end);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let rest = [&text[line_start..start], &text[end..line_end]];
    if rest.iter().any(|rest| rest.contains(char::is_alphanumeric)) {
        while let Some(sign) = text[..start].chars().next_back().filter(|sign| EMPHASIS.contains(sign))
            && text[end..].starts_with(sign)
        {
            (start, end) = (start - 1, end + 1);
        }
        return format!("{}{}", text[..start].trim_end(), &text[end..]).trim().to_owned();
    }
    let (before, after) = without_fence(&text[..line_start], &text[line_end..]);
    match (before.trim_end(), after.trim_start_matches(['\r', '\n'])) {
        (before, after) if before.is_empty() || after.trim().is_empty() => format!("{before}{after}"),
        (before, after) => format!("{before}\n{after}"),
    }
    .trim()
    .to_owned()
}

/// Returns both texts without the fences of a block that has nothing between them.
fn without_fence<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let opened = before.trim_end();
    let opening = opened.rfind('\n').map_or(0, |at| at + 1);
    let closed = after.trim_start();
    let (closing, rest) = closed.split_once('\n').unwrap_or((closed, ""));
    match (fence_mark(&opened[opening..]), fence_mark(closing)) {
        (Some((sign, length, _)), Some((end, most, true))) if sign == end && most >= length => {
            (&opened[..opening], rest)
        }
        _ => (before, after),
    }
}
