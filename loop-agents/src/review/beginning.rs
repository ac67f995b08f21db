//! How the work tree was when a loop began, kept for who goes on with it.
//!
//! An agent that is killed has told nobody what it did. Its loop begins again, and an account that began then would
//! lack what is there already. So the first look is kept, where no agent is sent to.

use std::{fs, io::Write as _, path::PathBuf};

use loop_core::{IterationContext, WorkError};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::{Account, Look, WorkTree};

/// Keeps the look with which a loop begins.
#[derive(Debug)]
pub(super) struct Beginning {
    tree: WorkTree,
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    iteration: u64,
    look: Look,
}

impl Beginning {
    pub(super) const fn new(tree: WorkTree, path: PathBuf) -> Self {
        Self { tree, path }
    }

    /// What was done in this iteration before it was cut off: nothing, if it was not.
    ///
    /// # Errors
    /// If the look cannot be kept.
    pub(super) async fn done_before<O>(&self, cx: &IterationContext<O>) -> Result<Account, WorkError> {
        let iteration = cx.iteration();
        let kept = (cx.attempt() > 1).then(|| self.read()).flatten();
        if let Some(Kept { look, .. }) = kept.filter(|kept| kept.iteration == iteration) {
            let mut account = self.tree.since(&look).await;
            account.unknown("what was done before this loop was cut off, except for its files");
            return Ok(account);
        }
        self.write(&Kept { iteration, look: self.tree.look().await })?;
        Ok(lost(cx))
    }

    /// What cannot be read is told as unknown.
    fn read(&self) -> Option<Kept> {
        serde_json::from_slice(&fs::read(&self.path).ok()?).ok()
    }

    fn write(&self, kept: &Kept) -> Result<(), WorkError> {
        let text = serde_json::to_vec(kept).map_err(WorkError::failed)?;
        // Beside its place and then into it: half of it would be none.
        let folder = self.path.parent().unwrap_or(&self.path);
        let written = NamedTempFile::new_in(folder).and_then(|mut draft| {
            draft.write_all(&text)?;
            Ok(draft.persist(&self.path)?)
        });
        written.map(drop).map_err(|error| {
            WorkError::failed(format!(
                "how the files were when this loop began cannot be kept in {}: {error}",
                self.path.display()
            ))
        })
    }
}

/// The account of what was done before an iteration was cut off, where nothing of it is kept.
pub(super) fn lost<O>(cx: &IterationContext<O>) -> Account {
    let mut account = Account::default();
    if cx.attempt() > 1 {
        account.unknown("what was done before this loop was cut off");
    }
    account
}
