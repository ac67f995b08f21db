//! The transcript: everything that is said in a session, lossless, as it happens.
//!
//! Who sat with a model for an afternoon wants three things of it: to go on tomorrow where it ended, to find
//! what was decided, and to show it to somebody. A record that keeps the first line of each reply, or that is
//! written when the session ends, has none of it after the terminal was closed by mistake. So each session has a
//! file of lines, and what happens is appended when it happens:
//!
//! ```text
//! sessions/<id>.jsonl     what happened; locked by the process that holds the session
//! sessions/<id>.name      how a person calls it, for lists
//! ```
//!
//! Lines are made, numbered and checked as those of a [journal](crate::FileJournal): a torn last one is cut off
//! when the session goes on, any other damage is an error that names the line, and two processes never write one
//! session. An entry is written where a turn begins, where a tool was called, and where the turn ends, so a
//! session that is killed loses the turn in flight, and one knows what its tools did. The last entry of a session is
//! [`Entry::Ended`]: a file that [lacks it](Transcript::lacks_end) was cut, or its process was killed.
//!
//! What a message is, this crate does not know: a transcript is generic over it. So nothing of a message is lost
//! on a way through other types, and none has to be extended when messages are. What an entry did to the
//! conversation is a [`Change`], which holds for whatever the conversation does with its messages: joining them,
//! leaving old results out, replacing them by a summary. [`Conversation`] is the fold of all of them.
//!
//! ```
//! use jiff::Timestamp;
//! use loop_core::Usage;
//! use loop_telemetry::transcript::{Change, Conversation, Entry, SessionInfo, SessionStore};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let state = tempfile::tempdir()?;
//! let store = SessionStore::at(state.path().join("sessions"));
//! let info = SessionInfo::new("s-1", "/home/ann/project", "qwen3", Timestamp::now());
//! // Here a message is a text.
//! let mut transcript = store.begin::<String>(&info, Timestamp::now)?;
//! transcript.append(&Entry::Asked { prompt: "Hello?".into(), model: "qwen3".into() })?;
//! let change = Change { kept: 0, messages: vec!["Hello?".into(), "# Hi\n\nWhat is it?".into()] };
//! transcript.append(&Entry::Answered { change, usage: Usage::unknown(), model: "qwen3".into() })?;
//! drop(transcript);
//!
//! let (_transcript, talk): (_, Conversation<String>) = store.resume("s-1", Timestamp::now)?;
//! assert_eq!(talk.messages, ["Hello?", "# Hi\n\nWhat is it?"]);
//! # Ok(())
//! # }
//! ```
//!
//! Format 2 has [`Entry::Ended`], and format 1 is read as it was. A later version that has other entries writes another
//! format, and lines of that are refused by their number: to
//! pass over what one does not know would restore another conversation than there was.

mod change;
mod conversation;
mod entry;
mod error;
pub mod export;
mod file;
mod list;
mod store;

pub use self::{
    change::{Change, Misfit},
    conversation::Conversation,
    entry::{CalledTool, Entry, SessionInfo, Stamped},
    error::SessionError,
    file::Transcript,
    list::{SessionEntry, UnreadableSession},
    store::SessionStore,
};
