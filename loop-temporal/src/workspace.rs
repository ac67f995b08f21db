//! The folder of a run on a worker: a clone of its own, whose changes become a branch.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use loop_manifest::snapshots::GIT_VARIABLES;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::{LoopError, SubmitError};

/// A commit of a repository, as the place where an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitPlace {
    /// The repository, as `git clone` takes it.
    pub repository: String,
    /// The commit at which runs begin.
    pub commit: String,
    /// The folder in the repository in which the agent works.
    pub folder: PathBuf,
}

impl GitPlace {
    /// Describes the commit that a folder has, in the repository from which it was cloned.
    ///
    /// # Errors
    /// The folder belongs to no repository with a remote, its commit is not on the remote, or the address of the remote
    /// contains a password.
    pub async fn of(folder: &Path) -> Result<Self, SubmitError> {
        Self::found(folder).await.map_err(SubmitError::Workspace)
    }

    async fn found(folder: &Path) -> Result<Self, String> {
        let here = |args: &[&str]| {
            let mut command = Command::new("git");
            command.arg("-C").arg(folder).args(args);
            command
        };
        let commit = git(&mut here(&["rev-parse", "--verify", "HEAD"])).await?;
        let inner = git(&mut here(&["rev-parse", "--show-prefix"])).await?;
        let remote = git(&mut here(&["remote", "get-url", "origin"])).await?;
        if git(&mut here(&["branch", "--remotes", "--contains", &commit])).await?.is_empty() {
            return Err(format!("the commit {commit} is on no branch of {remote}; push it first"));
        }
        if url::Url::parse(&remote).is_ok_and(|url| url.password().is_some()) {
            return Err(
                "the address of its remote contains a password, which the server would store".to_owned()
            );
        }
        // A path is relative to the folder here, and means something else on a worker.
        let is_path = remote.starts_with('.') || (!remote.contains(':') && !remote.starts_with('/'));
        let repository = match is_path {
            true => {
                let top = git(&mut here(&["rev-parse", "--show-toplevel"])).await?;
                let path = std::fs::canonicalize(Path::new(&top).join(&remote));
                path.map_err(|error| format!("{remote}: {error}"))?.display().to_string()
            }
            false => remote,
        };
        Ok(Self { repository, commit, folder: PathBuf::from(inner) })
    }
}

/// The branch of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// Why its last commit is not in the repository, if it is not.
    pub trouble: Option<String>,
}

/// The clone of a run.
///
/// The agent has a clone with a `.git` folder of its own, in which it can do what it wants. The worker reads the agent's
/// files into a second repository, which the agent does not have: its hooks and its configuration are never the agent's.
#[derive(Debug)]
pub(crate) struct GitWorkspace {
    repository: String,
    branch: String,
    store: PathBuf,
    work: PathBuf,
}

impl GitWorkspace {
    /// Clones the repository for a run, at the run's branch if it has one. `claim` counts the hosts that the run has had: a
    /// host that gets a run again does not continue with its old files.
    ///
    /// # Errors
    /// The repository cannot be cloned, or has no such commit.
    pub(crate) async fn open(
        root: &Path,
        run: &str,
        claim: u32,
        place: &GitPlace,
    ) -> Result<Self, LoopError> {
        let host = root.join(run).join(claim.to_string());
        let (store, work) = (host.join("store.git"), host.join("work"));
        let branch = format!("loop/{run}");
        let opened = Self { repository: place.repository.clone(), branch, store, work };
        if !opened.work.is_dir() {
            std::fs::create_dir_all(&host).map_err(LoopError::new)?;
            opened.clone_at(&host, &place.commit).await.map_err(LoopError::new)?;
        }
        Ok(opened)
    }

    /// Returns the folder of the files.
    pub(crate) fn files(&self) -> &Path {
        &self.work
    }

    async fn clone_at(&self, host: &Path, commit: &str) -> Result<(), String> {
        let Self { repository, branch, store, work } = self;
        // A worker that died in this left parts of it.
        for rest in [store, &host.join("new")] {
            match std::fs::remove_dir_all(rest) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
                _ => {}
            }
        }
        git(Command::new("git").args(["clone", "--quiet", "--bare", "--", repository]).arg(store)).await?;
        let head = format!("refs/heads/{branch}");
        git(self.in_store().args(["symbolic-ref", "HEAD", &head])).await?;
        let has_branch = git(self.in_store().args(["rev-parse", "--quiet", "--verify", &head])).await.is_ok();
        if !has_branch {
            git(self.in_store().args(["update-ref", &head, commit])).await?;
        }
        // With hard links, the agent could change the objects of the store.
        let new = host.join("new");
        git(Command::new("git").args(["clone", "--quiet", "--no-hardlinks", "--"]).arg(store).arg(&new))
            .await?;
        git(self.in_store().args(["read-tree", "HEAD"])).await?;
        std::fs::write(store.join("info/exclude"), ".loop/\n").map_err(|error| error.to_string())?;
        std::fs::rename(&new, work).map_err(|error| error.to_string())
    }

    /// Commits the files and pushes the branch. A push never replaces commits of another host.
    pub(crate) async fn publish(&self, message: &str) -> Branch {
        Branch { name: self.branch.clone(), trouble: self.push(message).await.err() }
    }

    async fn push(&self, message: &str) -> Result<(), String> {
        git(self.in_store().arg("--work-tree").arg(&self.work).args(["add", "--all"])).await?;
        let is_same = git(self.in_store().args(["diff-index", "--cached", "--quiet", "HEAD"])).await.is_ok();
        if !is_same {
            let tree = git(self.in_store().arg("write-tree")).await?;
            let mut commit = self.in_store();
            commit.args(["commit-tree", "-p", "HEAD", "-m", message, &tree]);
            let commit = git(&mut commit).await?;
            git(self.in_store().args(["update-ref", "HEAD", &commit])).await?;
        }
        let Self { repository, branch, .. } = self;
        let refs = format!("refs/heads/{branch}:refs/heads/{branch}");
        git(self.in_store().args(["push", "--quiet", "--", repository, &refs])).await.map(drop)
    }

    /// Returns a command in the worker's own repository.
    fn in_store(&self) -> Command {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=loop", "-c", "user.email=loop@localhost"]).arg("--git-dir");
        command.arg(&self.store);
        command
    }
}

/// Runs git, and returns what it prints.
///
/// # Errors
/// The message of git.
pub(crate) async fn git(command: &mut Command) -> Result<String, String> {
    for variable in GIT_VARIABLES {
        command.env_remove(variable);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("cannot run git: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("git: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
