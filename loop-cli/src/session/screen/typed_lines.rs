//! The lines typed while a line runs, below the turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use console::measure_text_width;
use unicode_segmentation::UnicodeSegmentation;

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
    /// Whether the person is asked a question, so that the work waits for them.
    is_asked: bool,
    /// Whether the person saw the question of the current call, with what it changes.
    is_seen: bool,
}

/// The time in which the person is asked a question. Dropping it ends that time.
#[derive(Debug)]
pub(crate) struct AskedTime(TypedLines);

impl TypedLines {
    /// Shows these lines.
    pub(crate) fn show(&self, queued: Vec<String>, begun: String) {
        let mut content = self.content();
        (content.queued, content.begun) = (queued, begun);
        drop(content);
        view::refresh_page();
    }

    /// Hides the status line, which would count the seconds below the question, until the result is dropped.
    pub(crate) fn ask(&self) -> AskedTime {
        self.set_asked(true);
        AskedTime(self.clone())
    }

    /// Returns whether the person is asked a question.
    pub(super) fn is_asked(&self) -> bool {
        self.content().is_asked
    }

    /// Returns whether the person saw the question of a call since the last call of this.
    pub(super) fn take_seen(&self) -> bool {
        std::mem::take(&mut self.content().is_seen)
    }

    fn set_asked(&self, is_asked: bool) {
        self.content().is_asked = is_asked;
        view::refresh_page();
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the rows of the lines, the last ones first of all if there are many.
    pub(super) fn rows(&self) -> Vec<String> {
        let content = self.content();
        let hidden = content.queued.len().saturating_sub(MAX_ROWS);
        let mut rows = Vec::new();
        if hidden > 0 {
            rows.push(paint(DIM, format_args!("  … {}", text::count(hidden as u64, "more queued line"))));
        }
        let queued = content.queued.iter().skip(hidden);
        rows.extend(queued.map(|line| paint(DIM, format_args!("> {} (queued)", text::one_line(line)))));
        if !content.begun.is_empty() {
            rows.push(format!(
                "> {}",
                end_of_line(&text::one_line(&content.begun), view::terminal_columns())
            ));
        }
        rows
    }
}

/// Returns the end of a line that is being typed, if all of it is too wide. The person sees what they type.
fn end_of_line(line: &str, columns: usize) -> String {
    let room = columns.saturating_sub("> ".len() + 1).max(2);
    if measure_text_width(line) <= room {
        return line.to_owned();
    }
    let mut taken = measure_text_width("…");
    let begin = line.grapheme_indices(true).rev().take_while(|(_, sign)| {
        taken += measure_text_width(sign);
        taken <= room
    });
    let begin = begin.last().map_or(line.len(), |(at, _)| at);
    format!("…{}", &line[begin..])
}

impl AskedTime {
    /// Notes that the person sees the question.
    pub(crate) fn seen(&self) {
        self.0.content().is_seen = true;
    }
}

impl Drop for AskedTime {
    fn drop(&mut self) {
        self.0.set_asked(false);
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

    #[test]
    fn of_a_long_line_the_end_is_shown() {
        assert_eq!(end_of_line("one two", 10), "one two");
        assert_eq!(end_of_line("one two three", 10), "… three");
        assert_eq!(end_of_line("漢字漢字漢字", 10), "…字漢字");
    }
}
