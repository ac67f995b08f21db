//! Remembers files as they were before tools changed them.
//!
//! A person wants to see what a model did to their files, also without a repository and after many small edits. So the
//! first change of a file keeps its old text, and a diff compares that with the file of now.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loop_guardrails::policy::{
    Verb,
    workspace::{Workspace, WorkspaceError},
};

use super::{MAX_CONTENT_BYTES, diff::diff, read_file};

/// The most bytes of old texts to keep.
const MAX_KEPT_BYTES: usize = 64 * 1024 * 1024;

/// The files that tools of a [`Toolbox`](super::Toolbox) changed, as they were before. Clones share the files.
///
/// It keeps texts in memory, at most 64 MiB of them. It sees only what tools write, and nothing that a command does.
///
/// ```
/// use loop_agents::tools::{OriginalFiles, Toolbox};
/// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("poem"), "Roses\n")?;
/// let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let originals = OriginalFiles::default();
/// let tools = Toolbox::standard(workspace.clone()).keeping(originals.clone());
///
/// tools.call("write_file", &json!({ "path": "poem", "content": "Violets\n" })).await;
/// let changes = originals.changes(&workspace);
/// assert_eq!(changes[0].path, "poem");
/// assert_eq!(changes[0].diff.as_deref(), Ok("@@ -1 +1 @@\n-Roses\n+Violets\n"));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct OriginalFiles(Arc<Mutex<BTreeMap<String, Original>>>);

#[derive(Debug, Clone)]
enum Original {
    Missing,
    Text(String),
    /// The old content is not kept, for this reason.
    Unkept(String),
}

/// The difference between a file and its original.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileDiff {
    /// The path in the workspace, without links.
    pub path: String,
    /// How the file differs.
    pub kind: FileDiffKind,
    /// The changed lines as a unified diff without a heading, with all characters visible; or the reason why there is
    /// none.
    pub diff: Result<String, String>,
}

/// How a file differs from its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileDiffKind {
    /// It did not exist.
    Created,
    /// Its content changed.
    Changed,
    /// It does not exist any more.
    Removed,
}

impl OriginalFiles {
    /// Keeps what is at this path now, unless an earlier state is kept. Blocks on the disk.
    pub(super) fn keep(&self, workspace: &Workspace, path: &str) {
        // A path that may not be written does not change.
        let Ok(place) = workspace.check(path, Verb::Write).map(|place| place.to_string()) else { return };
        if self.files().contains_key(&place) {
            return;
        }
        let original = match current(workspace, &place) {
            Original::Text(text) if self.kept_bytes() + text.len() > MAX_KEPT_BYTES => {
                Original::Unkept("the old texts of other files fill the memory for them".to_owned())
            }
            original => original,
        };
        self.files().entry(place).or_insert(original);
    }

    /// Notes that no file existed at this path, unless a state of it is kept.
    pub fn note_missing(&self, path: impl Into<String>) {
        self.files().entry(path.into()).or_insert(Original::Missing);
    }

    /// Returns whether the state of this path is kept. The path is relative to the workspace, and has no links.
    pub fn contains(&self, path: &str) -> bool {
        self.files().contains_key(path)
    }

    /// Returns the files that differ now, sorted by path. Files that are as they were are left out. Blocks on the disk.
    pub fn changes(&self, workspace: &Workspace) -> Vec<FileDiff> {
        let files = self.files().clone();
        files.into_iter().filter_map(|(path, original)| compared(workspace, path, &original)).collect()
    }

    fn kept_bytes(&self) -> usize {
        let length = |original: &Original| if let Original::Text(text) = original { text.len() } else { 0 };
        self.files().values().map(length).sum()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Original>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the state of a path.
fn current(workspace: &Workspace, path: &str) -> Original {
    match workspace.read(path) {
        Ok(opened) => read_file::whole(opened.file, path, MAX_CONTENT_BYTES)
            .map_or_else(|error| Original::Unkept(error.to_string()), Original::Text),
        Err(WorkspaceError::NotFound { .. }) => Original::Missing,
        Err(error) => Original::Unkept(error.to_string()),
    }
}

fn compared(workspace: &Workspace, path: String, original: &Original) -> Option<FileDiff> {
    let now = current(workspace, &path);
    let too_long = || "the change is too long to show".to_owned();
    let (kind, diff) = match (original, &now) {
        (Original::Missing, Original::Missing) => return None,
        (Original::Text(old), Original::Text(new)) if old == new => return None,
        (Original::Missing, Original::Text(new)) => {
            (FileDiffKind::Created, diff("", new).ok_or_else(too_long))
        }
        (Original::Text(old), Original::Text(new)) => {
            (FileDiffKind::Changed, diff(old, new).ok_or_else(too_long))
        }
        (Original::Text(old), Original::Missing) => {
            (FileDiffKind::Removed, diff(old, "").ok_or_else(too_long))
        }
        (Original::Unkept(why), Original::Missing) => (FileDiffKind::Removed, Err(why.clone())),
        (Original::Missing, Original::Unkept(why)) => (FileDiffKind::Created, Err(why.clone())),
        (Original::Unkept(why), _) | (_, Original::Unkept(why)) => (FileDiffKind::Changed, Err(why.clone())),
    };
    Some(FileDiff { path, kind, diff })
}

impl fmt::Debug for OriginalFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.files().keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use loop_guardrails::policy::ActionPolicy;

    use super::*;

    fn listed(originals: &OriginalFiles, workspace: &Workspace) -> Vec<(String, FileDiffKind, bool)> {
        let changes = originals.changes(workspace).into_iter();
        changes.map(|change| (change.path, change.kind, change.diff.is_ok())).collect()
    }

    #[test]
    fn the_first_state_of_a_file_is_the_one_that_counts() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        write("edited", b"1\n");
        write("gone", b"1\n");
        write("binary", b"\xff");
        write("same", b"1\n");
        let originals = OriginalFiles::default();
        for name in ["edited", "./edited", "gone", "binary", "same", "new", "never", "../outside"] {
            originals.keep(&workspace, name);
        }
        for text in [b"2\n", b"3\n"] {
            write("edited", text);
            write("new", text);
            originals.keep(&workspace, "edited");
            originals.keep(&workspace, "new");
        }
        std::fs::remove_file(folder.path().join("gone")).unwrap();
        originals.note_missing("edited");
        use FileDiffKind::{Changed, Created, Removed};
        let expected = [
            ("binary", Changed, false),
            ("edited", Changed, true),
            ("gone", Removed, true),
            ("new", Created, true),
        ];
        let expected = expected.map(|(path, kind, has_diff)| (path.to_owned(), kind, has_diff));
        assert_eq!(listed(&originals, &workspace), expected);
        let edited = originals.changes(&workspace).remove(1);
        assert_eq!(edited.diff.unwrap(), "@@ -1 +1 @@\n-1\n+3\n");
        write("edited", b"1\n");
        assert!(!listed(&originals, &workspace).iter().any(|(path, ..)| path == "edited"));
    }
}
