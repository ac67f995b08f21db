//! JSON with comments, as some tools write their settings.

/// Removes the comments of JSON, and the commas before a closing bracket.
pub(crate) fn without_comments(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['"', '/', ']', '}']) {
        plain += &rest[..at];
        rest = &rest[at..];
        let end = match rest.as_bytes() {
            [b'/', b'/', ..] => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            [b'/', b'*', ..] => {
                rest = rest.get(2..).and_then(|it| it.split_once("*/")).map_or("", |(_, after)| after);
                continue;
            }
            [b'"', ..] => string_length(rest),
            [b']' | b'}', ..] => {
                let kept = plain.trim_end().trim_end_matches(',').len();
                plain.truncate(kept);
                1
            }
            _ => 1,
        };
        plain += &rest[..end];
        rest = &rest[end..];
    }
    plain + rest
}

/// Returns the length of the string with which a text begins, with its quotation marks.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, sign)| {
        let is_end = *sign == '"' && !is_escaped;
        is_escaped = *sign == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}
