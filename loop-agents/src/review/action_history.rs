//! Facts about the loops of a run beyond their outputs, kept for whoever continues the run.
//!
//! A loop that fails, is cancelled or is killed has no output, but its files exist all the same. So the history keeps
//! the actions of each loop, and the state of the work tree at its beginning, because a killed agent cannot report its
//! actions. The history's file is outside of the folders where agents work.

use std::{
    fmt, fs,
    io::Write as _,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loop_core::{IterationContext, Outcome, Verdict, WorkError};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::{ActionLog, Findings, TaskOutput, WorkTree, WorkTreeSnapshot, findings::findings_of};

/// The actions of all loops of a run, including loops without an output. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct ActionHistory(Arc<Mutex<Inner>>);

/// Removes secrets from a text.
struct Redact(Box<dyn Fn(&str) -> String + Send + Sync>);

impl fmt::Debug for Redact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redact")
    }
}

#[derive(Debug, Default)]
struct Inner {
    /// The work tree, and the file that stores the history.
    place: Option<(WorkTree, PathBuf)>,
    /// Removes secrets from the file's text.
    redact: Option<Redact>,
    is_read: bool,
    kept: StoredHistory,
    /// The actions that the worker of a dropped loop had reported by then.
    told: ActionLog,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredHistory {
    /// The newest loop that began.
    iteration: u64,
    /// The state of the work tree at that time, until the loop ends.
    #[serde(rename = "look")]
    snapshot: Option<WorkTreeSnapshot>,
    /// The actions of all loops.
    so_far: ActionLog,
    /// The actions since the last loop with an output, including that loop.
    unreviewed: ActionLog,
    /// The findings of the last review that reached a result.
    found: String,
}

impl ActionHistory {
    /// Stores the history in this file, with snapshots of this tree.
    pub(super) fn kept_in(&self, tree: WorkTree, path: PathBuf) {
        self.inner().place = Some((tree, path));
    }

    /// Passes all stored text through `redact`.
    pub(super) fn redacting(&self, redact: impl Fn(&str) -> String + Send + Sync + 'static) {
        self.inner().redact = Some(Redact(Box::new(redact)));
    }

    /// Adds the output of the previous loop when the next one begins.
    pub(super) fn turn(&self, cx: &IterationContext<TaskOutput>) {
        let mut inner = self.inner();
        inner.read();
        let kept = &mut inner.kept;
        let Some(step) = cx.previous() else { return };
        if let Some(worked) = step.output() {
            let mut so_far = worked.so_far.clone();
            so_far.absorb(&kept.so_far);
            kept.so_far = so_far;
            kept.found.clone_from(&worked.found_before);
            if step.iteration() >= kept.iteration {
                (kept.unreviewed, kept.snapshot) = (ActionLog::default(), None);
            }
        }
        if let Some(found) = step.verdict().and_then(findings) {
            kept.found = found.to_string();
        }
    }

    /// Begins a loop.
    ///
    /// # Errors
    /// Fails if the state of the work tree cannot be stored.
    pub(super) async fn begin<O>(&self, cx: &IterationContext<O>) -> Result<LoopRecorder, WorkError> {
        let (iteration, is_again) = (cx.iteration(), cx.attempt() > 1);
        let (place, kept) = {
            let mut inner = self.inner();
            inner.read();
            (inner.place.clone(), inner.kept.clone())
        };
        let mut before = ActionLog::default();
        let is_known = is_again && kept.iteration == iteration;
        let mut snapshot = None;
        if let Some((tree, _)) = &place {
            match kept.snapshot {
                Some(first) if is_known => {
                    before = cut_off(tree, &first).await;
                    snapshot = Some(first);
                }
                Some(_) => {
                    self.settle().await;
                    snapshot = Some(tree.snapshot().await);
                }
                None => snapshot = Some(tree.snapshot().await),
            }
        }
        if is_again && !is_known {
            before.unknown("the actions before the loop was cut off");
        }
        let mut inner = self.inner();
        (inner.kept.iteration, inner.kept.snapshot) = (iteration, snapshot);
        inner.write()?;
        Ok(LoopRecorder { history: self.clone(), before, now: ActionLog::default(), has_ended: false })
    }

