//! Taking and restoring snapshots.

use super::Machine;
use crate::{Guardrail, Snapshot, SnapshotError, snapshot::PartState};

impl Machine {
    /// Returns the state of the run and of its guardrails. It equals the fold of all events so far, and takes their
    /// place: [`restore_snapshot`](Self::restore_snapshot) restores it. Take the new [events](Self::take_events) too:
    /// the snapshot does not contain them.
    ///
    /// ```
    /// use std::time::Duration;
    /// use loop_core::{Action, Input, Machine, MaxIterations, RunTime, Snapshot, Versioned};
    /// let machine = || Machine::new(vec![Box::new(MaxIterations::new(5))], Box::new(Duration::ZERO), false);
    /// let mut run = machine();
    /// run.handle(RunTime::ZERO, Input::Started)?;
    /// let json = serde_json::to_string(&Versioned::new(run.snapshot()?))?;
    ///
    /// let mut restored = machine();
    /// restored.restore_snapshot(serde_json::from_str::<Versioned<Snapshot>>(&json)?.message)?;
    /// assert_eq!(restored.progress(), run.progress());
    /// assert_eq!(restored.outstanding(), run.outstanding());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SnapshotError`] if a guardrail has no snapshot. The error names it.
    pub fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let state = |guardrail: &dyn Guardrail| {
            Ok(PartState { name: guardrail.name().to_owned(), state: guardrail.snapshot()? })
        };
        let guardrails = self.guardrails.iter().map(|guardrail| state(&**guardrail));
        let guardrails = guardrails.collect::<Result<_, _>>()?;
        Ok(Snapshot { progress: self.progress.clone(), guardrails, condition: None })
    }

    /// Restores a snapshot into this machine, which must be new. Later events can be [folded](Self::restore) into it.
    ///
    /// # Errors
    /// [`SnapshotError`] if this machine has other guardrails, if the state of one cannot be read, or if no run can be
    /// in the stored state. Use another new machine then.
    pub fn restore_snapshot(&mut self, snapshot: Snapshot) -> Result<(), SnapshotError> {
        let Self { guardrails, progress, .. } = self;
        if let Some(why) = snapshot.progress.inconsistency() {
            return Err(SnapshotError::damaged(why));
        }
        PartState::check(&snapshot.guardrails, guardrails.iter().map(Guardrail::name))?;
        for (guardrail, PartState { name, state }) in guardrails.iter_mut().zip(&snapshot.guardrails) {
            guardrail.restore(state).map_err(|error| SnapshotError::unreadable(name, &error))?;
        }
        *progress = snapshot.progress;
        Ok(())
    }
}
