//! Changes to a conversation between its turns.

use std::borrow::Cow;

use loop_guardrails::policy::workspace::Workspace;

use super::{
    super::{ChatModel, History, Message, context::Counted},
    Chat,
};
use crate::tools::{Toolbox, with_named_files};

/// Introduces the pinned texts.
const PINNED: &str = "The user has pinned this; it holds for the whole conversation:";

impl Chat {
    /// Replaces the system prompt.
    pub fn set_system(&mut self, system: Option<String>) {
        self.system = system;
        self.counted = None;
    }

    /// Returns the system prompt, without the pinned texts.
    pub fn system_prompt(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// Replaces the model.
    pub fn set_model(&mut self, model: impl ChatModel + 'static) {
        self.model = Box::new(model);
        self.counted = None;
        self.summarised = None;
    }

    /// Replaces the model's tools, or removes them with `None`. Returns the previous ones.
    pub fn set_tools(&mut self, tools: Option<Toolbox>) -> Option<Toolbox> {
        self.definitions = tools.as_ref().map(Toolbox::definitions).unwrap_or_default();
        self.counted = None;
        std::mem::replace(&mut self.tools, tools)
    }

    /// Puts the files of this workspace that a prompt names before the prompt, for a model without tools; see
    /// [`with_named_files`](crate::tools::with_named_files). `None` stops that.
    pub fn set_named_files(&mut self, workspace: Option<Workspace>) {
        self.named_files = workspace;
    }

    /// Returns a prompt as a turn sends it, with the files that it [names](Self::set_named_files). Measure this one, because
    /// the files may take most of the window. Blocks on the disk.
    #[must_use]
    pub fn as_sent(&self, prompt: Message) -> Message {
        match &self.named_files {
            Some(workspace) => prompt.with_text(|text| with_named_files(workspace, text)),
            None => prompt,
        }
    }

    /// Puts a text before the prompts of the next turns: something that was found for them. The text is part of the
    /// requests of a turn, and not of the conversation. `None` stops that.
    pub fn set_context(&mut self, context: Option<String>) {
        self.context = context;
    }

    /// Returns the messages of a request: the prompt at this index follows the [context](Self::set_context).
    pub(super) fn with_context<'a>(&self, messages: &'a [Message], prompt: usize) -> Cow<'a, [Message]> {
        let (Some(context), Some(asked)) = (&self.context, messages.get(prompt)) else {
            return Cow::Borrowed(messages);
        };
        let mut messages = messages.to_vec();
        messages[prompt] = asked.clone().with_text(|text| format!("{context}{text}"));
        Cow::Owned(messages)
    }

    /// Replaces the messages. Pinned texts stay.
    pub fn set_history(&mut self, history: History) {
        self.history = history;
        self.counted = None;
        self.summarised = None;
    }

    /// Removes all messages. The system prompt and the pinned texts stay.
    pub fn clear(&mut self) {
        self.set_history(History::new());
    }

    /// Adds a message to the context without a turn, such as the output of a command. The model reads it with the next
    /// prompt.
    pub fn put(&mut self, message: Message) {
        let joins = matches!(message, Message::Assistant { .. }) && !self.history.is_empty();
        // The message may become a part of the last one, which the server counted without it.
        self.counted = self.counted.filter(|_| !joins);
        self.history.push(message);
    }

    /// Pins a text: every request contains it, even if the conversation is summarised or cleared. Ignores an empty
    /// text.
    pub fn pin(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.pinned.push(text);
            self.counted = None;
        }
    }

    /// Removes all pinned texts and returns them.
    pub fn unpin(&mut self) -> Vec<String> {
        self.counted = None;
        std::mem::take(&mut self.pinned)
    }

    /// Returns the pinned texts in order.
    pub fn pinned(&self) -> &[String] {
        &self.pinned
    }

    /// Returns the system prompt and the pinned texts, which every request has before the conversation.
    pub(in crate::chat) fn instructions(&self) -> Option<Cow<'_, str>> {
        if self.pinned.is_empty() {
            return self.system.as_deref().map(Cow::Borrowed);
        }
        let parts = self.system.iter().map(String::as_str).chain([PINNED]);
        let parts: Vec<_> = parts.chain(self.pinned.iter().map(String::as_str)).collect();
        Some(Cow::Owned(parts.join("\n\n")))
    }

    /// Replaces the conversation after a turn. `counted` is the server's count of its tokens.
    pub(super) fn grow(&mut self, history: History, counted: Option<u64>) {
        let messages = history.messages().len();
        self.history = history;
        self.counted = counted.map(|tokens| Counted { tokens, messages });
    }
}
