//! Restores for people: what they will change, and how to take them back.

use std::path::PathBuf;

use loop_core::Ending;
use loop_snapshots::{ChangeSummary, RestorePlan, Restored, SnapshotId, Store};
use loop_telemetry::rows::IterationRow;

use super::{FolderSnapshots, SnapshotError};
use crate::plan::{OnHalt, Plan, ScorePlan};

/// A restore that was not carried out yet.
#[derive(Debug)]
pub struct PlannedRestore {
    store: Store,
    plan: RestorePlan,
}

impl FolderSnapshots {
    /// Plans to return `paths`, or the whole folder without any, to a snapshot of a run. Changes nothing.
    ///
    /// # Errors
    /// Fails if there is no such snapshot, or a path is not below the folder.
    pub fn plan_restore(
        &self,
        run: &str,
        number: u64,
        paths: &[PathBuf],
    ) -> Result<PlannedRestore, SnapshotError> {
        let (id, mut store) = (SnapshotId::new(run, number)?, self.store()?);
        let plan = store.plan_restore(&id, paths, &self.options())?;
        Ok(PlannedRestore { store, plan })
    }

    /// Plans to take the last restore back.
    ///
    /// # Errors
    /// Fails if there was no restore in the folder.
    pub fn plan_undo(&self) -> Result<PlannedRestore, SnapshotError> {
        let mut store = self.store()?;
        let plan = store.plan_undo(&self.options())?;
        Ok(PlannedRestore { store, plan })
    }
}

impl PlannedRestore {
    /// Returns whether the folder has that state already.
    pub fn is_empty(&self) -> bool {
        self.plan.changes.is_empty()
    }

    /// Returns the number of files that will change.
    pub fn summary(&self) -> ChangeSummary {
        ChangeSummary::of(&self.plan.changes)
    }

    /// Lists what will change, what was edited after the run, and what stays as it is.
    pub fn lines(&self) -> Vec<String> {
        self.plan.lines()
    }

    /// Carries the plan out, after it stored the present state of what it changes.
    ///
    /// # Errors
    /// Fails if the folder changed since the plan was made, or if a file cannot be written.
    pub fn carry_out(mut self) -> Result<Restored, SnapshotError> {
        Ok(self.store.restore(&self.plan)?)
    }
}

/// Returns the iteration with the best measured score of which there is a snapshot: the earliest of equal ones.
///
/// ```
/// use loop_manifest::{plan::{Direction, ScorePlan, ScoreSource}, snapshots::best_iteration};
/// use loop_telemetry::rows::IterationRow;
///
/// let score = ScorePlan { source: ScoreSource::Pointer("/score".into()), direction: Direction::Up };
/// let row = |iteration, score| {
///     let mut row = IterationRow::default();
///     (row.iteration, row.score, row.is_measured, row.snapshot) = (iteration, Some(score), true, Some(7));
///     row
/// };
/// let rows = [row(1, 3.0), row(2, 9.0), row(3, 4.0)];
/// assert_eq!(best_iteration(&rows, &score), Some(2));
/// // The score of a judge, or of a vote, is no measurement.
/// let mut judged = row(4, 99.0);
/// judged.is_measured = false;
/// assert_eq!(best_iteration(&[judged], &score), None);
/// ```
pub fn best_iteration(rows: &[IterationRow], score: &ScorePlan) -> Option<u64> {
    let mut best: Option<(u64, f64)> = None;
    for row in rows.iter().filter(|row| row.is_measured && row.snapshot.is_some()) {
        if let Some(number) = row.score
            && best.is_none_or(|(_, other)| score.is_better(number, other))
        {
            best = Some((row.iteration, number));
        }
    }
    best.map(|(iteration, _)| iteration)
}

/// The state of the folder after a run that ended without its goal.
#[derive(Debug)]
#[non_exhaustive]
pub struct AfterHalt {
    /// The snapshot whose state the folder has now; `None` if it stays as the run left it.
    pub number: Option<u64>,
    /// A sentence about it.
    pub said: String,
}

impl Plan {
    /// Returns the folder to the state that `on_halt` names, if the run ended without its goal. `rows` are all iterations
    /// of the run. Returns what it did, or `None` if nothing had to be done.
    ///
    /// # Errors
    /// Fails if the snapshot is missing, or a file cannot be written.
    pub fn restore_after(
        &self,
        ending: &Ending,
        snapshots: &FolderSnapshots,
        run: &str,
        rows: &[IterationRow],
    ) -> Result<Option<AfterHalt>, SnapshotError> {
        let number = match (ending.reason(), self.on_halt) {
            (None, _) | (_, OnHalt::Keep) => return Ok(None),
            (_, OnHalt::RestoreStart) => 0,
            (_, OnHalt::RestoreBest) => {
                let best = self.evaluator.score.as_ref().and_then(|score| best_iteration(rows, score));
                match best {
                    Some(best) => best,
                    None => {
                        let said = "the folder stays as it is: the check measured no score".to_owned();
                        return Ok(Some(AfterHalt { number: None, said }));
                    }
                }
            }
        };
        let plan = snapshots.plan_restore(run, number, &[])?;
        let (state, changes) = (state(number), plan.summary());
        if plan.is_empty() {
            return Ok(Some(AfterHalt {
                number: Some(number),
                said: format!("the folder already has {state}"),
            }));
        }
        plan.carry_out()?;
        let said = format!("the folder has {state} again ({changes}); `loop restore --undo` takes that back");
        Ok(Some(AfterHalt { number: Some(number), said }))
    }
}

/// Names the state of a snapshot: `the state after iteration 3`.
pub fn state(number: u64) -> String {
    match number {
        0 => "the state before the first iteration".to_owned(),
        number => format!("the state after iteration {number}"),
    }
}
