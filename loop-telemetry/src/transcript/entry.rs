//! What happens in a session.

use std::path::Path;

use jiff::Timestamp;
use loop_core::Usage;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Change;
use crate::{
    Redactor,
    journal::Told,
    record::format,
    runs::place::{self, StoredFolder, text},
};

/// What a session was begun with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its id, which names its file: letters, digits, `-` and `_`.
    pub id: String,
    /// The folder in which it works. Bytes that are no text are replaced.
    pub folder: String,
    /// A hash of the folder's path as it was, if it is [without secrets](Self::redacted) here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_id: Option<String>,
    /// The model that is asked at first.
    pub model: String,
    /// When it began, in whole milliseconds.
    #[serde(with = "format::millis")]
    pub started_at: Timestamp,
}

impl SessionInfo {
    /// A session with this id, in this folder, with this model, since then.
    pub fn new(
        id: impl Into<String>,
        folder: impl AsRef<Path>,
        model: impl Into<String>,
        started_at: Timestamp,
    ) -> Self {
        Self {
            id: id.into(),
            folder: text(folder.as_ref()),
            folder_id: None,
            model: model.into(),
            started_at: format::to_millis(started_at),
        }
    }

    /// Takes secrets out of its texts: its folder, and its model.
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        self.folder_id = place::redact(&mut self.folder, redactor).or(self.folder_id);
        self.model = redactor.redact(&self.model).into_owned();
        self
    }

    /// Whether it works in this folder, also if its path is without secrets here.
    pub fn works_in(&self, folder: impl AsRef<Path>) -> bool {
        StoredFolder { path: &self.folder, id: self.folder_id.as_deref() }.is_at(folder.as_ref())
    }
}

/// Something that happened in a session, of messages of the type `M`.
///
/// A turn is `Asked`, any number of `Called`, and then `Answered` or `Unanswered`; if neither comes, the process
/// was killed in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry<M> {
    /// It began. The first entry, and only that.
    Begun(SessionInfo),
    /// Another process took it up.
    Resumed {
        /// The model that is asked from now on.
        model: String,
    },
    /// The user said something, and a turn begins.
    Asked {
        /// What was said, attachments included.
        prompt: M,
        /// The model that is asked in this turn.
        model: String,
    },
    /// The model called a tool.
    Called(CalledTool),
    /// The turn has a reply.
    Answered {
        /// What the turn did to the conversation.
        change: Change<M>,
        /// What it used.
        usage: Usage,
        /// The model that answered.
        model: String,
    },
    /// The turn has none: it failed, or was cancelled. The conversation is as before it.
    Unanswered {
        /// Why not.
        why: String,
        /// What it used, as far as that is known.
        usage: Usage,
        /// What the model had said by then. It is not in the conversation.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
    },
    /// The user ran a command, of the session or of the system.
    Ran {
        /// As it was typed.
        command: String,
        /// What came of it, as it was put into the context; may be empty.
        output: String,
        /// What it did to the conversation.
        change: Change<M>,
    },
    /// Another model is asked from now on.
    ModelChanged {
        /// Its name.
        model: String,
    },
    /// The model can call tools from now on, or cannot. Until the first of these it can what the session was begun
    /// with.
    ToolsChanged {
        /// Whether it can.
        on: bool,
    },
    /// A text was pinned: it stays in the context, whatever becomes of the conversation.
    Pinned {
        /// The text.
        text: String,
    },
    /// Nothing is pinned any more.
    Unpinned,
    /// The conversation was forgotten.
    Cleared,
    /// Older messages were replaced by a summary of them.
    Summarised {
        /// The summary.
        summary: String,
        /// What that did to the conversation.
        change: Change<M>,
        /// What it used.
        usage: Usage,
    },
    /// A prompt or command is repeated from now on.
    LoopBegun {
        /// The pause between two iterations, in seconds.
        interval_seconds: f64,
        /// How often at most, if that is bounded.
        count: Option<u64>,
        /// What is repeated.
        prompt: String,
    },
    /// The repetition ended.
    LoopEnded {
        /// Iterations that came to their end.
        iterations: u64,
        /// How it ended, in words.
        how: String,
    },
    /// A person gave it a name.
    Renamed {
        /// The name.
        name: String,
    },
    /// The session ended as it should. Only [`Resumed`](Self::Resumed) follows.
    Ended,
}

/// A call that a model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalledTool {
    /// The tool's name.
    pub tool: String,
    /// What it was called with.
    pub arguments: Value,
    /// What the model was told of it, whole.
    pub result: String,
    /// Whether it was done; else it failed, or was rejected.
    pub done: bool,
}

/// An entry, and when it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Stamped<M> {
    /// By the wall clock, in whole milliseconds. Clocks are set: it may lie before that of an earlier one.
    pub time: Timestamp,
    /// The entry.
    pub entry: Entry<M>,
}

/// Sessions end with [`Entry::Ended`] since this format.
pub(super) const WITH_ENDS: u32 = 2;

impl<M: DeserializeOwned> Told for Entry<M> {
    const FORMAT: u32 = 2;
}

impl<M> Entry<M> {
    /// Whether it is written through to the disk. What is in the midst of a turn is not: it waits for its end.
    pub(super) const fn is_settled(&self) -> bool {
        !matches!(self, Self::Asked { .. } | Self::Called(_))
    }
}