    /// Returns the actions of all known loops of this run. For an interrupted loop, it compares the work tree with its
    /// state at the loop's beginning.
    pub async fn so_far(&self) -> ActionLog {
        self.inner().read();
        self.settle().await;
        self.known().so_far
    }

    /// Determines what an interrupted loop did.
    async fn settle(&self) {
        let (place, snapshot) = {
            let inner = self.inner();
            (inner.place.clone(), inner.kept.snapshot.clone())
        };
        let mut actions = match (place, snapshot) {
            (Some((tree, _)), Some(snapshot)) => cut_off(&tree, &snapshot).await,
            _ => ActionLog::default(),
        };
        let mut inner = self.inner();
        let told = std::mem::take(&mut inner.told);
        if !told.is_empty() {
            actions.absorb(&told);
        }
        inner.did(&actions);
    }

    pub(super) fn known(&self) -> HistorySummary {
        let StoredHistory { so_far, unreviewed, found, .. } = self.inner().kept.clone();
        HistorySummary { so_far, unreviewed, found }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The known facts at the beginning of a loop.
#[derive(Debug)]
pub(super) struct HistorySummary {
    pub(super) so_far: ActionLog,
    /// The actions since the last loop with an output.
    pub(super) unreviewed: ActionLog,
    /// The findings of the last review that reached a result.
    pub(super) found: String,
}

/// A running loop. Its actions are recorded even if it is dropped.
#[derive(Debug)]
pub(super) struct LoopRecorder {
    history: ActionHistory,
    /// The loop's actions before it was cut off.
    before: ActionLog,
    /// The actions that its worker reports.
    pub(super) now: ActionLog,
    has_ended: bool,
}

impl LoopRecorder {
    /// Ends the loop, after success or failure.
    pub(super) fn end(mut self) -> HistorySummary {
        self.has_ended = true;
        self.before.absorb(&self.now);
        self.history.inner().did(&self.before);
        self.history.known()
    }
}

impl Drop for LoopRecorder {
    fn drop(&mut self) {
        if !self.has_ended {
            self.history.inner().told = std::mem::take(&mut self.now);
        }
    }
}

impl Inner {
    /// Reads the file once. If it is unreadable, the history starts empty.
    fn read(&mut self) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        let text = self.place.as_ref().and_then(|(_, path)| fs::read(path).ok());
        self.kept = text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    }

    /// Records the actions of the running loop, which has ended.
    fn did(&mut self, actions: &ActionLog) {
        self.kept.snapshot = None;
        if !actions.is_empty() {
            self.kept.so_far.absorb(actions);
            self.kept.unreviewed.absorb(actions);
        }
        // If writing fails, the file still has the earlier snapshot, from which the next process can determine most of
        // the actions.
        let _ = self.write();
    }

    fn write(&self) -> Result<(), WorkError> {
        let Some((_, path)) = &self.place else { return Ok(()) };
        let text = serde_json::to_string(&self.kept).map_err(WorkError::failed)?;
        let text = self.redact.as_ref().map_or_else(|| text.clone(), |Redact(redact)| redact(&text));
        // Write a temporary file and rename it, so that the file is never half written.
        let folder = path.parent().unwrap_or(path);
        let written = NamedTempFile::new_in(folder).and_then(|mut draft| {
            draft.write_all(text.as_bytes())?;
            Ok(draft.persist(path)?)
        });
        written.map(drop).map_err(|error| {
            WorkError::failed(format!("cannot store a snapshot of the files in {}: {error}", path.display()))
        })
    }
}

/// Determines the actions of an agent that was cut off before it could report them.
async fn cut_off(tree: &WorkTree, snapshot: &WorkTreeSnapshot) -> ActionLog {
    let mut actions = tree.since(snapshot).await;
    actions.unknown("the actions before the loop was cut off, except for changes to files");
    actions
}

/// Returns the findings of a verdict, if it comes from a review that reached a result.
fn findings(verdict: &Verdict) -> Option<Findings> {
    let found = findings_of(verdict.text())?;
    (verdict.outcome() != Outcome::Inconclusive || !found.is_clean()).then_some(found)
}
