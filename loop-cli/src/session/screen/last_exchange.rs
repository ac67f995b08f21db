//! The end of a session that is resumed.

use loop_session::ExchangePart;

use crate::view::{DIM, Markdown, paint, text, wrapped};

/// The maximum number of rows of a typed line.
const TYPED_ROWS: usize = 3;

/// The maximum number of rows of a command's output.
const OUTPUT_ROWS: usize = 3;

/// The maximum number of rows of the reply.
const REPLY_ROWS: usize = 10;

/// The maximum number of parts.
const PARTS: usize = 8;

/// Formats the end of a session. It shows the beginning of a long line, and the end of a long output or reply.
pub(crate) fn last_exchange(parts: &[ExchangePart], width: usize) -> Vec<String> {
    let last = &parts[parts.len().saturating_sub(PARTS)..];
    last.iter().flat_map(|part| rows(part, width)).collect()
}

fn rows(part: &ExchangePart, width: usize) -> Vec<String> {
    match part {
        ExchangePart::Typed(line) => {
            let all = wrapped(line, width.saturating_sub(2));
            let shown = all.iter().take(TYPED_ROWS).map(|row| paint(DIM, format_args!("> {row}")));
            shown.chain(hidden(all.len(), TYPED_ROWS)).collect()
        }
        ExchangePart::Output(output) => {
            let rows = wrapped(output, width);
            end(rows.into_iter().map(|row| paint(DIM, row)).collect(), OUTPUT_ROWS)
        }
        ExchangePart::Reply(reply) => {
            let mut markdown = Markdown::default();
            let mut rows = markdown.push(reply, width);
            rows.extend(markdown.end(width));
            end(rows, REPLY_ROWS)
        }
        _ => Vec::new(),
    }
}

/// Returns the last rows, after the number of the others.
fn end(mut rows: Vec<String>, most: usize) -> Vec<String> {
    let hidden = hidden(rows.len(), most);
    hidden.into_iter().chain(rows.drain(rows.len().saturating_sub(most)..)).collect()
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
        let parts = [
            ExchangePart::Typed("!seq 5".to_owned()),
            ExchangePart::Output("1\n2\n3\n4\n5\n(exit 0)".to_owned()),
            ExchangePart::Typed("word ".repeat(20)),
            ExchangePart::Reply("**row**\n\n".repeat(10)),
        ];
        let rows = last_exchange(&parts, 20);
        let rows: Vec<_> = rows.iter().map(|row| strip_str(row).to_string()).collect();
        assert_eq!(rows[..5], ["> !seq 5", "… 3 more rows", "4", "5", "(exit 0)"]);
        let rows = &rows[5..];
        assert_eq!(rows[..2], ["> word word word", "> word word word"]);
        assert_eq!((rows[3].as_str(), rows[4].as_str()), ("… 4 more rows", "… 9 more rows"));
        assert_eq!((rows.len(), rows.last().map(String::as_str)), (15, Some("row")));
    }
}
