//! The result of a run as a branch or a patch.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use loop_snapshots::{Change, Entry, EntryKind, Store};

use super::{FolderSnapshots, SnapshotError};

/// The variables that would lead git to another repository or index.
const GIT_VARIABLES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"];

/// The reason why the result of a run cannot be handed over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// git cannot be started.
    #[error("git cannot be started (is it installed, and on PATH?)")]
    Git(#[source] std::io::Error),
    /// git refuses.
    #[error("`git {command}` failed: {message}")]
    Refused {
        /// The subcommand.
        command: String,
        /// The message of git.
        message: String,
    },
    /// There is such a branch.
    #[error("the branch {0} exists already: choose another name")]
    Exists(String),
    /// A file that is no text cannot be part of a patch.
    #[error("{} is no text, and cannot be part of a patch: hand the run over with `--branch NAME`", .0.display())]
    NoText(PathBuf),
}

impl FolderSnapshots {
    /// Returns the changes as a patch that `git apply` reads.
    ///
    /// # Errors
    /// Fails with [`ApplyError::NoText`] for a link, or a file that is no text.
    pub fn whole_patch(&self, changes: &[Change]) -> Result<String, SnapshotError> {
        let mut store = self.store()?;
        for change in changes.iter().filter(|change| is_captured(change)) {
            if store.text_diff(change).map_err(SnapshotError::of)?.is_none() {
                return Err(ApplyError::NoText(change.path.clone()).into());
            }
        }
        let captured: Vec<_> = changes.iter().filter(|change| is_captured(change)).cloned().collect();
        store.patch(&captured).map_err(SnapshotError::of)
    }

    /// Creates a branch of the folder's repository with one commit on top of `HEAD`: the files that the run changed, as
    /// they were after its last iteration. Returns the commit. The index and the files of the folder stay unchanged, and
    /// no hook runs.
    ///
    /// # Errors
    /// Fails if there is no repository, no commit, or such a branch, and if the run has no two snapshots.
    pub fn branch(&self, run: &str, name: &str, subject: &str) -> Result<String, SnapshotError> {
        let changes = self.changes_of_run(run)?.unwrap_or_default();
        let mut store = self.store()?;
        let index = store.path().join("apply.index");
        let git = Git { folder: self.folder(), index: &index };
        git.run(&["check-ref-format", "--branch", name], b"")?;
        let reference = format!("refs/heads/{name}");
        if git.run(&["rev-parse", "--verify", "--quiet", &reference], b"").is_ok() {
            return Err(ApplyError::Exists(name.to_owned()).into());
        }
        let made = commit(&git, &mut store, &changes, &format!("{subject}\n\nThe result of the run {run}."));
        // Without the file, git takes an empty index.
        let _ = std::fs::remove_file(&index);
        let commit = made?;
        git.run(&["update-ref", &reference, &commit, ""], b"")?;
        Ok(commit)
    }
}

/// Returns whether the change is one of a file or a link whose content both snapshots have.
fn is_captured(change: &Change) -> bool {
    let is_left_out = |entry: &Entry| entry.left_out().is_some();
    !change.is_folder() && ![&change.before, &change.after].into_iter().flatten().any(is_left_out)
}

/// Commits the changes on top of `HEAD`, with an index of its own.
fn commit(
    git: &Git<'_>,
    store: &mut Store,
    changes: &[Change],
    message: &str,
) -> Result<String, SnapshotError> {
    let prefix = git.run(&["rev-parse", "--show-prefix"], b"")?;
    let head = git.run(&["rev-parse", "HEAD"], b"")?;
    git.run(&["read-tree", "HEAD"], b"")?;
    let mut entries = Vec::new();
    for change in changes.iter().filter(|change| is_captured(change)) {
        let (mode, object) = match &change.after {
            Some(after) if !matches!(after.kind, EntryKind::Folder { .. }) => stored(git, store, after)?,
            _ => ("0", "0".repeat(head.len())),
        };
        entries.extend(format!("{mode} {object}\t{prefix}").into_bytes());
        entries.extend(change.path.as_os_str().as_encoded_bytes());
        entries.push(0);
    }
    git.run(&["update-index", "-z", "--index-info"], &entries)?;
    let tree = git.run(&["write-tree"], b"")?;
    Ok(git.run(&["commit-tree", &tree, "-p", "HEAD", "-m", message], b"")?)
}

/// Writes an entry into the repository. Returns its mode and its name there.
fn stored(git: &Git<'_>, store: &mut Store, entry: &Entry) -> Result<(&'static str, String), SnapshotError> {
    let mode = match entry.kind {
        EntryKind::Link { .. } => "120000",
        _ if entry.mode & 0o100 != 0 => "100755",
        _ => "100644",
    };
    let content = store.content(entry).map_err(SnapshotError::of)?;
    Ok((mode, git.run(&["hash-object", "-w", "--stdin", "--no-filters"], &content)?))
}

/// Git in a folder, with an index of its own.
struct Git<'a> {
    folder: &'a Path,
    index: &'a Path,
}

impl Git<'_> {
    /// Runs a subcommand, and returns what it prints, without the end of the line.
    fn run(&self, arguments: &[&str], input: &[u8]) -> Result<String, ApplyError> {
        let mut command = Command::new("git");
        for name in GIT_VARIABLES {
            command.env_remove(name);
        }
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]).args(arguments);
        command.current_dir(self.folder).env("GIT_INDEX_FILE", self.index);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(ApplyError::Git)?;
        // git reads all of its input before it prints anything, so neither waits for the other.
        let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input));
        let output = child.wait_with_output().map_err(ApplyError::Git)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(ApplyError::Refused { command: arguments.join(" "), message });
        }
        written.map_err(ApplyError::Git)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
    }
}
