//! The transcript: a lossless record of a session, written as it happens.
//!
//! After an afternoon with a model, you want to continue tomorrow, find a decision, or show the session to somebody. A
//! record that keeps only the first line of each reply, or that is written when the session ends, is useless after you
//! close the terminal by mistake. So each session has a file of lines, and each entry is appended at once:
//!
//! ```text
//! sessions/<id>.jsonl     what happened; locked by the process that holds the session
//! sessions/<id>.name      how a person calls it, for lists
//! ```
//!
//! Lines are written, numbered and checked like those of a [journal](crate::FileJournal). A resume cuts off a torn last
//! line. Other damage is an error that names the line. Two processes never write one session. We write an entry when a
//! turn begins, after each tool call, and when the turn ends. So a killed session loses only the turn in flight, and
//! the calls of its tools are known. The last entry of a session is [`TranscriptEntry::Ended`]: a file that [lacks
//! it](Transcript::lacks_end) was cut off, or its process was killed.
//!
//! A transcript is generic over the type of a message. So no part of a message is lost in a conversion, and this crate
//! does not change when messages do. Each entry records its [`ConversationChange`] to the conversation: how many
//! messages to keep, and which to append. This describes everything that a conversation does with its messages: joining
//! them, leaving out old results, replacing them by a summary. [`Conversation`] is the fold of all entries.
//!
//! ```
//! use jiff::Timestamp;
//! use loop_core::Usage;
//! use loop_telemetry::transcript::{ConversationChange, Conversation, TranscriptEntry, SessionInfo, SessionStore};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let state = tempfile::tempdir()?;
//! let store = SessionStore::at(state.path().join("sessions"));
//! let info = SessionInfo::new("s-1", "/home/ann/project", "qwen3", Timestamp::now());
//! // Here a message is a text.
//! let mut transcript = store.begin::<String>(&info, Timestamp::now)?;
//! transcript.append(&TranscriptEntry::Asked { prompt: "Hello?".into(), model: "qwen3".into() })?;
//! let change = ConversationChange { kept: 0, messages: vec!["Hello?".into(), "# Hi\n\nWhat is it?".into()] };
//! transcript.append(&TranscriptEntry::Answered { change, usage: Usage::unknown(), model: "qwen3".into() })?;
//! drop(transcript);
//!
//! let (_transcript, talk): (_, Conversation<String>) = store.resume("s-1", Timestamp::now)?;
//! assert_eq!(talk.messages, ["Hello?", "# Hi\n\nWhat is it?"]);
//! # Ok(())
//! # }
//! ```
//!
//! Format 2 has [`TranscriptEntry::Ended`], and format 3 has [`TranscriptEntry::Attached`]; formats 1 and 2 are still
//! readable. If a later version adds entries, it changes the format. We refuse lines of an unknown format: skipping them would restore a different conversation.

mod change;
mod conversation;
mod entry;
mod error;
pub mod export;
mod file;
mod list;
mod missing_end;
mod removal;
mod store;

pub use self::{
    change::{ChangeError, ConversationChange},
    conversation::{Conversation, RecentLine},
    entry::{RecalledItem, SessionInfo, TimedEntry, ToolCallRecord, TranscriptEntry},
    error::SessionError,
    file::Transcript,
    list::{SessionEntry, UnreadableSession},
    missing_end::MissingEnd,
    store::SessionStore,
};
