//! Snapshots of the folder of a context.

use std::sync::atomic::Ordering;

use super::ExecutionContext;
use crate::{
    plan::{SnapshotMode, SnapshotPlan},
    snapshots::{FolderSnapshots, SnapshotError},
};

impl ExecutionContext {
    /// Returns the snapshots of the folder, unless there is no place for them, the plan turns them off, or the first
    /// capture of this context failed.
    pub fn snapshots(&self, plan: &SnapshotPlan) -> Option<FolderSnapshots> {
        let is_off = plan.mode == SnapshotMode::Off || self.takes_no_snapshots.load(Ordering::Relaxed);
        let state = self.snapshots.clone().filter(|_| !is_off)?;
        let snapshots = FolderSnapshots::new(&self.folder, state, plan);
        Some(match self.settings() {
            Ok(settings) => snapshots.with_secrets(settings.policy().secrets().clone()),
            Err(_) => snapshots,
        })
    }

    /// Marks the snapshots of this context's run as those of an ended run, so that the store may drop them. Does so even
    /// if a failed capture turned the snapshots off: a full store would stay full otherwise.
    ///
    /// # Errors
    /// Fails if the mark cannot be written.
    pub fn end_snapshots(&self) -> Result<(), SnapshotError> {
        let Some(state) = self.snapshots.clone() else { return Ok(()) };
        match FolderSnapshots::new(&self.folder, state, &SnapshotPlan::default()).end(self.supervisor().run())
        {
            // The person has read that already, when the snapshots were turned off.
            Err(SnapshotError::Damaged(_)) if !self.takes_snapshots() => Ok(()),
            ended => ended,
        }
    }

    /// Turns the snapshots of this context and its clones off, so that one failure is reported once.
    pub(crate) fn take_no_snapshots(&self) {
        self.takes_no_snapshots.store(true, Ordering::Relaxed);
    }

    /// Returns whether a failure turned the snapshots off.
    pub(crate) fn takes_snapshots(&self) -> bool {
        !self.takes_no_snapshots.load(Ordering::Relaxed)
    }
}
