//! The result of an ingest.

use std::{collections::BTreeMap, path::PathBuf};

use serde::Serialize;

use super::SkipReason;

/// The result of an ingest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IngestReport {
    /// The number of sources that were added.
    pub added: u64,
    /// The number of sources that were replaced.
    pub changed: u64,
    /// The number of sources that were left alone, since they have the same contents.
    pub unchanged: u64,
    /// The number of sources that were dropped.
    pub dropped: u64,
    /// The number of chunks that were written.
    pub chunks: u64,
    /// The files and folders that were passed over, with the reason. Nothing below such a folder was looked at.
    pub skipped: BTreeMap<PathBuf, SkipReason>,
    /// The first failure to read a PDF, for a person.
    pub pdf_failure: Option<String>,
}

impl IngestReport {
    /// Returns how many files and folders were passed over for each reason.
    #[must_use]
    pub fn skipped_by_reason(&self) -> BTreeMap<SkipReason, u64> {
        let mut counts = BTreeMap::new();
        for reason in self.skipped.values() {
            *counts.entry(*reason).or_default() += 1;
        }
        counts
    }
}
