//! `/undo`, `/redo` and `/rewind`: the states of the folder before each turn of the person.

use loop_core::with_causes;
use loop_manifest::{
    ExecutionContext,
    plan::SnapshotPlan,
    snapshots::{FolderSnapshots, SnapshotError},
};
use loop_snapshots::{ChangeSummary, Error};
use loop_telemetry::words::{
    self,
    style::{DIM, paint},
};

use super::state::Session;
use crate::InputError;

const NO_TURNS: &str = "this session has no turns yet";

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
    /// The lines of all turns, those that are undone included.
    turns: Vec<String>,
    /// The states that `/undo` and `/rewind` left, for `/redo`.
    undone: Vec<u64>,
    /// The turns that the last one replaced. They count again if it changed nothing, as `!ls` does.
    set_aside: Option<SetAside>,
}

/// The turns that were undone when another turn began in their place.
#[derive(Debug)]
struct SetAside {
    now: u64,
    turns: Vec<String>,
    undone: Vec<u64>,
}

impl SessionSnapshots {
    pub(super) fn new(execution: &ExecutionContext) -> Self {
        let folder = execution.snapshots(&SnapshotPlan::default());
        let run = execution.supervisor().run().to_owned();
        Self { folder, is_off: false, run, now: 0, turns: Vec::new(), undone: Vec::new(), set_aside: None }
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

    /// Returns the number of the last state.
    fn last(&self) -> u64 {
        self.turns.len() as u64
    }

    /// Forgets the last turn if it began after an undo and changed nothing, so that `/redo` still works.
    async fn forget_idle_turn(&mut self) -> Result<(), InputError> {
        let Some(SetAside { now, turns, undone }) = self.set_aside.take() else { return Ok(()) };
        if self.blocking(move |folder, run| Ok(folder.plan_restore(run, now, &[])?.is_empty())).await? {
            (self.now, self.turns, self.undone) = (now, turns, undone);
        }
        Ok(())
    }

    /// Notes a turn that begins in the present state, which is captured.
    fn begin_turn(&mut self, line: &str) {
        let after = usize::try_from(self.now).unwrap_or(usize::MAX);
        // What was undone belongs to another course of events now.
        let undone = std::mem::take(&mut self.undone);
        self.set_aside =
            (!undone.is_empty()).then(|| SetAside { now: self.now, turns: self.turns.clone(), undone });
        self.turns.truncate(after);
        self.turns.push(line.to_owned());
        self.now += 1;
    }

    /// Returns the folder to a state, after it captured the present one, which the person may have edited. Returns what
    /// changed.
    async fn go_to(&mut self, number: u64) -> Result<ChangeSummary, InputError> {
        let now = self.now;
        let restored = self.blocking(move |folder, run| {
            folder.capture(run, now)?;
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
    /// Captures the folder before a turn, a command or a person's own command, so that `/undo` can return to it. `line`
    /// is what the person typed. A failed capture is a warning, and turns the captures of this session off.
    pub async fn capture_before_turn(&mut self, line: &str) {
        let snapshots = &mut self.baseline.snapshots;
        if snapshots.forget_idle_turn().await.is_err() {
            // The turn counts, and the capture below tells of a store that fails.
            snapshots.set_aside = None;
        }
        let Some(folder) = snapshots.active() else { return };
        let now = snapshots.now;
        let captured = folder.blocking(&snapshots.run, move |folder, run| folder.capture(run, now)).await;
        let snapshots = &mut self.baseline.snapshots;
        let why = match captured {
            Ok(_) => {
                snapshots.begin_turn(line);
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
        self.baseline.snapshots.forget_idle_turn().await?;
        match self.baseline.snapshots.now.checked_sub(1) {
            Some(number) => self.leave_for(number).await,
            None => Err(InputError::refused("nothing is left to undo in this session")),
        }
    }

    /// Takes the last undo or rewind back.
    pub(crate) async fn redo(&mut self) -> Result<(), InputError> {
        self.baseline.snapshots.forget_idle_turn().await?;
        let Some(number) = self.baseline.snapshots.undone.last().copied() else {
            return Err(InputError::refused("nothing is left to redo in this session"));
        };
        self.go_to(number).await?;
        self.baseline.snapshots.undone.pop();
        Ok(())
    }

    /// Returns the folder to the state before a turn.
    pub(crate) async fn rewind(&mut self, turn: u64) -> Result<(), InputError> {
        let last = self.baseline.snapshots.last();
        match turn.checked_sub(1).filter(|number| *number < last) {
            Some(number) => self.leave_for(number).await,
            None if last == 0 => Err(InputError::refused(NO_TURNS)),
            None => Err(InputError::refused(format!("this session has the turns 1 to {last}"))),
        }
    }

    /// Lists the turns to which [`rewind`](Self::rewind) can return.
    pub(crate) fn list_turns(&self) {
        let snapshots = &self.baseline.snapshots;
        if snapshots.turns.is_empty() {
            return self.say(NO_TURNS);
        }
        let digits = snapshots.turns.len().to_string().len();
        let columns = self.host().columns().saturating_sub(digits + 2);
        let rows = (1..).zip(&snapshots.turns).map(|(turn, line)| {
            let undone = if turn > snapshots.now { " (undone)" } else { "" };
            let line = words::cut(&self.host().one_line(line), columns.saturating_sub(undone.len()));
            format!("{turn:>digits$}  {line}{undone}")
        });
        self.say(&rows.collect::<Vec<_>>().join("\n"));
        self.say(&paint(DIM, "`/rewind N` returns the files to their state before turn N"));
    }

    /// Goes to a state in a way that `/redo` takes back.
    async fn leave_for(&mut self, number: u64) -> Result<(), InputError> {
        let now = self.baseline.snapshots.now;
        self.go_to(number).await?;
        self.baseline.snapshots.undone.push(now);
        Ok(())
    }

    async fn go_to(&mut self, number: u64) -> Result<(), InputError> {
        let summary = self.baseline.snapshots.go_to(number).await?;
        let state = match number == self.baseline.snapshots.last() {
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
