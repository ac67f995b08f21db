#![doc = include_str!("../README.md")]

pub mod checksum;
mod cut;
mod file;
mod folder;
mod journal;
mod json;
mod logs;
mod record;
mod redact;
#[cfg(feature = "report")]
pub mod report;
pub mod rows;
mod runs;
mod state_dir;
pub mod transcript;
#[cfg(unix)]
mod unlinked;
pub mod words;

/// Its instants are what this crate is told, and tells.
pub use jiff;

pub use self::{
    file::{TelemetryError, TelemetryFile},
    journal::{Entry, FileJournal, JournalError, JournalReader, KeptOutput, MAX_INLINE_OUTPUT, RunLock},
    json::always_json,
    logs::{Channel, Log, LogError, Logs},
    record::{CostState, Draft, Record, Tokens, clamped},
    redact::{REDACTED, RedactingStream, Redactor, secrets_in_addresses},
    runs::{
        DeadRun, LivingRun, Parallel, Retention, RunEntry, RunInfo, RunManifest, RunStore, StoreError,
        StoreWarning,
    },
    state_dir::{NoStateDir, StateDir},
};
