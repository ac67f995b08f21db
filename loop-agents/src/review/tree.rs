//! The account of a work tree: what is not as it was.
//!
//! Most commands say nothing of what they do that could be relied on. But what they leave behind can be seen: so the
//! files are looked at before and after. Contents are not read. A file that was changed has another time of change,
//! which nobody can set.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Account, Source};
use crate::{process::Process, shell::Shell};

/// How many files are looked at.
const MAX_FILES: usize = 50_000;
/// How long git may take to list them, and how long the list may be.
const GIT_TIME: Duration = Duration::from_secs(20);
const GIT_BYTES: usize = 8 * 1024 * 1024;
/// What is never looked into: what git and this program keep for themselves.
const PASSED_OVER: [&str; 2] = [".git", ".loop"];

/// The files of a folder: those that git would commit where there is git, and else all of them, at most 50,000.
#[derive(Debug, Clone)]
pub struct WorkTree {
    root: PathBuf,
    git: Process,
}

/// A file as it was: when it was changed, how long it is, and which one it is.
type Stamp = (i64, i64, u64, u64);

/// How a work tree was at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look(BTreeMap<PathBuf, Stamp>);

impl WorkTree {
    /// The files below this folder; git runs in `shell`, without anything that the repository configures to be run.
    pub fn at(root: impl Into<PathBuf>, shell: &Shell) -> Self {
        let root = root.into();
        let words =
            ["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let git = shell.command("").words("git", words).dir(&root);
        Self { root, git: git.max_time(GIT_TIME).capture_limit(GIT_BYTES) }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Looks at it.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends git; files that are being listed by us are listed to the end, for nobody.
    pub async fn look(&self) -> Look {
        let listed = self.listed_by_git().await;
        let root = self.root.clone();
        let looked = tokio::task::spawn_blocking(move || match listed {
            Some(paths) => {
                paths.into_iter().filter_map(|path| stamped(&root, path)).take(MAX_FILES).collect()
            }
            None => walked(&root),
        });
        // It has no reason to panic; a tree that was not seen has no differences.
        Look(looked.await.unwrap_or_default())
    }

    async fn listed_by_git(&self) -> Option<Vec<PathBuf>> {
        let finished = self.git.clone().run(std::future::pending(), |_, _| {}).await.ok()?;
        let is_whole = finished.exit.success() && finished.cut.is_none() && finished.stdout.omitted() == 0;
        let names = is_whole.then(|| finished.stdout.to_bytes())?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Some(names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
    }
}

impl Look {
    /// What was done until `later`.
    #[must_use]
    pub fn until(&self, later: &Self) -> Account {
        let mut account = Account::from_source(Source::WorkTree);
        for (path, stamp) in &later.0 {
            match self.0.get(path) {
                None => account.wrote(&path.to_string_lossy()),
                Some(before) if before != stamp => account.edited(&path.to_string_lossy()),
                Some(_) => {}
            }
        }
        for path in self.0.keys().filter(|path| !later.0.contains_key(*path)) {
            account.removed(&path.to_string_lossy());
        }
        account
    }
}

fn stamped(root: &Path, path: PathBuf) -> Option<(PathBuf, Stamp)> {
    let is_ours = path.iter().any(|name| PASSED_OVER.iter().any(|ours| name == *ours));
    let about = (!is_ours).then(|| fs::symlink_metadata(root.join(&path)).ok())??;
    (!about.is_dir()).then(|| (path, (about.ctime(), about.ctime_nsec(), about.size(), about.ino())))
}

/// All files, folder by folder. Links are not followed.
fn walked(root: &Path) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        // What cannot be read has nothing to tell.
        let entries = fs::read_dir(root.join(&folder)).into_iter().flatten().filter_map(io::Result::ok);
        for entry in entries {
            let path = folder.join(entry.file_name());
            let is_passed_over = PASSED_OVER.iter().any(|ours| entry.file_name() == *ours);
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_passed_over {
                folders.push(path);
            } else if found.len() < MAX_FILES {
                found.extend(stamped(root, path));
            }
        }
        if found.len() >= MAX_FILES {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a command does in a folder, as its differences show it.
    async fn differences(prepare: &str, act: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = Shell::new().inherit_env(std::env::vars_os()).dir(folder.path());
        let run = async |line: &str| {
            let ran = shell.command(line).run(std::future::pending(), |_, _| {}).await.expect("it runs");
            assert!(ran.exit.success(), "{line}: {}", ran.stderr.excerpt(1000));
        };
        run(prepare).await;
        let tree = WorkTree::at(folder.path(), &shell);
        let before = tree.look().await;
        run(act).await;
        before.until(&tree.look().await).to_string()
    }

    const ACT: &str =
        "echo 2 > a; echo n > n; rm c; mkdir -p built .loop/task; echo x > built/x; echo x > .loop/task/x";

    #[tokio::test]
    async fn without_git_every_file_counts() {
        let done = differences("echo 1 > a; echo 1 > b; echo 1 > c", ACT).await;
        assert_eq!(done, "Files written: built/x, n\nFiles edited: a\nFiles removed: c\n");
    }

    #[tokio::test]
    async fn with_git_what_it_ignores_does_not_count() {
        let prepare = "git init -q; echo built > .gitignore; echo 1 > a; echo 1 > b; echo 1 > c; git add .";
        assert_eq!(differences(prepare, ACT).await, "Files written: n\nFiles edited: a\nFiles removed: c\n");
    }

    #[tokio::test]
    async fn a_file_whose_size_and_time_were_set_back_has_changed_all_the_same() {
        let act = "touch -r a t; echo 2 > a; touch -r t a; rm t";
        assert_eq!(differences("echo 1 > a", act).await, "Files edited: a\n");
    }

    #[tokio::test]
    async fn a_program_that_the_repository_names_is_not_started() {
        let prepare = "git init -q; printf '#!/bin/sh\\ntouch started\\n' > hook; chmod +x hook; echo 1 > a; \
            git add .; git config core.fsmonitor ./hook";
        assert_eq!(differences(prepare, "rm -f started").await, "");
        assert_eq!(differences(&format!("{prepare}; rm -f started"), "true").await, "");
    }
}
