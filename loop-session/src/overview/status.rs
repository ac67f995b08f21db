//! The root of a workspace, its branch, and the data that is stored for it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use loop_core::with_causes;
use loop_guardrails::policy::workspace::Repository;
use loop_schedule::FileStore;
use loop_snapshots::Store;
use loop_telemetry::{
    RunStore, StateDir, own_file,
    transcript::{SessionStore, UnreadableSession},
    words,
};
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
    /// The branch of git, or the commit if there is no branch. `None` outside of a repository, and in one whose files are
    /// links, lead elsewhere or cannot be read.
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
    /// The reason why it, or a part of it, cannot be read.
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
            folder("jobs", jobs(known, state)),
            folder("snapshots", snapshots(&root, state)),
            folder("knowledge", Ok(known.folder().path().to_owned())),
            folder(OWN_FOLDER, Ok(root.join(OWN_FOLDER))),
        ];
        Self { branch: branch(&root), root, data }
    }
}

impl fmt::Display for WorkspaceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let branch = self.branch.as_deref().unwrap_or("(no git repository that can be read)");
        write!(f, "  root        {}\n  branch      {branch}", self.root.display())?;
        for StoredData { kind, count, bytes, path, problem } in &self.data {
            let size = match bytes {
                Some(0) if count.is_none_or(|count| count == 0) => Some("none".to_owned()),
                Some(bytes) => Some(format!("{} in {}", words::bytes(*bytes), path.display())),
                None => None,
            };
            let size = size.into_iter().chain(problem.clone()).collect::<Vec<_>>().join("; ");
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
    let path = match state.sessions() {
        Ok(path) => path,
        Err(error) => return stored("sessions", PathBuf::new(), Err(with_causes(&error))),
    };
    match SessionStore::at(&path).list_from(root) {
        Ok((sessions, unreadable)) => {
            let here = sessions.iter().filter(|session| session.info.works_in(root));
            let (count, bytes) =
                here.fold((0, 0), |(count, bytes), session| (count + 1, bytes + session.bytes));
            let problem = unreadable_sessions(&unreadable);
            StoredData { problem, ..stored("sessions", path, Ok((Some(count), bytes))) }
        }
        Err(error) => stored("sessions", path, Err(with_causes(&error))),
    }
}

/// Returns the problem with sessions whose folders are unknown, because their files cannot be read.
pub(super) fn unreadable_sessions(sessions: &[UnreadableSession]) -> Option<String> {
    let (first, count) = (sessions.first()?, words::count(sessions.len() as u64, "session"));
    Some(format!("{count} cannot be read, first {}: `loop session list` names the reasons", first.id))
}

fn jobs(known: &WorkspaceKnowledge, state: &StateDir) -> Result<PathBuf, String> {
    Ok(job_store(known, state)?.folder().to_owned())
}

/// Returns the store of the jobs of the workspace. The name of its folder has no secrets.
pub(super) fn job_store(known: &WorkspaceKnowledge, state: &StateDir) -> Result<FileStore, String> {
    let schedules = state.schedules().map_err(|error| with_causes(&error))?;
    let shown = |path: &str| known.secrets().redacted(path);
    FileStore::for_project_shown(schedules, known.root(), shown).map_err(|error| with_causes(&error))
}

fn snapshots(root: &Path, state: &StateDir) -> Result<PathBuf, String> {
    let snapshots = state.snapshots().map_err(|error| with_causes(&error))?;
    Store::place(&snapshots, root).map_err(|error| with_causes(&error))
}

/// Reads the branch from the files of git, so that no program of the folder runs. A repository that leads elsewhere has
/// none: its files may be any files of this machine.
fn branch(root: &Path) -> Option<String> {
    let repository = Repository::find(root).ok()?;
    let head = String::from_utf8(own_file::read(&repository.git_dir.join("HEAD")).ok()?).ok()?;
    let head = head.lines().next()?;
    match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => Some(branch.to_owned()),
        None if head.len() >= 40 && head.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Some(format!("no branch, at {}", &head[..12]))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn the_branch_is_read_from_the_files_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        assert_eq!(branch(&root), None);
        fs::create_dir_all(root.join(".git/worktrees/a")).unwrap();
        fs::create_dir_all(root.join("deep/er")).unwrap();
        let head = root.join(".git/HEAD");
        fs::write(&head, "ref: refs/heads/feature/x\n").unwrap();
        assert_eq!(branch(&root.join("deep/er")).as_deref(), Some("feature/x"));
        fs::write(&head, "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(branch(&root).as_deref(), Some("no branch, at 0123456789ab"));
        fs::write(root.join("deep/.git"), "gitdir: ../.git/worktrees/a\n").unwrap();
        let of_lane =
            |name: &str, text: &str| fs::write(root.join(".git/worktrees/a").join(name), text).unwrap();
        of_lane("HEAD", "ref: refs/heads/lane\n");
        of_lane("commondir", "../..\n");
        of_lane("gitdir", &format!("{}\n", root.join("deep/.git").display()));
        assert_eq!(branch(&root.join("deep")).as_deref(), Some("lane"));
    }

    #[test]
    fn a_repository_that_leads_elsewhere_shows_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join("secret"), "top secret text\n").unwrap();
        fs::write(root.join(".git/HEAD"), "top secret text\n").unwrap();
        assert_eq!(branch(&root), None);
        fs::remove_file(root.join(".git/HEAD")).unwrap();
        symlink(root.join("secret"), root.join(".git/HEAD")).unwrap();
        assert_eq!(branch(&root), None);
        let (pipe, mode) = (root.join("pipe"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        fs::remove_file(root.join(".git/HEAD")).unwrap();
        fs::rename(&pipe, root.join(".git/HEAD")).unwrap();
        assert_eq!(branch(&root), None);
        fs::remove_dir_all(root.join(".git")).unwrap();
        fs::create_dir(root.join("other")).unwrap();
        fs::write(root.join("other/HEAD"), "ref: refs/heads/theirs\n").unwrap();
        fs::write(root.join(".git"), "gitdir: other\n").unwrap();
        assert_eq!(branch(&root), None);
    }
}
