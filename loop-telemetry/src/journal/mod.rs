//! The journal: the data that a run needs to continue after its process died.
//!
//! Six hours of a run are worth six hours, and often money. We append each event to `events.jsonl` as one line, and
//! sync it to disk before any action that follows from it begins. The file is text, so you can read it with `jq` and
//! `tail`, without this program:
//!
//! ```text
//! jq -c '[.seq, .event.kind]' events.jsonl
//! ```
//!
//! A process that dies while it writes leaves half a line. A resume cuts off that line, because no action that followed
//! from it had begun. Other damage is an error that names the line: with a gap in its history, the run would repeat
//! finished work or skip unfinished work.

mod appender;
mod chain;
mod error;
mod file;
mod line_buffer;
mod line_format;
mod line_reader;
mod lock;
mod outputs;
mod reader;
mod tamper_check;

pub(crate) use self::{
    appender::Appender,
    chain::LinePosition,
    error::IoErrorContext,
    line_format::{LinePayload, last as last_line, write as write_line},
    line_reader::LineReader,
    lock::{holder, is_held, is_locked, lock},
    tamper_check::check_chain,
};
pub use self::{
    chain::LineDigest,
    error::JournalError,
    file::FileJournal,
    lock::RunLock,
    outputs::MAX_INLINE_OUTPUT,
    reader::{JournalEntry, JournalReader, StoredOutput},
    tamper_check::ChainState,
};

/// The name of the events file.
pub(crate) const EVENTS: &str = "events.jsonl";

/// The name of an empty file beside it, which shows that the first events were synced. If this file exists, a journal
/// without events is damaged.
pub(crate) const BEGUN: &str = "begun";

/// Returns whether the journal of the run in this folder has had events.
pub(crate) fn has_begun(run: &std::path::Path) -> bool {
    run.join(BEGUN).symlink_metadata().is_ok()
}
