//! The journal: what a run needs to go on after its process died, in a folder of its own.
//!
//! A run that took six hours is worth six hours, and often money. Its events are appended to `events.jsonl`,
//! one line each, and written through to the disk before anything is begun that follows from them. The file
//! is text, so that a person finds out with `jq` and `tail` what happened, also without this program:
//!
//! ```text
//! jq -c '[.seq, .event.kind]' events.jsonl
//! ```
//!
//! A process that dies while it writes leaves half a line; that line is cut off when the run goes on, for
//! nothing had been begun that followed from it. Any other damage is an error that names the line: a history
//! with a hole would make the run do again what was done, or skip what was not.

mod appender;
mod error;
mod file;
mod line;
mod lines;
mod lock;
mod outputs;
mod reader;
mod untouched;

pub(crate) use self::{
    appender::Appender,
    error::At,
    line::{Told, write as write_line},
    lines::Lines,
    lock::{is_held, is_locked, lock},
};
pub use self::{
    error::JournalError,
    file::FileJournal,
    lock::RunLock,
    outputs::MAX_INLINE_OUTPUT,
    reader::{Entry, JournalReader, KeptOutput},
};

/// The name of the file of the events.
pub(crate) const EVENTS: &str = "events.jsonl";

/// The name of an empty file beside it, which says that the first events are on the disk: a journal without any is
/// damaged then.
pub(crate) const BEGUN: &str = "begun";

/// Whether the journal of the run in this folder has had events.
pub(crate) fn has_begun(run: &std::path::Path) -> bool {
    run.join(BEGUN).symlink_metadata().is_ok()
}
