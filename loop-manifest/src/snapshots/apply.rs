//! The result of a run as a branch or a patch.

use std::{
    env,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use loop_agents::process::path_outside;
use loop_snapshots::{Change, Entry, EntryKind, LeftOut, Store};

use super::{FolderSnapshots, SnapshotError};

/// The variables that would lead git to another repository or index.
pub const GIT_VARIABLES: [&str; 5] =
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
    /// A patch cannot have the bytes of this file or name.
    #[error(
        "{} cannot be part of a patch, which has only UTF-8 texts of at most 1 MiB and plain names: hand the run over \
         with `--branch NAME`",
        .0.display()
    )]
    NoPatch(PathBuf),
    /// The run has nothing to hand over.
    #[error("the run {0} has no snapshots, or changed no file whose content they have")]
    Nothing(String),
}

/// The files and links that a run changed, and whose content both snapshots have.
#[derive(Debug)]
pub struct Handover {
    run: String,
    changes: Vec<Change>,
    left_out: Vec<(PathBuf, LeftOut)>,
}

impl FolderSnapshots {
    /// Returns what can be handed over of a run, and what cannot.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn handover(&self, run: &str) -> Result<Handover, SnapshotError> {
        let changes = self.changes_of_run(run, None)?.unwrap_or_default().into_iter();
        let mut handover = Handover { run: run.to_owned(), changes: Vec::new(), left_out: Vec::new() };
        for change in changes.filter(|change| !change.is_folder()) {
            let left_out = [&change.after, &change.before].into_iter().flatten().find_map(Entry::left_out);
            match left_out {
                Some(reason) => handover.left_out.push((change.path, reason)),
                None => handover.changes.push(change),
            }
        }
        Ok(handover)
    }

    /// Returns the changes as a patch that `git apply` reads.
    ///
    /// # Errors
    /// Fails with [`ApplyError::NoPatch`] for a link, or a file or name that a patch cannot have, and with
    /// [`ApplyError::Nothing`] if there is no change.
    pub fn exact_patch(&self, handover: &Handover) -> Result<String, SnapshotError> {
        Ok(self.store()?.exact_patch(handover.something()?)?)
    }

    /// Creates a branch of the folder's repository with one commit on top of `HEAD`: the files that the run changed, as
    /// they were after its last iteration. Returns the commit. The index and the files of the folder stay unchanged, and
    /// no hook runs.
    ///
    /// # Errors
    /// Fails if there is no repository, no commit, or such a branch, and with [`ApplyError::Nothing`] if there is no
    /// change.
    pub fn branch(&self, handover: &Handover, name: &str, subject: &str) -> Result<String, SnapshotError> {
        let changes = handover.something()?;
        let mut store = self.store()?;
        // A name of this process: two commands may hand runs over at the same time.
        let index = store.path().join(format!("apply-{}.index", std::process::id()));
        let git = Git { folder: self.folder(), index: &index };
        git.run(&["check-ref-format", "--branch", name], b"")?;
        let reference = format!("refs/heads/{name}");
        if git.run(&["rev-parse", "--verify", "--quiet", &reference], b"").is_ok() {
            return Err(ApplyError::Exists(name.to_owned()).into());
        }
        let made = commit(
            &git,
            &mut store,
            changes,
            &format!("{subject}\n\nThe result of the run {}.", handover.run),
        );
        // Without the file, git takes an empty index.
        let _ = std::fs::remove_file(&index);
        let commit = made?;
        git.run(&["update-ref", &reference, &commit, ""], b"")?;
        Ok(commit)
    }
}

impl Handover {
    /// Lists the changed files that are not part of it, each with the reason.
    pub fn left_out_lines(&self) -> Vec<String> {
        let line = |(path, reason): &(PathBuf, LeftOut)| {
            format!("the changes of {} are not part of it: {reason}", path.display())
        };
        self.left_out.iter().map(line).collect()
    }

    fn something(&self) -> Result<&[Change], ApplyError> {
        match self.changes.as_slice() {
            [] => Err(ApplyError::Nothing(self.run.clone())),
            changes => Ok(changes),
        }
    }
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
    for change in changes {
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
    let content = store.content(entry)?;
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
        if let Some(path) = env::var_os("PATH") {
            command.env("PATH", path_outside(&path, self.folder));
        }
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
