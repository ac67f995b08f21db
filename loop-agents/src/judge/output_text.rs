//! Outputs with a text.

use std::sync::Arc;

use crate::{
    chat::TurnOutput,
    output::{ending, excerpt},
    shell::ShellOutput,
};

/// An output with a text to judge: the words of an agent.
pub trait OutputText: Send + Sync + 'static {
    /// Returns the text in at most `max_bytes` plus a notice, as [`excerpt`] cuts it.
    fn excerpt(&self, max_bytes: usize) -> String;

    /// Returns the end of the text in at most `max_bytes`, without surrounding white space, as [`ending`] cuts it.
    fn last_words(&self, max_bytes: usize) -> String;

    /// Returns how the agent failed, if it did. Then nothing that the text claims about itself counts. Reads after
    /// "it".
    fn failure(&self) -> Option<String> {
        None
    }
}

impl OutputText for ShellOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.said().excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.said().last_text(max_bytes)
    }

    fn failure(&self) -> Option<String> {
        Self::failure(self)
    }
}

impl OutputText for TurnOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.text.excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.text.last_words(max_bytes)
    }

    fn failure(&self) -> Option<String> {
        Self::failure(self)
    }
}

impl OutputText for String {
    fn excerpt(&self, max_bytes: usize) -> String {
        excerpt(self.as_bytes(), max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        ending(self.trim(), max_bytes)
    }
}

impl<W: OutputText> OutputText for Arc<W> {
    fn excerpt(&self, max_bytes: usize) -> String {
        (**self).excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        (**self).last_words(max_bytes)
    }

    fn failure(&self) -> Option<String> {
        (**self).failure()
    }
}

const _: fn(&dyn OutputText) = |_| {};
