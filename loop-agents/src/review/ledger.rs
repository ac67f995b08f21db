//! What is known of the loops of a run beside what they left behind, kept for who goes on with it.
//!
//! A loop that fails, is called off or is killed leaves nothing behind, and its files are there all the same. So what
//! it did is kept here, and how the work tree was when it began: an agent that is killed has told nobody what it did.
//! It is kept where no agent is sent to.

use std::{
    fmt, fs,
    io::Write as _,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loop_core::{IterationContext, Outcome, Verdict, WorkError};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::{Account, Findings, Look, WorkTree, Worked, findings::findings_of};

/// What all loops of a run did, also those that left nothing behind. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Inner>>);

/// Takes secrets out of a text.
struct Redact(Box<dyn Fn(&str) -> String + Send + Sync>);

impl fmt::Debug for Redact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redact")
    }
}

#[derive(Debug, Default)]
struct Inner {
    /// The work tree, and the file in which this is kept.
    place: Option<(WorkTree, PathBuf)>,
    /// Takes out of the file's text what is not to be kept.
    redact: Option<Redact>,
    is_read: bool,
    kept: Kept,
    /// What the worker of a loop that was dropped had told by then.
    told: Account,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// The loop that began last.
    iteration: u64,
    /// How the work tree was then, until that loop has come to an end.
    look: Option<Look>,
    /// What was done in all loops.
    so_far: Account,
    /// What was done since the last loop that left something behind, and in it.
    unreviewed: Account,
    /// What the last review found that found anything out.
    found: String,
}

impl Ledger {
    /// Kept in this file, with the looks at this tree.
    pub(super) fn kept_in(&self, tree: WorkTree, path: PathBuf) {
        self.inner().place = Some((tree, path));
    }

    /// What is kept goes through this.
    pub(super) fn redacting(&self, redact: impl Fn(&str) -> String + Send + Sync + 'static) {
        self.inner().redact = Some(Redact(Box::new(redact)));
    }

    /// Takes in what the loop before left behind, as the next one begins.
    pub(super) fn turn(&self, cx: &IterationContext<Worked>) {
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
                (kept.unreviewed, kept.look) = (Account::default(), None);
            }
        }
        if let Some(found) = step.verdict().and_then(findings) {
            kept.found = found.to_string();
        }
    }

    /// A loop begins.
    ///
    /// # Errors
    /// How the work tree is cannot be kept.
    pub(super) async fn begin<O>(&self, cx: &IterationContext<O>) -> Result<Doing, WorkError> {
        let (iteration, is_again) = (cx.iteration(), cx.attempt() > 1);
        let (place, kept) = {
            let mut inner = self.inner();
            inner.read();
            (inner.place.clone(), inner.kept.clone())
        };
        let mut before = Account::default();
        let is_known = is_again && kept.iteration == iteration;
        let mut look = None;
        if let Some((tree, _)) = &place {
            match kept.look {
                Some(first) if is_known => {
                    before = cut_off(tree, &first).await;
                    look = Some(first);
                }
                Some(_) => {
                    self.settle().await;
                    look = Some(tree.look().await);
                }
                None => look = Some(tree.look().await),
            }
        }
        if is_again && !is_known {
            before.unknown("what was done before the loop was cut off");
        }
        let mut inner = self.inner();
        (inner.kept.iteration, inner.kept.look) = (iteration, look);
        inner.write()?;
        Ok(Doing { ledger: self.clone(), before, now: Account::default(), has_ended: false })
    }

    /// What was done in all loops of this run that it knows of; what a loop did that was called off is found out.
    pub async fn so_far(&self) -> Account {
        self.inner().read();
        self.settle().await;
        self.known().so_far
    }

    /// Finds out what a loop did that was cut off.
    async fn settle(&self) {
        let (place, look) = {
            let inner = self.inner();
            (inner.place.clone(), inner.kept.look.clone())
        };
        let mut account = match (place, look) {
            (Some((tree, _)), Some(look)) => cut_off(&tree, &look).await,
            _ => Account::default(),
        };
        let mut inner = self.inner();
        let told = std::mem::take(&mut inner.told);
        if !told.is_empty() {
            account.absorb(&told);
        }
        inner.did(&account);
    }

    pub(super) fn known(&self) -> Known {
        let Kept { so_far, unreviewed, found, .. } = self.inner().kept.clone();
        Known { so_far, unreviewed, found }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known as a loop begins.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) so_far: Account,
    /// What was done since the last loop that left something behind.
    pub(super) unreviewed: Account,
    /// What the last review found that found anything out.
    pub(super) found: String,
}

/// A loop that is under way. What it did is noted also if it is dropped.
#[derive(Debug)]
pub(super) struct Doing {
    ledger: Ledger,
    /// What was done in it before it was cut off.
    before: Account,
    /// What its worker tells.
    pub(super) now: Account,
    has_ended: bool,
}

impl Doing {
    /// It has come to an end, well or not.
    pub(super) fn end(mut self) -> Known {
        self.has_ended = true;
        self.before.absorb(&self.now);
        self.ledger.inner().did(&self.before);
        self.ledger.known()
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        if !self.has_ended {
            self.ledger.inner().told = std::mem::take(&mut self.now);
        }
    }
}

impl Inner {
    /// What cannot be read is told as unknown.
    fn read(&mut self) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        let text = self.place.as_ref().and_then(|(_, path)| fs::read(path).ok());
        self.kept = text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    }

    /// The loop under way has come to an end, and did this.
    fn did(&mut self, account: &Account) {
        self.kept.look = None;
        if !account.is_empty() {
            self.kept.so_far.absorb(account);
            self.kept.unreviewed.absorb(account);
        }
        // If it cannot be kept, the look still is, from which the next process finds out most of it.
        let _ = self.write();
    }

    fn write(&self) -> Result<(), WorkError> {
        let Some((_, path)) = &self.place else { return Ok(()) };
        let text = serde_json::to_string(&self.kept).map_err(WorkError::failed)?;
        let text = self.redact.as_ref().map_or_else(|| text.clone(), |Redact(redact)| redact(&text));
        // Beside its place and then into it: half of it would be none.
        let folder = path.parent().unwrap_or(path);
        let written = NamedTempFile::new_in(folder).and_then(|mut draft| {
            draft.write_all(text.as_bytes())?;
            Ok(draft.persist(path)?)
        });
        written.map(drop).map_err(|error| {
            WorkError::failed(format!(
                "how the files were when this loop began cannot be kept in {}: {error}",
                path.display()
            ))
        })
    }
}

/// What was done by an agent that could not tell it any more.
async fn cut_off(tree: &WorkTree, look: &Look) -> Account {
    let mut account = tree.since(look).await;
    account.unknown("what was done before the loop was cut off, except for its files");
    account
}

/// What a review found, if it is a review's verdict that finds anything out.
fn findings(verdict: &Verdict) -> Option<Findings> {
    let found = findings_of(verdict.text())?;
    (verdict.outcome() != Outcome::Inconclusive || !found.is_clean()).then_some(found)
}
