//! The end of a session that is resumed.

use crate::view::{DIM, Markdown, paint, text, wrapped};

/// The maximum number of rows of the prompt.
const PROMPT_ROWS: usize = 3;

/// The maximum number of rows of the reply.
const REPLY_ROWS: usize = 10;

/// Formats the last prompt and its reply. It shows the beginning of a long prompt, and the end of a long reply.
pub(crate) fn last_exchange(prompt: &str, reply: &str, width: usize) -> Vec<String> {
    let prompt = wrapped(prompt, width.saturating_sub(2));
    let mut rows: Vec<_> =
        prompt.iter().take(PROMPT_ROWS).map(|row| paint(DIM, format_args!("> {row}"))).collect();
    rows.extend(hidden(prompt.len(), PROMPT_ROWS));
    let mut markdown = Markdown::default();
    let mut reply = markdown.push(reply, width);
    reply.extend(markdown.end(width));
    rows.extend(hidden(reply.len(), REPLY_ROWS));
    rows.extend(reply.drain(reply.len().saturating_sub(REPLY_ROWS)..));
    rows
}

/// Counts the rows that are not shown.
fn hidden(rows: usize, most: usize) -> Option<String> {
    let hidden = rows.saturating_sub(most);
    (hidden > 0).then(|| paint(DIM, format_args!("… {}", text::count(hidden as u64, "more row"))))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    #[test]
    fn a_long_exchange_is_shown_in_part() {
        let rows = last_exchange(&"word ".repeat(20), &"**row**\n\n".repeat(10), 20);
        let rows: Vec<_> = rows.iter().map(|row| strip_str(row).to_string()).collect();
        assert_eq!(rows[..2], ["> word word word", "> word word word"]);
        assert_eq!((rows[3].as_str(), rows[4].as_str()), ("… 4 more rows", "… 9 more rows"));
        assert_eq!((rows.len(), rows.last().map(String::as_str)), (15, Some("row")));
    }
}
