//! Finds the changes in the folder since the session began.
//!
//! Two sources know it. The tools keep each file before its first change. A list of the folder's files with their change
//! times, taken when the session begins, also finds what commands and other programs do, but knows no contents: for
//! those, git shows what the last commit had.

use loop_agents::{
    review::{ActionLog, WorkTree, WorkTreeSnapshot},
    tools::{FileDiff, OriginalFiles},
};
use loop_manifest::ExecutionContext;
use serde_json::json;
use tokio::task::JoinHandle;

use super::{snapshots::SessionSnapshots, state::Session};
use crate::InputError;

/// The files of the folder when the session began, which are listed in the background.
#[derive(Debug)]
pub(crate) struct FolderBaseline {
    /// The states before each turn.
    pub(crate) snapshots: SessionSnapshots,
    tree: WorkTree,
    listing: Option<JoinHandle<Baseline>>,
    baseline: Option<Baseline>,
}

#[derive(Debug, Default)]
struct Baseline {
    files: WorkTreeSnapshot,
    /// The commit that was checked out.
    commit: Option<String>,
}

/// The changes since the session began.
#[derive(Debug, Default)]
pub(crate) struct FolderChanges {
    /// The files whose old content is known.
    pub(crate) files: Vec<FileDiff>,
    /// The other files.
    pub(crate) others: Vec<String>,
    /// The changes of the other files since the commit with this name, as git shows them.
    pub(crate) since_commit: Option<(String, String)>,
    /// The gaps in the list.
    pub(crate) unknown: Vec<String>,
}

impl FolderBaseline {
    pub(crate) fn new(execution: &ExecutionContext) -> Self {
        let shell = execution.shell(execution.variables().iter().cloned());
        Self {
            snapshots: SessionSnapshots::new(execution),
            tree: WorkTree::at(execution.folder(), &shell),
            listing: None,
            baseline: None,
        }
    }

    /// Begins to list the files.
    fn begin(&mut self) {
        let tree = self.tree.clone();
        self.listing = Some(tokio::spawn(async move {
            Baseline { files: tree.snapshot().await, commit: tree.commit().await }
        }));
    }

    /// Returns what changed, and the commit of the beginning. Waits for the list of the beginning.
    async fn since(&mut self) -> Option<(ActionLog, Option<&str>)> {
        if let Some(listing) = &mut self.listing {
            // The task has no reason to panic; without it only the tools know what changed.
            self.baseline = listing.await.ok();
            self.listing = None;
        }
        let baseline = self.baseline.as_ref()?;
        Some((self.tree.since(&baseline.files).await, baseline.commit.as_deref()))
    }
}

impl Drop for FolderBaseline {
    fn drop(&mut self) {
        if let Some(listing) = &self.listing {
            listing.abort();
        }
    }
}

impl Session {
    /// Begins to watch the folder.
    pub(crate) fn watch_folder(&mut self) {
        self.baseline.begin();
    }

    /// Returns what changed in the folder, at or below this path, since the session began.
    ///
    /// # Errors
    /// [`InputError::Interrupted`].
    pub(crate) async fn folder_changes(&mut self, path: &str) -> Result<FolderChanges, InputError> {
        let stop = self.stop();
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(InputError::Interrupted),
            changes = self.find_changes(path) => Ok(changes),
        }
    }

    async fn find_changes(&mut self, path: &str) -> FolderChanges {
        let is_meant = |own: &str| is_below(own, path);
        let originals = self.tools.originals.clone();
        let (mut changes, mut commit) = (FolderChanges::default(), None);
        if let Some((log, begun_at)) = self.baseline.since().await {
            commit = begun_at.map(str::to_owned);
            note_new_files(&log, &originals);
            let others = log.edited.items().iter().chain(log.removed.items());
            let others = others.filter(|path| !originals.contains(path) && is_meant(path));
            changes.others = others.cloned().collect();
            changes.unknown = log.unknown.items().to_vec();
            let dropped = log.written.older() + log.edited.older() + log.removed.older();
            if dropped > 0 {
                changes.unknown.push(format!("{dropped} more files"));
            }
        }
        let workspace = self.tools.workspace.clone();
        let compared = tokio::task::spawn_blocking(move || originals.changes(&workspace)).await;
        changes.files = compared.unwrap_or_default();
        changes.files.retain(|file| is_meant(&file.path));
        if let Some(commit) = commit.filter(|_| !changes.others.is_empty()) {
            let words =
                ["--no-color", &commit, "--"].into_iter().chain(changes.others.iter().map(String::as_str));
            let arguments = shlex::try_join(words).unwrap_or_default();
            let call = json!({ "subcommand": "diff", "arguments": arguments });
            let report = self.tools.toolbox.call("git", &call).await;
            let ended = report.text.rsplit_once("\n(exit 0)").map(|(text, _)| text.to_owned());
            let shown = ended.filter(|text| !text.trim().is_empty());
            changes.since_commit = shown.map(|text| (commit, text));
        }
        changes
    }
}

/// Notes that these files are new. A name that is shortened in the log names no file.
fn note_new_files(log: &ActionLog, originals: &OriginalFiles) {
    for path in log.written.items().iter().filter(|path| !path.ends_with('…')) {
        originals.note_missing(path);
    }
}

/// Returns whether a path is this one, or below it. An empty one contains all.
fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let rest = path.strip_prefix(folder);
    matches!(folder, "" | ".") || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_itself_and_its_folders() {
        for (path, folder, expected) in [
            ("src/a.rs", "", true),
            ("src/a.rs", ".", true),
            ("src/a.rs", "./src/", true),
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "sr", false),
            ("src", "src/a.rs", false),
        ] {
            assert_eq!(is_below(path, folder), expected, "{path} {folder}");
        }
    }
}
