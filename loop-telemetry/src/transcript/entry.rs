//! The entries of a session's transcript.

use std::path::Path;

use jiff::Timestamp;
use loop_core::Usage;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::ConversationChange;
use crate::{
    Redactor,
    journal::LinePayload,
    record::format,
    runs::stored_folder::{self, StoredFolder, text},
};

/// The facts about a session at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The id, which names the file: letters, digits, `-` and `_`.
    pub id: String,
    /// The folder in which the session works. Invalid UTF-8 is replaced.
    pub folder: String,
    /// A hash of the folder's original path, if `folder` is [redacted](Self::redacted).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_id: Option<String>,
    /// The first model.
    pub model: String,
    /// The start time, in whole milliseconds.
    #[serde(with = "format::millis")]
    pub started_at: Timestamp,
}

impl SessionInfo {
    /// Creates the description of a session.
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

    /// Redacts secrets in the folder and the model.
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        self.folder_id = stored_folder::redact(&mut self.folder, redactor).or(self.folder_id);
        self.model = redactor.redact(&self.model).into_owned();
        self
    }

    /// Returns whether the session works in this folder, also if its path is redacted here.
    pub fn works_in(&self, folder: impl AsRef<Path>) -> bool {
        StoredFolder { path: &self.folder, id: self.folder_id.as_deref() }.is_at(folder.as_ref())
    }
}

/// An event in a session, with messages of the type `M`.
///
/// A turn is `Asked`, any number of `Called`, and then `Answered` or `Unanswered`. If neither follows, the process was
/// killed during the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TranscriptEntry<M> {
    /// The session began. This is always the first entry, and only the first.
    Begun(SessionInfo),
    /// Another process resumed the session.
    Resumed {
        /// The model from now on.
        model: String,
    },
    /// A file was attached to the next prompt. Each file is stored once: later entries name it by its number among these
    /// entries, counted from 0.
    Attached {
        /// A message with the file only.
        file: M,
    },
    /// The user sent a prompt, and a turn begins.
    Asked {
        /// The prompt, including attachments.
        prompt: M,
        /// The model of this turn.
        model: String,
    },
    /// The model called a tool.
    Called(ToolCallRecord),
    /// The turn got a reply.
    Answered {
        /// The turn's change to the conversation.
        change: ConversationChange<M>,
        /// The usage of the turn.
        usage: Usage,
        /// The model that answered.
        model: String,
    },
    /// The turn got no reply: it failed or was cancelled. The conversation is the same as before it.
    Unanswered {
        /// The reason.
        why: String,
        /// The known usage of the turn.
        usage: Usage,
        /// The text that the model had written so far. It is not in the conversation.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
    },
    /// The user ran a command of the session or of the system.
    Ran {
        /// The command as typed.
        command: String,
        /// The output that was added to the context; may be empty.
        output: String,
        /// The command's change to the conversation.
        change: ConversationChange<M>,
    },
    /// Another model answers from now on.
    ModelChanged {
        /// Its name.
        model: String,
    },
    /// Tools were switched on or off. Until the first of these entries, the model has the tools that the session began
    /// with.
    ToolsChanged {
        /// Whether the model can call tools.
        on: bool,
    },
    /// A text was pinned: it stays in the context, even if messages are dropped.
    Pinned {
        /// The text.
        text: String,
    },
    /// All pinned texts were removed.
    Unpinned,
    /// The conversation was cleared.
    Cleared,
    /// Older messages were replaced by a summary of them.
    Summarised {
        /// The summary.
        summary: String,
        /// The summary's change to the conversation.
        change: ConversationChange<M>,
        /// The usage of the summary.
        usage: Usage,
    },
    /// A repetition of a prompt or command begins.
    LoopBegun {
        /// The pause between two iterations, in seconds.
        interval_seconds: f64,
        /// The maximum number of iterations, if there is one.
        count: Option<u64>,
        /// The repeated prompt or command.
        prompt: String,
    },
    /// The repetition ended.
    LoopEnded {
        /// The number of finished iterations.
        iterations: u64,
        /// The reason for its end, in words.
        how: String,
    },
    /// Recall found something: documents that precede the next prompt alone, or items that joined the conversation.
    Recalled {
        /// The store of the documents; `None` for items that joined the conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        store: Option<String>,
        /// The items, in order.
        items: Vec<RecalledItem>,
    },
    /// A person named the session.
    Renamed {
        /// The name.
        name: String,
    },
    /// The session ended normally. Only [`Resumed`](Self::Resumed) can follow.
    Ended,
}

/// A call that a model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallRecord {
    /// The tool's name.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The complete result, as the model received it.
    pub result: String,
    /// Whether the call succeeded. If not, it failed or was rejected.
    pub done: bool,
}

/// An item that recall found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalledItem {
    /// Where it comes from, such as `experience` or `document`.
    pub silo: String,
    /// Its id there. For a document, the name of its source and its lines.
    pub id: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// An entry with its time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedEntry<M> {
    /// The wall-clock time, in whole milliseconds. Clocks can be set back, so it may be earlier than that of an earlier
    /// entry.
    pub time: Timestamp,
    /// The entry.
    pub entry: TranscriptEntry<M>,
}

/// The first format in which sessions end with [`TranscriptEntry::Ended`].
pub(super) const WITH_ENDS: u32 = 2;

impl<M: DeserializeOwned> LinePayload for TranscriptEntry<M> {
    const FORMAT: u32 = 4;
}

impl<M> TranscriptEntry<M> {
    /// Returns whether the entry is synced to disk. Entries of a turn are not: the sync waits for the turn's end.
    pub(super) const fn is_settled(&self) -> bool {
        !matches!(self, Self::Asked { .. } | Self::Called(_) | Self::Recalled { .. })
    }
}
