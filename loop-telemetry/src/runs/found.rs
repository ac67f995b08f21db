//! Runs as their folders tell of them.
//!
//! The index holds nothing that is not in the runs' own files. So if it is gone, or lacks a run since its file
//! was put back from a backup, the runs are not: they are read from their folders, journals included. That is
//! slow, and only done where the index does not help.

use std::fs;

use loop_core::Progress;

use super::{RunEntry, RunStore, StoreError, index::HeldIndex};
use crate::{JournalReader, Record, RunInfo, journal::EVENTS};

impl RunStore {
    /// The runs that have a folder, those with such ids, in the order in which they began. What is no run, or
    /// cannot be read, is passed over.
    pub(super) fn found(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<RunEntry>, StoreError> {
        let mut runs = Vec::new();
        for path in self.entries()? {
            let id = path.file_name().and_then(|name| name.to_str()).filter(|id| is_wanted(id));
            let id = id.filter(|id| self.has_begun(id));
            runs.extend(id.and_then(|id| self.info(id).ok()).map(|info| self.entry_of(info)));
        }
        runs.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        Ok(runs)
    }

    /// Whether a run has done anything, or is about to: one that died before its first event never was one. A
    /// journal that is gone was there, if what is written after it is.
    pub(super) fn has_begun(&self, id: &str) -> bool {
        let run = self.path.join(id);
        match fs::metadata(run.join(EVENTS)) {
            Ok(journal) => journal.len() > 0 || self.is_alive(id).is_ok_and(|is_alive| is_alive),
            Err(_) => run.join("run.json").exists(),
        }
    }

    pub(super) fn entry_of(&self, info: RunInfo) -> RunEntry {
        let last_ending = self.ending_of(&info);
        let RunInfo { id, name, folder, started_at, manifest } = info;
        let (manifest, is_open) = (manifest.map(|manifest| manifest.path), last_ending.is_none());
        RunEntry { id, name, folder, started_at, manifest, last_ending, is_open }
    }

    /// The record of how a run ended, as its journal says it did; `None` if that does not say so.
    fn ending_of(&self, info: &RunInfo) -> Option<Record> {
        let mut journal = JournalReader::open(self.path.join(&info.id)).ok()?;
        let (mut progress, mut last) = (Progress::default(), info.started_at);
        while let Some(entry) = journal.next_entry().ok()? {
            progress.apply(&entry.event);
            last = entry.timestamp().unwrap_or(last);
        }
        let mut record = Record::of(&info.name, progress.ending()?, &progress).run_id(&info.id);
        if let Some(manifest) = &info.manifest {
            record = record.manifest(&manifest.path);
        }
        Some(record.between(info.started_at, last))
    }

    /// Holds the index, for a change. If it is gone it is made anew first: what is added must not be all of it.
    pub(super) fn hold_index(&self) -> Result<HeldIndex<'_>, StoreError> {
        let held = self.index.hold()?;
        if !self.index.exists() {
            let found = self.found(|_| true)?;
            if !found.is_empty() {
                held.replace(found)?;
            }
        }
        Ok(held)
    }
}
