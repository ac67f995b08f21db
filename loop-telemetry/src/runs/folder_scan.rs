//! Finds runs by their folders.
//!
//! The index contains only data that is also in the runs' own files. So if it is gone, or is an old backup without some
//! runs, no run is lost: we read them from their folders, including their journals. That is slow, so we do it only if
//! the index does not help.

use std::{collections::HashSet, fs};

use loop_core::Progress;

use super::{
    RunEntry, RunStore, StoreError, StoreWarning,
    index::{IndexContent, LockedIndex},
};
use crate::{
    JournalReader, Record, RunInfo,
    journal::{self, EVENTS},
};

impl RunStore {
    /// Returns the runs that have a folder and a wanted id, in the order in which they began. It skips folders that are
    /// not runs, and warns about runs that it cannot read.
    pub(super) fn found(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<RunEntry>, StoreError> {
        let mut runs = Vec::new();
        for path in self.entries()? {
            let id = path.file_name().and_then(|name| name.to_str()).filter(|id| is_wanted(id));
            let Some(id) = id.filter(|id| self.has_begun(id)) else { continue };
            match self.info(id) {
                Ok(info) => runs.push(self.entry_of(info)),
                // The folder does not belong to a run.
                Err(StoreError::BadId { .. } | StoreError::NoSuchRun { .. }) => {}
                // It is being removed, or was never a run.
                Err(_) if !path.join("run.json").exists() => {}
                Err(error) => {
                    self.warn(&StoreWarning::Unlisted { id: id.to_owned(), why: error.to_string() });
                }
            }
        }
        runs.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        Ok(runs)
    }

    /// Returns whether a run has done anything, or is about to: a run that died before its first event does not count.
    /// If the journal is gone, a file that is written after it proves that it existed.
    pub(super) fn has_begun(&self, id: &str) -> bool {
        let run = self.path.join(id);
        if journal::has_begun(&run) {
            return true;
        }
        match fs::metadata(run.join(EVENTS)) {
            Ok(journal) => journal.len() > 0 || self.is_alive(id).is_ok_and(|is_alive| is_alive),
            Err(_) => run.join("run.json").exists(),
        }
    }

    pub(super) fn entry_of(&self, info: RunInfo) -> RunEntry {
        let last_ending = self.ending_of(&info);
        let RunInfo { id, name, folder, folder_id, started_at, manifest, files: _, metadata: _ } = info;
        let (manifest, is_open) = (manifest.map(|manifest| manifest.path), last_ending.is_none());
        RunEntry { id, name, folder, folder_id, started_at, manifest, last_ending, is_open }
    }

    /// Returns the record of how a run ended, according to its journal; `None` if the journal has no end.
    fn ending_of(&self, info: &RunInfo) -> Option<Record> {
        let mut journal = JournalReader::open(self.path.join(&info.id)).ok()?;
        let (mut progress, mut last) = (Progress::default(), info.started_at);
        while let Some(entry) = journal.next_entry().ok()? {
            progress.apply(&entry.event).ok()?;
            last = entry.timestamp().unwrap_or(last);
        }
        let mut record = Record::of(&info.name, progress.ending()?, &progress).run_id(&info.id);
        record = record.journal_head(journal.head());
        if let Some(manifest) = &info.manifest {
            record = record.manifest(&manifest.path);
        }
        Some(record.between(info.started_at, last))
    }

    /// Returns the runs of the index, and whether it is complete. It reads missing runs from their folders, which is
    /// slow.
    pub(super) fn listed(&self) -> Result<(Vec<RunEntry>, bool), StoreError> {
        let Some(IndexContent { entries, damage }) = self.index.read()? else {
            return Ok((self.found(|_| true)?, false));
        };
        if let Some((line, why)) = damage {
            self.warn(&StoreWarning::Index { path: self.index.path().to_owned(), line, why });
            return Ok((self.with(self.found(|_| true)?, entries), false));
        }
        let lacks = |entries: &[RunEntry]| -> Result<Vec<String>, StoreError> {
            let known: HashSet<&str> = entries.iter().map(|run| run.id.as_str()).collect();
            let names =
                self.entries()?.into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
            Ok(names.filter(|name| !known.contains(name.as_str()) && self.has_events(name)).collect())
        };
        let mut lacking = lacks(&entries)?;
        if !lacking.is_empty() {
            // Some runs may have begun in the meantime, and each is listed before its first event.
            let now = self.index.read()?.map_or_else(Vec::new, |index| index.entries);
            lacking.retain(|id| now.iter().all(|run| run.id != *id));
        }
        let lacking =
            if lacking.is_empty() { Vec::new() } else { self.found(|id| lacking.iter().any(|it| it == id))? };
        if lacking.is_empty() {
            return Ok((entries, true));
        }
        let path = self.index.path().to_owned();
        self.warn(&StoreWarning::Lacking { path, runs: lacking.len() });
        Ok((self.with(lacking, entries), false))
    }

    /// Returns these runs, and the others that they lack and that have a folder.
    fn with(&self, mut runs: Vec<RunEntry>, others: Vec<RunEntry>) -> Vec<RunEntry> {
        let known: HashSet<String> = runs.iter().map(|run| run.id.clone()).collect();
        let has_folder = |run: &RunEntry| self.path.join(&run.id).is_dir();
        runs.extend(others.into_iter().filter(|run| !known.contains(&run.id) && has_folder(run)));
        runs.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        runs
    }

    /// Returns whether a run has events: a run that is just beginning is not listed yet.
    fn has_events(&self, id: &str) -> bool {
        let run = self.path.join(id);
        journal::has_begun(&run) || fs::metadata(run.join(EVENTS)).is_ok_and(|journal| journal.len() > 0)
    }

    /// Locks the index for a change. If it is missing or damaged, this first rebuilds it, so that the addition does not
    /// become its only content.
    pub(super) fn hold_index(&self) -> Result<LockedIndex<'_>, StoreError> {
        let held = self.index.hold()?;
        let (listed, is_whole) = self.listed()?;
        if !is_whole && (self.index.exists() || !listed.is_empty()) {
            held.replace(listed)?;
        }
        Ok(held)
    }
}
