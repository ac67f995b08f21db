#![doc = include_str!("../README.md")]

mod cache;
#[cfg(feature = "text")]
pub mod check_summary;
pub mod checksum;
#[cfg(unix)]
mod debug_log;
mod failpoint;
mod journal;
mod json;
mod logs;
#[cfg(unix)]
mod open_without_links;
#[cfg(unix)]
pub mod own_file;
mod private_folder;
mod record;
mod redact;
#[cfg(feature = "report")]
pub mod report;
mod retention;
pub mod rows;
mod runs;
mod state_dir;
mod telemetry_file;
pub mod transcript;
pub mod words;

/// The public interface uses its instants.
pub use jiff;

#[cfg(unix)]
pub use self::debug_log::DebugLog;
#[cfg(feature = "text")]
pub use self::redact::OutputFilter;
pub use self::{
    cache::Cache,
    journal::{
        ChainState, FileJournal, JournalEntry, JournalError, JournalReader, LineDigest, MAX_INLINE_OUTPUT,
        RunLock, StoredOutput,
    },
    json::always_json,
    logs::{Channel, Log, LogError, Logs},
    record::{CostState, Record, RecordDraft, TokenTotals, clamped},
    redact::{REDACTED, RedactingStream, Redactor, redact_credentials, secrets_in_addresses},
    retention::{Retention, RetentionError},
    runs::{
        ActiveRun, DeadRun, ParallelRuns, RunEntry, RunFile, RunInfo, RunManifest, RunStore, StoreError,
        StoreWarning, short_ids,
    },
    state_dir::{StateDir, StateDirError},
    telemetry_file::{TelemetryError, TelemetryFile},
};
