//! A record of decisions and their results.
//!
//! After a night of work somebody asks: did the agent read that file, and who allowed it? The agent's own account
//! contains only what it believes. So the audit records every decision before the action runs: the last thousand in
//! memory, and all of them in a [file](AuditFile), if there is one.

mod file;

use std::{
    collections::VecDeque,
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::file::{AuditError, AuditFile};

/// How many entries stay in memory by default.
pub const DEFAULT_CAPACITY: usize = 1000;

/// The result of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
    /// The action is allowed and is about to run.
    Allowed,
    /// The action is not allowed.
    Denied,
    /// The action ran and failed.
    Error,
    /// The action ran.
    Success,
}

/// One decision or result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// The time of the decision or result.
    pub at: Timestamp,
    /// The action: the name of a tool.
    pub action: String,
    /// The object of the action and, for a refusal, the reason.
    pub details: String,
    /// The result.
    pub outcome: AuditOutcome,
    /// The run that requested the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The run's iteration, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
}

impl AuditEntry {
    /// Creates an entry with the current time and no run.
    pub fn new(action: impl Into<String>, details: impl Into<String>, outcome: AuditOutcome) -> Self {
        let (action, details) = (action.into(), details.into());
        Self { at: Timestamp::now(), action, details, outcome, run: None, iteration: None }
    }
}

type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Records decisions. Clones share their entries.
///
/// # Default
/// The last [`DEFAULT_CAPACITY`] entries in memory, no file, nothing redacted.
///
/// ```
/// use loop_guardrails::policy::audit::{Audit, AuditEntry, AuditOutcome};
///
/// let audit = Audit::new().redacted(|text| text.replace("hunter2", "***"));
/// audit.record(AuditEntry::new("read_file", "notes about hunter2", AuditOutcome::Allowed))?;
/// assert_eq!(audit.newest(10)[0].details, "notes about ***");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Audit {
    entries: Arc<Mutex<VecDeque<AuditEntry>>>,
    capacity: usize,
    file: Option<AuditFile>,
    /// Entries of the file were lost when one was written.
    was_lost: Arc<AtomicBool>,
    redact: Option<Redact>,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            entries: Arc::default(),
            capacity: DEFAULT_CAPACITY,
            file: None,
            was_lost: Arc::default(),
            redact: None,
        }
    }
}

impl Audit {
    /// Creates an audit with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many entries stay in memory.
    #[must_use]
    pub fn capacity(mut self, entries: usize) -> Self {
        self.capacity = entries;
        self
    }

    /// Also writes all entries to a file.
    #[must_use]
    pub fn file(mut self, file: AuditFile) -> Self {
        self.file = Some(file);
        self
    }

    /// Sets the function that redacts actions and details before the audit stores them.
    #[must_use]
    pub fn redacted(mut self, redact: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        self.redact = Some(Arc::new(redact));
        self
    }

    /// Redacts a text as the audit does. Call this before you shorten a text: the redactor cannot recognise a secret
    /// that is cut in two.
    pub fn redact(&self, text: &str) -> String {
        self.redact.as_ref().map_or_else(|| text.to_owned(), |redact| redact(text))
    }

    /// Records an entry. With a file, this blocks for the disk.
    ///
    /// # Errors
    /// [`AuditError`] if it cannot write the file. The entry is in memory all the same.
    pub fn record(&self, mut entry: AuditEntry) -> Result<(), AuditError> {
        entry.action = self.redact(&entry.action);
        entry.details = self.redact(&entry.details);
        if self.lost().is_some() {
            self.was_lost.store(true, Ordering::Relaxed);
        }
        let written = self.file.as_ref().map_or(Ok(()), |file| file.append(&entry));
        let mut entries = self.entries();
        entries.push_back(entry);
        let excess = entries.len().saturating_sub(self.capacity);
        entries.drain(..excess);
        written
    }

    /// Returns the entries in memory, newest first, and at most `most`.
    pub fn newest(&self, most: usize) -> Vec<AuditEntry> {
        self.entries().iter().rev().take(most).cloned().collect()
    }

    /// Forgets the entries in memory. The file keeps all of them.
    pub fn clear(&self) {
        self.entries().clear();
    }

    /// Returns the file, if entries were written to it and [nothing is left](AuditFile::is_lost), now or when an entry
    /// was [recorded](Self::record).
    pub fn lost(&self) -> Option<PathBuf> {
        let was_lost = self.was_lost.load(Ordering::Relaxed);
        self.file.as_ref().filter(|file| was_lost || file.is_lost()).map(AuditFile::path)
    }

    /// Returns how many entries are in memory.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns whether there is no entry in memory.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<AuditEntry>> {
        // No code that can panic runs under this lock.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit")
            .field("len", &self.len())
            .field("capacity", &self.capacity)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_newest_are_kept_and_come_first(capacity in 0usize..6, count in 0usize..20, most in 0usize..8) {
            let audit = Audit::new().capacity(capacity);
            for number in 0..count {
                audit.record(AuditEntry::new(format!("c{number}"), "", AuditOutcome::Allowed)).unwrap();
            }
            let kept: Vec<_> = audit.newest(most).into_iter().map(|entry| entry.action).collect();
            let expected: Vec<_> = (0..count).rev().take(capacity.min(most)).map(|n| format!("c{n}")).collect();
            prop_assert_eq!(kept, expected);
            prop_assert_eq!(audit.len(), count.min(capacity));
        }
    }
}
