//! What stands before what is typed.

use std::borrow::Cow;

use reedline::{Color, PromptEditMode, PromptHistorySearch};

/// What stands before what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// Commands are not looked at: that should be in sight.
    pub(crate) is_unsafe: bool,
}

impl reedline::Prompt for Prompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(if self.is_unsafe { "[unsafe] " } else { "" })
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
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
