//! What changes a conversation between its turns.

use std::borrow::Cow;

use super::{
    super::{ChatModel, History, Message, context::Counted},
    Chat,
};
use crate::tools::Toolbox;

/// Stands before what is pinned.
const PINNED: &str = "The user has pinned this; it holds for the whole conversation:";

impl Chat {
    /// Who the model is to be, from now on.
    pub fn set_system(&mut self, system: Option<String>) {
        self.system = system;
        self.counted = None;
    }

    /// The system prompt, without what is pinned.
    pub fn system_prompt(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// Asks this model from now on.
    pub fn set_model(&mut self, model: impl ChatModel + 'static) {
        self.model = Box::new(model);
        self.counted = None;
    }

    /// Gives the model other tools from now on, or none. Returns those that it had.
    pub fn set_tools(&mut self, tools: Option<Toolbox>) -> Option<Toolbox> {
        self.definitions = tools.as_ref().map(Toolbox::definitions).unwrap_or_default();
        self.counted = None;
        std::mem::replace(&mut self.tools, tools)
    }

    /// Goes on from here: replaces what was said. What is pinned stays.
    pub fn set_history(&mut self, history: History) {
        self.history = history;
        self.counted = None;
    }

    /// Forgets what was said. The system prompt and what is pinned stay.
    pub fn clear(&mut self) {
        self.set_history(History::new());
    }

    /// Puts something into the context without a turn: what a command printed, say. The model reads it with the next
    /// prompt.
    pub fn put(&mut self, message: Message) {
        let joins = matches!(message, Message::Assistant { .. }) && !self.history.is_empty();
        // It may become a part of the last message, which the server has counted without it.
        self.counted = self.counted.filter(|_| !joins);
        self.history.push(message);
    }

    /// Pins a text: the model is told it with each request, whatever becomes of the conversation. An empty one is
    /// passed over.
    pub fn pin(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.pinned.push(text);
            self.counted = None;
        }
    }

    /// Pins nothing any more; returns what was.
    pub fn unpin(&mut self) -> Vec<String> {
        self.counted = None;
        std::mem::take(&mut self.pinned)
    }

    /// What is pinned, in its order.
    pub fn pinned(&self) -> &[String] {
        &self.pinned
    }

    /// What the model is told with each request, before the conversation.
    pub(in crate::chat) fn instructions(&self) -> Option<Cow<'_, str>> {
        if self.pinned.is_empty() {
            return self.system.as_deref().map(Cow::Borrowed);
        }
        let parts = self.system.iter().map(String::as_str).chain([PINNED]);
        let parts: Vec<_> = parts.chain(self.pinned.iter().map(String::as_str)).collect();
        Some(Cow::Owned(parts.join("\n\n")))
    }

    /// The conversation after a turn, of which the server counted so many tokens.
    pub(super) fn grow(&mut self, history: History, counted: Option<u64>) {
        let messages = history.messages().len();
        self.history = history;
        self.counted = counted.map(|tokens| Counted { tokens, messages });
    }
}
