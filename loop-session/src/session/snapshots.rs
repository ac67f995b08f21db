//! `/undo`, `/redo` and `/rewind`: the states of the folder before each turn of the person.

use loop_core::with_causes;
use loop_manifest::{
    ExecutionContext,
    plan::SnapshotPlan,
    snapshots::{FolderSnapshots, SnapshotError},
};
use loop_snapshots::{ChangeSummary, Error};

use super::state::Session;
use crate::InputError;

/// The states of the folder, numbered from 0: the state `n` is the one before turn `n + 1`.
#[derive(Debug)]
pub(crate) struct SessionSnapshots {
    /// `None` if there is no place for snapshots.
    folder: Option<FolderSnapshots>,
    /// Whether a capture failed, so that no more are taken.
    is_off: bool,
    /// The name of this session in the store.
    run: String,
    /// The number of the present state.
    now: u64,
    /// The highest number to which `/redo` can return.
    last: u64,
}

impl SessionSnapshots {
    pub(super) fn new(execution: &ExecutionContext) -> Self {
        let folder = execution.snapshots(&SnapshotPlan::default());
        Self { folder, is_off: false, run: execution.supervisor().run().to_owned(), now: 0, last: 0 }
    }

    fn active(&self) -> Option<&FolderSnapshots> {
        self.folder.as_ref().filter(|_| !self.is_off)
    }

    /// Does `work` on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderSnapshots, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, InputError> {
        let Some(folder) = self.active() else {
            return Err(InputError::refused("this session takes no snapshots, so nothing can be undone"));
        };
        folder.blocking(&self.run, work).await.map_err(|error| InputError::refused(with_causes(&error)))
    }

    /// Returns the folder to a state, after it captured the present one if that is new. Returns what changed.
    async fn go_to(&mut self, number: u64) -> Result<ChangeSummary, InputError> {
        let (now, is_new) = (self.now, self.now == self.last);
        let restored = self.blocking(move |folder, run| {
            if is_new {
                folder.capture(run, now)?;
            }
            let plan = folder.plan_restore(run, number, &[])?;
            let summary = plan.summary();
            if !plan.is_empty() {
                plan.carry_out()?;
            }
            Ok(summary)
        });
        let summary = restored.await?;
        self.now = number;
        Ok(summary)
    }
}

impl Drop for SessionSnapshots {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // Without the mark, the store only drops these snapshots later.
            let _ = folder.end(&self.run);
        }
    }
}

impl Session {
    /// Captures the folder before a turn, a command or a person's own command, so that `/undo` can return to it. A
    /// failed capture is a warning, and turns the captures of this session off.
    pub async fn capture_before_turn(&mut self) {
        let snapshots = &self.baseline.snapshots;
        let Some(folder) = snapshots.active() else { return };
        let now = snapshots.now;
        let captured = folder.blocking(&snapshots.run, move |folder, run| folder.capture(run, now)).await;
        let snapshots = &mut self.baseline.snapshots;
        let why = match captured {
            Ok(_) => {
                snapshots.now += 1;
                snapshots.last = snapshots.now;
                return;
            }
            Err(SnapshotError::Store(Error::OverLimit(limit))) => format!("the folder is large ({limit})"),
            Err(error) => with_causes(&error),
        };
        snapshots.is_off = true;
        self.warn(&format!("this session takes no snapshots, and `/undo` is off: {why}"));
    }

    /// Undoes the last turn that was not undone.
    pub(crate) async fn undo(&mut self) -> Result<(), InputError> {
        match self.baseline.snapshots.now.checked_sub(1) {
            Some(number) => self.go_to(number).await,
            None => Err(InputError::refused("nothing is left to undo in this session")),
        }
    }

    /// Takes the last undo back.
    pub(crate) async fn redo(&mut self) -> Result<(), InputError> {
        let (now, last) = (self.baseline.snapshots.now, self.baseline.snapshots.last);
        match now < last {
            true => self.go_to(now + 1).await,
            false => Err(InputError::refused("nothing is left to redo in this session")),
        }
    }

    /// Returns the folder to the state before a turn.
    pub(crate) async fn rewind(&mut self, turn: u64) -> Result<(), InputError> {
        let last = self.baseline.snapshots.last;
        match turn.checked_sub(1).filter(|number| *number < last) {
            Some(number) => self.go_to(number).await,
            None => Err(InputError::refused(format!("this session has the turns 1 to {last}"))),
        }
    }

    async fn go_to(&mut self, number: u64) -> Result<(), InputError> {
        let summary = self.baseline.snapshots.go_to(number).await?;
        let state = match number == self.baseline.snapshots.last {
            true => "the folder has its last state again".to_owned(),
            false => format!("the folder has the state before turn {} again", number + 1),
        };
        self.say(&format!("{state} ({summary})"));
        if summary.files() > 0 {
            self.add_to_context("The user restored files", &format!("{state}: {summary}. Read files again."));
        }
        Ok(())
    }
}
