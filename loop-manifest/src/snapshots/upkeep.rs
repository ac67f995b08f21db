//! The size of a folder's store, and what it drops.

use std::time::{Duration, SystemTime};

use loop_snapshots::{Collected, StoredRun};
use loop_telemetry::{jiff::Timestamp, words};

use super::{FolderSnapshots, SnapshotError};

/// A run that did not end, and captured nothing for this long, has died.
const ABANDONED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl FolderSnapshots {
    /// Marks a run as ended, if it has snapshots: they may be dropped when the store needs room.
    ///
    /// # Errors
    /// Fails if the mark cannot be written.
    pub fn end(&self, run: &str) -> Result<(), SnapshotError> {
        match self.existing()? {
            Some(store) if store.has_run(run) => Ok(store.end_run(run)?),
            _ => Ok(()),
        }
    }

    /// Returns the size of the store in bytes, or 0 if the folder has no store.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn size(&self) -> Result<u64, SnapshotError> {
        Ok(self.existing()?.map_or(Ok(0), |mut store| store.size())?)
    }

    /// Lists the runs with snapshots, the oldest first: their numbers, the time of the last one, its files and bytes.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn listing(&self) -> Result<String, SnapshotError> {
        let runs = self.existing()?.map_or(Ok(Vec::new()), |store| store.runs())?;
        let lines = runs.iter().filter_map(|run| {
            let (first, last) = (run.snapshots.first()?, run.snapshots.last()?);
            let time = Timestamp::try_from(last.time).ok()?;
            Some(format!(
                "{}  {}..{}  {time:.0}  {}, {}",
                run.name,
                first.id.number(),
                last.id.number(),
                words::count(last.files, "file"),
                words::bytes(last.bytes)
            ))
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Drops the snapshots of these runs, and the contents that only these need.
    ///
    /// # Errors
    /// Fails if the store is damaged, or cannot be written.
    pub fn forget(&self, runs: &[&str]) -> Result<(), SnapshotError> {
        let Some(mut store) = self.existing()? else { return Ok(()) };
        let stored: Vec<_> = runs.iter().filter(|run| store.has_run(run)).collect();
        if !stored.is_empty() {
            stored.into_iter().try_for_each(|run| store.drop_run(run))?;
            store.gc()?;
        }
        Ok(())
    }

    /// Drops the snapshots of runs that no longer exist, and the contents that no snapshot needs.
    ///
    /// A session is no stored run, so `exists` does not know it. Its snapshots stay until it ends, or until it captured
    /// nothing for a week.
    ///
    /// # Errors
    /// Fails if the store is damaged, or cannot be written.
    pub fn collect(&self, exists: impl Fn(&str) -> bool) -> Result<Collected, SnapshotError> {
        let mut store = self.store()?;
        let now = SystemTime::now();
        let is_over = |run: &StoredRun| run.ended || run.is_older_than(ABANDONED, now);
        // Restores have snapshots of their own, so that they can be undone.
        let is_gone = |run: &StoredRun| !run.is_restore() && is_over(run) && !exists(&run.name);
        let gone: Vec<_> = store.runs()?.into_iter().filter(is_gone).map(|run| run.name).collect();
        for run in &gone {
            store.drop_run(run)?;
        }
        let mut collected = store.gc()?;
        collected.runs = gone;
        Ok(collected)
    }
}
