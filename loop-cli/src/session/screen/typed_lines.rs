//! The lines typed while a line runs, below the turn.

use std::sync::{Arc, Mutex, PoisonError};

use crate::view::{self, DIM, paint, text};

/// The maximum number of queued lines on the screen.
const MAX_ROWS: usize = 5;

/// The queued lines, and the one that is being typed. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct TypedLines(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    queued: Vec<String>,
    begun: String,
}

impl TypedLines {
    /// Shows these lines.
    pub(crate) fn show(&self, queued: Vec<String>, begun: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Content { queued, begun };
        view::refresh_page();
    }

    /// Returns the rows of the lines, the last ones first of all if there are many.
    pub(super) fn rows(&self) -> Vec<String> {
        let content = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hidden = content.queued.len().saturating_sub(MAX_ROWS);
        let mut rows = Vec::new();
        if hidden > 0 {
            rows.push(paint(DIM, format_args!("  … {}", text::count(hidden as u64, "more queued line"))));
        }
        let queued = content.queued.iter().skip(hidden);
        rows.extend(queued.map(|line| paint(DIM, format_args!("> {} (queued)", text::one_line(line)))));
        if !content.begun.is_empty() {
            rows.push(format!("> {}", text::one_line(&content.begun)));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    #[test]
    fn the_last_lines_are_shown_and_the_others_are_counted() {
        let typed = TypedLines::default();
        typed.show((1..=7).map(|number| format!("line {number}")).collect(), "half".to_owned());
        let rows: Vec<_> = typed.rows().iter().map(|row| strip_str(row).to_string()).collect();
        assert_eq!((rows[0].as_str(), rows[1].as_str()), ("  … 2 more queued lines", "> line 3 (queued)"));
        assert_eq!(rows.last().map(String::as_str), Some("> half"));
    }
}
