//! The store of a folder, with the rules about what a capture has.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use loop_guardrails::policy::{LocalPath, SecretFiles};
use loop_snapshots::{
    CaptureOptions, Change, ChangeSummary, Entry, Error, LeftOut, Limits, Snapshot, SnapshotId, Store,
};
use loop_telemetry::StateDir;

use super::{DiffRequest, SnapshotError};
use crate::plan::{SnapshotMode, SnapshotPlan};

/// The snapshots of one folder, as its runs and the person see them.
///
/// Each method blocks on the disk. Clones use the same store.
///
/// ```
/// use loop_manifest::{plan::SnapshotPlan, snapshots::FolderSnapshots};
/// use loop_telemetry::StateDir;
///
/// # let dir = tempfile::tempdir()?;
/// # let (home, folder) = (dir.path().join("home"), dir.path().join("project"));
/// # std::fs::create_dir(&folder)?;
/// let state = StateDir::from_env_with(|name| (name == "LOOP_HOME").then(|| home.clone().into()))?;
/// let snapshots = FolderSnapshots::new(&folder, state, &SnapshotPlan::default());
/// snapshots.capture("run-7", 0)?;
/// std::fs::write(folder.join("a.txt"), "hello\n")?;
/// snapshots.capture("run-7", 1)?;
/// let changes = snapshots.changes("run-7", (0, 1), &[])?;
/// assert_eq!(changes[0].line(), "A a.txt");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FolderSnapshots {
    folder: PathBuf,
    state: StateDir,
    plan: SnapshotPlan,
    secrets: Arc<SecretFiles>,
    is_read_only: bool,
}

impl fmt::Debug for FolderSnapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("FolderSnapshots");
        shown.field("folder", &self.folder).field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// A capture of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The first 64 bits of the tree's digest: equal trees have equal numbers.
    pub fingerprint: u64,
    /// The number of files that still changed while they were captured.
    pub unsettled: usize,
    /// The number of files that changed since the snapshot with the number before, if the run has that one.
    pub changed: Option<u64>,
    /// The size of the store in bytes, if it exceeds its bound although nothing is left to drop.
    pub over_bound: Option<u64>,
}

impl FolderSnapshots {
    /// Names the store of `folder` in the state directory, which no capture contains. Nothing is read or written.
    pub fn new(folder: impl Into<PathBuf>, state: StateDir, plan: &SnapshotPlan) -> Self {
        Self {
            folder: folder.into(),
            state,
            plan: *plan,
            secrets: Arc::new(SecretFiles::new()),
            is_read_only: false,
        }
    }

    /// Sets the rules about files of which a snapshot has only the digest.
    #[must_use]
    pub fn with_secrets(mut self, secrets: SecretFiles) -> Self {
        self.secrets = Arc::new(secrets);
        self
    }

