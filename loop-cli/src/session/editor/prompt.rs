//! The prompt in front of typed text.

use std::borrow::Cow;

use console::{Term, measure_text_width};
use reedline::{Color, PromptEditMode, PromptHistorySearch};

use crate::view::text;

/// The sign in front of typed text. The sign of continuation lines has the same width.
const INDICATOR: &str = "> ";

/// The prompt in front of typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EditorPrompt {
    /// True if commands run unchecked, which the prompt should make visible.
    pub(crate) is_unsafe: bool,
    /// True if the next session may remember what is typed.
    pub(crate) is_recorded: bool,
}

impl EditorPrompt {
    /// Erases the prompt and the text typed after it, if it is the last thing on the screen. Later output then replaces
    /// it instead of following it.
    pub(super) fn erase(&self, typed: &str) {
        let screen = Term::stderr();
        let (_, columns) = screen.size();
        let above = self.rows(typed, usize::from(columns)) - 1;
        // If the screen does not support this, the prompt stays.
        let _ = screen.clear_line().and_then(|()| screen.clear_last_lines(above));
    }

    /// Formats a line after its prompt, without an editor.
    pub(super) fn before(&self, line: &str) -> String {
        let left = reedline::Prompt::render_prompt_left(self);
        format!("{left}{INDICATOR}{}", text::printable(line))
    }

    /// Returns the number of rows for this text on a screen of this many columns, including the cursor.
    fn rows(&self, typed: &str, columns: usize) -> usize {
        let before = reedline::Prompt::render_prompt_left(self).len() + INDICATOR.len();
        let width = |(row, line)| measure_text_width(line) + if row == 0 { before } else { INDICATOR.len() };
        typed.split('\n').enumerate().map(|line| width(line) / columns.max(1) + 1).sum()
    }
}

impl reedline::Prompt for EditorPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(if self.is_unsafe { "[unsafe] " } else { "" })
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(INDICATOR)
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("search: {} > ", search.term))
    }

    fn get_prompt_color(&self) -> Color {
        Color::Red
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_what_was_typed_are_counted_with_what_stands_before_it() {
        let rows = |is_unsafe, typed: &str| EditorPrompt { is_unsafe, is_recorded: true }.rows(typed, 20);
        assert_eq!((rows(false, ""), rows(false, "a line"), rows(false, "one\ntwo\n")), (1, 1, 3));
        // A character in the last column moves the cursor to the next row.
        let (seventeen, eighteen) = ("x".repeat(17), "x".repeat(18));
        assert_eq!((rows(false, &seventeen), rows(false, &eighteen), rows(true, &eighteen)), (1, 2, 2));
    }
}
