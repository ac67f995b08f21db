//! The root of a workspace, its branch, and the data that is stored for it.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use loop_core::with_causes;
use loop_schedule::FileStore;
use loop_snapshots::Store;
use loop_telemetry::{RunStore, StateDir, transcript::SessionStore, words};
use serde::Serialize;

use super::folder_size::folder_size;
use crate::knowledge::WorkspaceKnowledge;

/// The folder for people, in the workspace itself.
const OWN_FOLDER: &str = ".loop";

/// The state of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkspaceStatus {
    /// The folder.
    pub root: PathBuf,
    /// The branch of git, or the commit if there is no branch. `None` outside of a repository.
    pub branch: Option<String>,
    /// The stored data by kind.
    pub data: Vec<StoredData>,
}

/// Data of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredData {
    /// The kind: `runs`, `sessions`, `jobs`, `snapshots`, `knowledge` or `.loop`.
    pub kind: &'static str,
    /// The number of runs or sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The size in bytes; `None` if it cannot be read.
    pub bytes: Option<u64>,
    /// Its folder.
    pub path: PathBuf,
    /// The reason why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl WorkspaceStatus {
    /// Reads the state of the workspace from `state`. Blocks on the disk.
    pub fn read(known: &WorkspaceKnowledge, state: &StateDir) -> Self {
        let root = known.root().to_owned();
        let data = vec![
            runs(&root, state),
            sessions(&root, state),
            folder("jobs", jobs(&root, state)),
            folder("snapshots", snapshots(&root, state)),
            folder("knowledge", Ok(known.folder().path().to_owned())),
            folder(OWN_FOLDER, Ok(root.join(OWN_FOLDER))),
        ];
        Self { branch: branch(&root), root, data }
    }
}

impl fmt::Display for WorkspaceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let branch = self.branch.as_deref().unwrap_or("(not a git repository)");
        write!(f, "  root        {}\n  branch      {branch}", self.root.display())?;
        for StoredData { kind, count, bytes, path, problem } in &self.data {
            let size = match (bytes, problem) {
                (Some(0), None) if count.is_none_or(|count| count == 0) => "none".to_owned(),
                (Some(bytes), None) => format!("{} in {}", words::bytes(*bytes), path.display()),
                (_, problem) => problem.clone().unwrap_or_default(),
            };
            let count =
                count.filter(|count| *count > 0).map(|count| format!("{count}, ")).unwrap_or_default();
            write!(f, "\n  {kind:<11} {count}{size}")?;
        }
        Ok(())
    }
}

fn stored(kind: &'static str, path: PathBuf, read: Result<(Option<u64>, u64), String>) -> StoredData {
    match read {
        Ok((count, bytes)) => StoredData { kind, count, bytes: Some(bytes), path, problem: None },
        Err(problem) => StoredData { kind, count: None, bytes: None, path, problem: Some(problem) },
    }
}

/// Measures a folder.
fn folder(kind: &'static str, path: Result<PathBuf, String>) -> StoredData {
    match path {
        Ok(path) => {
            let bytes = folder_size(&path).map_err(|error| format!("{}: {error}", path.display()));
            stored(kind, path, bytes.map(|bytes| (None, bytes)))
        }
        Err(problem) => stored(kind, PathBuf::new(), Err(problem)),
    }
}

fn runs(root: &Path, state: &StateDir) -> StoredData {
    let read = |path: &Path| {
        let store = RunStore::at(path, |_| ());
        let mut sizes = (0, 0);
        for run in store.list().map_err(|error| with_causes(&error))? {
            if run.works_in(root) {
                let folder = store.folder_of(&run.id).map_err(|error| with_causes(&error))?;
                sizes.1 += folder_size(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                sizes.0 += 1;
            }
        }
        Ok((Some(sizes.0), sizes.1))
    };
    match state.runs() {
        Ok(path) => stored("runs", path.clone(), read(&path)),
        Err(error) => stored("runs", PathBuf::new(), Err(with_causes(&error))),
    }
}

fn sessions(root: &Path, state: &StateDir) -> StoredData {
    let read = |path: &Path| {
        let sessions = SessionStore::at(path).list().map_err(|error| with_causes(&error))?;
        let here = sessions.iter().filter(|session| session.info.works_in(root));
        let (count, bytes) = here.fold((0, 0), |(count, bytes), session| (count + 1, bytes + session.bytes));
        Ok((Some(count), bytes))
    };
    match state.sessions() {
        Ok(path) => stored("sessions", path.clone(), read(&path)),
        Err(error) => stored("sessions", PathBuf::new(), Err(with_causes(&error))),
    }
}

fn jobs(root: &Path, state: &StateDir) -> Result<PathBuf, String> {
    let schedules = state.schedules().map_err(|error| with_causes(&error))?;
    let store = FileStore::for_project(schedules, root).map_err(|error| with_causes(&error))?;
    Ok(store.folder().to_owned())
}

fn snapshots(root: &Path, state: &StateDir) -> Result<PathBuf, String> {
    let snapshots = state.snapshots().map_err(|error| with_causes(&error))?;
    Store::place(&snapshots, root).map_err(|error| with_causes(&error))
}

/// Reads the branch from the files of git, so that no program of the folder runs.
fn branch(root: &Path) -> Option<String> {
    let git = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    // In a work tree, `.git` is a file that names the folder.
    let folder = match fs::read_to_string(&git) {
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = fs::read_to_string(folder.join("HEAD")).ok()?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => format!("no branch, at {}", head.get(..12).unwrap_or(head)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_read_from_the_files_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(branch(root), None);
        fs::create_dir_all(root.join(".git/worktrees/a")).unwrap();
        fs::create_dir_all(root.join("deep/er")).unwrap();
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        assert_eq!(branch(&root.join("deep/er")).as_deref(), Some("feature/x"));
        fs::write(root.join(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(branch(root).as_deref(), Some("no branch, at 0123456789ab"));
        fs::write(root.join("deep/.git"), "gitdir: ../.git/worktrees/a\n").unwrap();
        fs::write(root.join(".git/worktrees/a/HEAD"), "ref: refs/heads/lane\n").unwrap();
        assert_eq!(branch(&root.join("deep")).as_deref(), Some("lane"));
    }
}