    /// Refuses captures, for a caller that means only what was stored.
    pub(crate) fn without_captures(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// Returns whether the run must not go on without its captures.
    pub(super) fn are_required(&self) -> bool {
        self.plan.mode == SnapshotMode::On
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Does `work` on a thread that may block. `run` is the name that it gets.
    ///
    /// # Errors
    /// Fails if `work` fails, and with [`SnapshotError::Panicked`] if it panics.
    pub async fn blocking<T: Send + 'static>(
        &self,
        run: &str,
        work: impl FnOnce(&Self, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, SnapshotError> {
        let (folder, run) = (self.clone(), run.to_owned());
        let done = tokio::task::spawn_blocking(move || work(&folder, &run)).await;
        done.unwrap_or_else(|error| Err(SnapshotError::Panicked(error.to_string())))
    }

    /// Opens the store, or creates it.
    ///
    /// # Errors
    /// Fails if the store is damaged, or cannot be used.
    pub fn store(&self) -> Result<Store, SnapshotError> {
        Ok(Store::open(&self.state.snapshots()?, &self.folder)?)
    }

    /// Opens the store if the folder has one.
    ///
    /// # Errors
    /// Fails like [`store`](Self::store).
    pub fn existing(&self) -> Result<Option<Store>, SnapshotError> {
        let stores = self.state.snapshots()?;
        match Store::exists(&stores, &self.folder) {
            true => self.store().map(Some),
            false => Ok(None),
        }
    }

    /// Makes the store anew, without snapshots.
    ///
    /// # Errors
    /// Fails if a file of the store cannot be removed.
    pub fn reset(&self) -> Result<(), SnapshotError> {
        Store::recreate(&self.state.snapshots()?, &self.folder)?;
        Ok(())
    }

    /// Returns what a capture of this folder contains.
    pub fn options(&self) -> CaptureOptions {
        let secrets = Arc::clone(&self.secrets);
        let is_secret =
            move |path: &Path| LocalPath::new(path).is_ok_and(|path| secrets.rule_on(&path).is_some());
        let options = CaptureOptions::default().max_file(self.plan.max_file).secrets(is_secret);
        let options = options.without_folder(self.state.path());
        if self.plan.ignored { options.with_ignored() } else { options }
    }

    /// Returns the options of the first capture of a run, which `auto` limits.
    fn first_options(&self) -> CaptureOptions {
        match self.plan.mode {
            SnapshotMode::Auto => self.options().limits(Limits::default()),
            SnapshotMode::On | SnapshotMode::Off => self.options(),
        }
    }

    /// Returns whether the run has this snapshot.
    ///
    /// # Errors
    /// Fails like [`store`](Self::store).
    pub fn has(&self, run: &str, number: u64) -> Result<bool, SnapshotError> {
        let id = SnapshotId::new(run, number)?;
        match self.store()?.snapshot(&id) {
            Ok(_) => Ok(true),
            Err(Error::NotFound(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Captures the folder as the snapshot `number` of the run, then drops old snapshots if the store is too large.
    ///
    /// # Errors
    /// Fails if the folder or the store cannot be read or written, and with
    /// [`Error::OverLimit`](loop_snapshots::Error::OverLimit) if `auto` and the first capture of the run exceeds a limit.
    pub fn capture(&self, run: &str, number: u64) -> Result<Captured, SnapshotError> {
        let id = SnapshotId::new(run, number)?;
        if self.is_read_only {
            return Err(Error::NotFound(id).into());
        }
        let mut store = self.store()?;
        let options = if store.has_run(run) { self.options() } else { self.first_options() };
        let capture = store.recapture(&id, &options)?;
        let changed =
            number.checked_sub(1).map(|before| files_since(&mut store, run, before, &capture.snapshot));
        let changed = changed.transpose()?.flatten();
        let over_bound = match store.keep_below(self.plan.max_bytes) {
            Ok(_) => None,
            Err(Error::Full { size, .. }) => Some(size),
            Err(error) => return Err(error.into()),
        };
        Ok(Captured {
            fingerprint: capture.snapshot.root.prefix(),
            unsettled: capture.snapshot.unsettled.len(),
            changed,
            over_bound,
        })
    }

    /// Lists the snapshots of a run, by their numbers.
    ///
    /// # Errors
    /// Fails if the store is damaged or cannot be read.
    pub fn of_run(&self, run: &str) -> Result<Vec<Snapshot>, SnapshotError> {
        let Some(store) = self.existing()? else { return Ok(Vec::new()) };
        Ok(store.snapshots(run)?)
    }

    /// Lists the changes from one snapshot of a run to another: at these paths and below them, or all without paths.
    ///
    /// # Errors
    /// Fails if there is no such snapshot, if a path is not below the folder, or if the store is damaged.
    pub fn changes(
        &self,
        run: &str,
        (before, after): (u64, u64),
        paths: &[PathBuf],
    ) -> Result<Vec<Change>, SnapshotError> {
        let mut store = self.store()?;
        let before = store.snapshot(&SnapshotId::new(run, before)?)?;
        let after = store.snapshot(&SnapshotId::new(run, after)?)?;
        let mut changes = store.diff_below(&before, &after, paths)?;
        changes.retain(is_about_content);
        Ok(changes)
    }

    /// Lists the changes that a person asks for.
    ///
    /// # Errors
    /// Fails like [`changes`](Self::changes), and with [`SnapshotError::NoSnapshots`].
    pub fn requested(&self, run: &str, request: &DiffRequest) -> Result<Vec<Change>, SnapshotError> {
        let snapshots = self.of_run(run)?;
        let (Some(first), Some(last)) = (snapshots.first(), snapshots.last()) else {
            return Err(SnapshotError::NoSnapshots(run.to_owned()));
        };
        let (before, after) = request.range.unwrap_or((first.id.number(), None));
        self.changes(run, (before, after.unwrap_or(last.id.number())), &request.paths)
    }

    /// Lists the changes from the first snapshot of a run to the snapshot `end`, or to its last one; `None` if it has no
    /// two snapshots.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn changes_of_run(&self, run: &str, end: Option<u64>) -> Result<Option<Vec<Change>>, SnapshotError> {
        match self.of_run(run)?.as_slice() {
            [first, .., last] => {
                let range = (first.id.number(), end.unwrap_or(last.id.number()));
                self.changes(run, range, &[]).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the differences of these changes, for people: files that are no text have a line without content.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn patch(&self, changes: &[Change]) -> Result<String, SnapshotError> {
        Ok(self.store()?.patch(changes)?)
    }

    /// Counts the files that a run changed until the snapshot `end`, or until its last one; `None` if it changed none,
    /// or has no two snapshots.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn changed(&self, run: &str, end: Option<u64>) -> Result<Option<ChangeSummary>, SnapshotError> {
        let summary = self.changes_of_run(run, end)?.map(|changes| ChangeSummary::of(&changes));
        Ok(summary.filter(|summary| summary.files() > 0))
    }
}

/// Counts the files that changed since an earlier snapshot of the run, if there is that one.
fn files_since(
    store: &mut Store,
    run: &str,
    before: u64,
    after: &Snapshot,
) -> Result<Option<u64>, SnapshotError> {
    let before = match store.snapshot(&SnapshotId::new(run, before)?) {
        Err(Error::NotFound(_)) => return Ok(None),
        before => before?,
    };
    let mut changes = store.diff(&before, after)?;
    changes.retain(is_about_content);
    Ok(Some(ChangeSummary::of(&changes).files() as u64))
}

/// Returns whether a person wants to see the change: not that an ignored folder, or a repository, came or went.
fn is_about_content(change: &Change) -> bool {
    let is_aside = |entry: &Entry| {
        matches!(entry.left_out(), Some(LeftOut::Ignored | LeftOut::Repository | LeftOut::Store))
    };
    ![&change.before, &change.after].into_iter().flatten().all(is_aside)
}
