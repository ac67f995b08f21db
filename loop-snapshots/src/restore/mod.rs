//! Restoring files from snapshots, and undoing that.

mod apply;
mod place;

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use self::apply::Restorer;
use crate::{
    capture::{CaptureOptions, Scan, Scope, scan},
    diff::{Change, changes},
    error::Error,
    record::{Snapshot, SnapshotId},
    store::Store,
    tree::LeftOut,
};

/// The runs under which the states before each restore are stored.
pub(crate) const RESTORE: &str = "restore-";

/// The reason why a restore left a path alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptReason {
    /// The content in the folder could not be captured, so it could not be brought back.
    NotCaptured(LeftOut),
    /// The snapshot lists the path without its content.
    NotInSnapshot(LeftOut),
    /// The path changed during the restore.
    ChangedMeanwhile,
    /// The folder contains files that were not removed.
    NotEmpty,
}

/// A restore that was not carried out yet.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RestorePlan {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The changes from the folder as it is now to the snapshot.
    pub changes: Vec<Change>,
    /// The paths that differ, but stay as they are.
    pub kept: Vec<(PathBuf, KeptReason)>,
    /// The paths to be changed that somebody edited after the last snapshot of the run.
    pub edited_after: Vec<PathBuf>,
    scope: Scope,
    options: CaptureOptions,
}

/// The result of a restore.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Restored {
    /// The snapshot of the state before, which [`Store::plan_undo`] restores.
    pub undo: SnapshotId,
    /// The changes that were made.
    pub changes: Vec<Change>,
    /// The paths that differ, but stayed as they are.
    pub kept: Vec<(PathBuf, KeptReason)>,
}

impl Store {
    /// Plans to restore `paths` (relative to the folder, with everything below them), or the whole folder if there are
    /// none. Changes nothing in the folder.
    ///
    /// Files that the snapshot does not have are removed, if their present content could be stored. The time for named
    /// paths does not depend on the size of the folder.
    ///
    /// # Errors
    /// Fails with [`Error::Path`] if a path is absolute, contains `..` or `.git`, or leads through a link, with
    /// [`Error::NotFound`] if there is no such snapshot, and like [`capture`](Self::capture).
    pub fn plan_restore(
        &mut self,
        id: &SnapshotId,
        paths: &[PathBuf],
        options: &CaptureOptions,
    ) -> Result<RestorePlan, Error> {
        let snapshot = self.snapshot(id)?;
        let scope = match paths {
            [] => Scope::new(&snapshot.scope)?,
            paths => Scope::new(paths)?,
        };
        let of_snapshot = Scope::new(&snapshot.scope)?;
        if let Some(path) = scope.paths().iter().find(|path| !of_snapshot.contains(path)) {
            return Err(Error::Path { path: path.clone(), why: "the snapshot does not cover it" });
        }
        let _lock = self.lock()?;
        let now = self.scan_scope(&scope, options)?;
        let mut plan = RestorePlan {
            snapshot,
            changes: Vec::new(),
            kept: Vec::new(),
            edited_after: Vec::new(),
            scope,
            options: options.clone(),
        };
        self.find_changes(&mut plan, &now)?;
        let run = plan.snapshot.id.run.clone();
        let last =
            self.numbers(&run)?.last().map(|number| self.snapshot(&SnapshotId { run, number: *number }));
        if let Some(last) = last.transpose()?.filter(|last| last.scope.is_empty()) {
            let is_planned = |path: &Path| plan.changes.iter().any(|change| change.path == path);
            let edited = changes(&self.objects, last.root, now.folder.digest, &plan.scope)?;
            plan.edited_after =
                edited.into_iter().map(|change| change.path).filter(|path| is_planned(path)).collect();
        }
        Ok(plan)
    }

    /// Plans to undo the last restore. To undo that in turn restores the files again.
    ///
    /// # Errors
    /// Fails with [`Error::NothingToUndo`] if there was no restore, and like [`plan_restore`](Self::plan_restore).
    pub fn plan_undo(&mut self, options: &CaptureOptions) -> Result<RestorePlan, Error> {
        let last = self.last_restore()?.ok_or(Error::NothingToUndo)?;
        self.plan_restore(&SnapshotId { run: format!("{RESTORE}{last:06}"), number: 0 }, &[], options)
    }

    /// Carries out a plan, after it stored the present state of everything that it is going to change.
    ///
    /// Each file is replaced at once. No link is followed, and nothing is removed whose content could not be stored.
    ///
    /// # Errors
    /// Fails with [`Error::PlanOutdated`] if the folder changed since the plan was made: nothing was restored then. It
    /// also fails with [`Error::File`] if a file cannot be written; [`plan_undo`](Self::plan_undo) then returns to the
    /// state before.
    pub fn restore(&mut self, plan: &RestorePlan) -> Result<Restored, Error> {
        let _lock = self.lock()?;
        let now = self.scan_scope(&plan.scope, &plan.options)?;
        let mut current = RestorePlan { changes: Vec::new(), kept: Vec::new(), ..plan.clone() };
        self.find_changes(&mut current, &now)?;
        if current.changes != plan.changes || !now.unsettled.is_empty() {
            return Err(Error::PlanOutdated);
        }
        let next = self.last_restore()?.map_or(1, |last| last + 1);
        let undo = SnapshotId { run: format!("{RESTORE}{next:06}"), number: 0 };
        self.record(&undo, SystemTime::now(), &now, &plan.scope)?;
        self.end_run(&undo.run)?;
        let mut restorer = Restorer::new(&self.objects, &self.folder)?;
        restorer.apply(&plan.changes)?;
        let late = restorer.kept;
        let is_done = |change: &&Change| !late.iter().any(|(path, _)| *path == change.path);
        let done = plan.changes.iter().filter(is_done).cloned().collect();
        Ok(Restored { undo, changes: done, kept: [current.kept, late].concat() })
    }

    fn scan_scope(&mut self, scope: &Scope, options: &CaptureOptions) -> Result<Scan, Error> {
        if scope.is_whole() {
            return self.scan(options);
        }
        let scan = scan(&mut self.objects, &self.folder, &self.path, options, scope, None)?;
        self.objects.commit()?;
        Ok(scan)
    }

    /// Splits the differences into those to make, and those that would lose something.
    fn find_changes(&self, plan: &mut RestorePlan, now: &Scan) -> Result<(), Error> {
        for change in changes(&self.objects, now.folder.digest, plan.snapshot.root, &plan.scope)? {
            let left_out = |entry: &Option<_>| entry.as_ref().and_then(crate::Entry::left_out);
            match (left_out(&change.before), left_out(&change.after)) {
                (Some(reason), _) => plan.kept.push((change.path, KeptReason::NotCaptured(reason))),
                (None, Some(reason)) => plan.kept.push((change.path, KeptReason::NotInSnapshot(reason))),
                (None, None) => plan.changes.push(change),
            }
        }
        // What is below a path that stays cannot be restored either, and what is above it stays too.
        let kept = plan.kept.clone();
        plan.changes.retain(|change| {
            let above = kept.iter().find(|(path, _)| change.path != *path && change.path.starts_with(path));
            if let Some((_, reason)) = above {
                plan.kept.push((change.path.clone(), *reason));
            }
            above.is_none()
        });
        Ok(())
    }

    fn last_restore(&self) -> Result<Option<u64>, Error> {
        let mut last = None;
        for run in self.run_names()? {
            let number = run.strip_prefix(RESTORE).and_then(|number| number.parse().ok());
            if number > last && !self.numbers(&run)?.is_empty() {
                last = number;
            }
        }
        Ok(last)
    }
}
