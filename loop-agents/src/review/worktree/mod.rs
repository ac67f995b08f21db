//! Determines an agent's actions from the changes in a work tree.
//!
//! Most commands do not report their actions in a reliable way. But their changes are visible, so we take a snapshot of
//! the files before and after. We do not read contents. A changed file has a new change time (ctime), which nobody can
//! set.
//!
//! We ask git for one thing: the ignored files, so that the action log does not list build output. An agent can change
//! git's answer, so the second snapshot relies on the first. A file of the work stays one, and an ignored file stays
//! ignored. Files that git ignores only since then are listed separately. Everything else works without git, also in a
//! repository within the repository.

mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::Duration,
};

use loop_guardrails::policy::command::GIT_VARIABLES;
use serde::{Deserialize, Serialize, Serializer};

use self::walk::{Stamp, Walk, stamp};
use super::{ActionLog, ActionSource};
use crate::{process::Process, shell::Shell};

/// The maximum number of files and folders to look at.
const MAX_FILES: usize = 50_000;
/// The maximum time for git to list ignored files, and the maximum length of the list.
const GIT_TIME: Duration = Duration::from_secs(20);
const GIT_BYTES: usize = 8 * 1024 * 1024;

/// The arguments for git to list ignored files without running programs from the repository's configuration.
const LISTS_IGNORED: [&str; 9] = [
    "-c",
    "core.fsmonitor=false",
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--directory",
    "--",
];

/// The files of a folder, at most 50,000. If there is a git repository, ignored files are left out.
#[derive(Debug, Clone)]
pub struct WorkTree {
    root: PathBuf,
    git: Process,
    most: usize,
}

/// A snapshot of a work tree. You can store it, so that the actions of interrupted work are not lost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTreeSnapshot {
    #[serde(serialize_with = "named")]
    files: BTreeMap<PathBuf, Stamp>,
    /// The files and whole folders that git ignored.
    #[serde(serialize_with = "names")]
    ignored: BTreeSet<PathBuf>,
    /// The folder whose repository decides which files are ignored.
    repository: Option<PathBuf>,
    /// The folders that we could not read.
    #[serde(serialize_with = "names")]
    closed: BTreeSet<PathBuf>,
    /// The last path in the snapshot, if there were more.
    end: Option<PathBuf>,
}

impl WorkTree {
    /// Creates a work tree for the files below this folder. Git runs in `shell`.
    pub fn at(root: impl Into<PathBuf>, shell: &Shell) -> Self {
        let git = shell.command("").also_env(GIT_VARIABLES).max_time(GIT_TIME).capture_limit(GIT_BYTES);
        Self { root: root.into(), git, most: MAX_FILES }
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Takes a snapshot.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends git. A listing of files that has begun continues to its end, and its result is dropped.
    pub async fn snapshot(&self) -> WorkTreeSnapshot {
        let repository = self.root.ancestors().find(|folder| folder.join(".git").exists());
        self.snapshot_in(repository.map(Path::to_owned), WorkTreeSnapshot::default()).await
    }

    /// Takes another snapshot, and returns the changes since `before`.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// The same as for [`snapshot`](Self::snapshot).
    pub async fn since(&self, before: &WorkTreeSnapshot) -> ActionLog {
        let later = self.snapshot_in(before.repository.clone(), before.clone()).await;
        before.until(&later, self.most)
    }

    /// Returns the commit that is checked out, as git names it in full; `None` without a repository or a commit.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends git.
    pub async fn commit(&self) -> Option<String> {
        let top = self.root.ancestors().find(|folder| folder.join(".git").exists())?;
        let words = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"].map(str::to_owned);
        let output = self.git_output(top, words.into_iter().collect()).await?;
        Some(String::from_utf8(output).ok()?.trim().to_owned())
    }

    async fn snapshot_in(&self, repository: Option<PathBuf>, before: WorkTreeSnapshot) -> WorkTreeSnapshot {
        let ignored = match &repository {
            Some(top) => self.ignored_in(top).await.unwrap_or_default(),
            None => BTreeSet::new(),
        };
        let (root, most) = (self.root.clone(), self.most);
        let snapshot_in = tokio::task::spawn_blocking(move || {
            // A file of the work stays one, even if git ignores it now.
            let pruned = ignored.iter().filter(|path| !before.has_within(path)).chain(&before.ignored);
            let mut walk = Walk::new(&root, pruned.cloned().collect(), most);
            walk.go();
            let Walk { mut files, closed, end, .. } = walk;
            for path in before.files.keys().filter(|path| is_before(path, end.as_ref())) {
                if let (false, Some(stamp)) = (files.contains_key(path), stamp(&root, path)) {
                    files.insert(path.clone(), stamp);
                }
            }
            WorkTreeSnapshot { files, ignored, repository, closed, end }
        });
        // The task has no reason to panic. If it does, a tree without a snapshot has no differences.
        snapshot_in.await.unwrap_or_default()
    }

    /// Returns git's whole output in the repository in `top`, or `None` if git fails. We pass the repository's location
    /// explicitly, because it is a setting as well.
    async fn git_output(&self, top: &Path, words: Vec<String>) -> Option<Vec<u8>> {
        let place =
            [format!("--git-dir={}", top.join(".git").to_str()?), format!("--work-tree={}", top.to_str()?)];
        let git = self.git.clone().found_outside(top).dir(top).words("git", place.into_iter().chain(words));
        let finished = git.run(std::future::pending(), |_, _| {}).await.ok()?;
        let is_whole = finished.exit.success() && finished.cut.is_none() && finished.stdout.omitted() == 0;
        is_whole.then(|| finished.stdout.to_bytes())
    }

    /// Returns the paths below the root that the repository in `top` ignores, or `None` if git fails.
    async fn ignored_in(&self, top: &Path) -> Option<BTreeSet<PathBuf>> {
        let below = self.root.strip_prefix(top).ok()?;
        // For the whole repository, pass no path at all. Git does not accept an empty one.
        let path = is_named(&below).then(|| below.to_str().map(|path| format!(":(top,literal){path}")));
        let words = LISTS_IGNORED.map(str::to_owned).into_iter().chain(path.flatten()).collect();
        let names = self.git_output(top, words).await?;
        let names = names.split(|byte| *byte == 0).map(|name| Path::new(OsStr::from_bytes(name)));
        // If the repository ignores the whole tree, everything in it is the work.
        Some(names.filter_map(|name| name.strip_prefix(below).ok()).filter(is_named).map(tidy).collect())
    }
}

fn is_named(path: &&Path) -> bool {
    !path.as_os_str().is_empty()
}

/// Removes the trailing slash.
fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

fn is_before(path: &Path, end: Option<&PathBuf>) -> bool {
    end.is_none_or(|end| path <= end.as_path())
}

impl WorkTreeSnapshot {
    /// Returns the changes up to `later`, in at most `most` files.
    fn until(&self, later: &Self, most: usize) -> ActionLog {
        let mut actions = ActionLog::from_source(ActionSource::WorkTree);
        let is_seen =
            |path: &&PathBuf| is_before(path, self.end.as_ref()) && is_before(path, later.end.as_ref());
        for (path, stamp) in later.files.iter().filter(|(path, _)| is_seen(path)) {
            match self.files.get(path) {
                None => actions.wrote(&path.to_string_lossy()),
                Some(before) if before != stamp => actions.edited(&path.to_string_lossy()),
                Some(_) => {}
            }
        }
        let is_closed = |path: &&PathBuf| path.ancestors().any(|folder| later.closed.contains(folder));
        for path in self.files.keys().filter(is_seen).filter(|path| !is_closed(path)) {
            if !later.files.contains_key(path) {
                actions.removed(&path.to_string_lossy());
            }
        }
        for path in later.ignored.iter().filter(|path| !self.ignores(path) && !self.has_within(path)) {
            actions.ignored(&path.to_string_lossy());
        }
        for path in &later.closed {
            actions.unknown(&format!("the content of {}, which cannot be read", path.display()));
        }
        if self.end.is_some() || later.end.is_some() {
            actions.unknown(&format!("anything beyond the first {most} files and folders"));
        }
        actions
    }

    /// Returns true if git ignored this path, or a folder that contains it.
    fn ignores(&self, path: &Path) -> bool {
        path.ancestors().any(|path| self.ignored.contains(path))
    }

    /// Returns true if this is a file of the work, or a folder with one in it.
    fn has_within(&self, path: &Path) -> bool {
        self.files.range(path.to_owned()..).next().is_some_and(|(next, _)| next.starts_with(path))
    }
}

/// Leaves out names that are not UTF-8. A reader of the stored snapshot sees their files as new.
fn named<S: Serializer>(files: &BTreeMap<PathBuf, Stamp>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(files.iter().filter_map(|(path, stamp)| Some((path.to_str()?, stamp))))
}

fn names<S: Serializer>(paths: &BTreeSet<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().filter_map(|path| path.to_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a command's changes in a folder, as the snapshots show them.
    async fn differences(prepare: &str, act: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = Shell::new().inherit_env(std::env::vars_os()).dir(folder.path());
        let run = async |line: &str| {
            let ran = shell.command(line).run(std::future::pending(), |_, _| {}).await.expect("it runs");
            assert!(ran.exit.success(), "{line}: {}", ran.stderr.excerpt(1000));
        };
        run(prepare).await;
        let tree = WorkTree::at(folder.path(), &shell);
        let before = tree.snapshot().await;
        // Use the serialized form, as after a killed run.
        let kept = serde_json::to_string(&before).expect("text");
        assert_eq!(serde_json::from_str::<WorkTreeSnapshot>(&kept).expect("a look"), before);
        run(act).await;
        tree.since(&before).await.to_string()
    }

    const ACT: &str =
        "echo 2 > a; echo n > n; rm c; mkdir -p built .loop/task; echo x > built/x; echo x > .loop/task/x";

    #[tokio::test]
    async fn without_git_every_file_counts() {
        let done = differences("echo 1 > a; echo 1 > b; echo 1 > c", ACT).await;
        assert_eq!(done, "Files written: built/x, n\nFiles edited: a\nFiles removed: c\n");
    }

    #[tokio::test]
    async fn with_git_what_it_ignores_is_no_file_of_the_work() {
        let prepare = "git init -q; echo built > .gitignore; echo 1 > a; echo 1 > b; echo 1 > c; git add .";
        let done = "Files written: n\nFiles edited: a\nFiles removed: c\n";
        let new = format!("{done}New, and ignored by git: built\n");
        assert_eq!(differences(prepare, ACT).await, new);
        let prepare = format!("{prepare}; mkdir built; touch built/y");
        assert_eq!(differences(&prepare, ACT).await, done);
    }

    #[tokio::test]
    async fn who_changes_what_git_ignores_hides_nothing() {
        const PREPARE: &str = "git init -q; echo built > .gitignore; mkdir src; echo 1 > src/a; git add .";
        for (act, done) in [
            (
                "echo new > .git/info/exclude; echo src >> .git/info/exclude; git rm -rq --cached src; \
                 echo 2 > src/a; echo 1 > src/b; touch new",
                "Files written: src/b\nFiles edited: .git/info/exclude, src/a\nNew, and ignored by git: new\n",
            ),
            (
                "echo '*' > .git/info/exclude; mkdir lib; touch lib/x src/y",
                "Files edited: \
                 .git/info/exclude\nNew, and ignored by git: lib, src/y\n",
            ),
            ("git config core.worktree /; touch src/b", "Files written: src/b\nFiles edited: .git/config\n"),
            (
                "git config core.excludesFile $PWD/all; echo '*' > all; touch src/b",
                "Files edited: .git/config\nNew, and ignored by git: all, src/b\n",
            ),
            ("git rm -q --cached src/a; echo a > src/.gitignore", "Files written: src/.gitignore\n"),
            (
                "git init -q sub; touch sub/x; mkdir -p sub/.git/more; touch sub/.git/more/y",
                "Files written: sub/x\n",
            ),
            ("rm -r .git; touch x", "Files written: x\nFiles removed: .git/config, .git/info/exclude\n"),
            ("mkdir -p src/.loop; touch src/.loop/x", "Files written: src/.loop/x\n"),
            ("touch .git/hooks/pre-commit", "Files written: .git/hooks/pre-commit\n"),
        ] {
            assert_eq!(differences(PREPARE, act).await, done, "{act}");
        }
    }

    #[tokio::test]
    async fn a_folder_that_a_repository_above_it_ignores_is_seen() {
        let above = tempfile::tempdir().expect("a folder");
        let shell = Shell::new().inherit_env(std::env::vars_os()).dir(above.path());
        let prepare = "git init -q; echo w > .gitignore; mkdir -p w/in v/in; touch w/in/a v/in/a";
        shell.command(prepare).run(std::future::pending(), |_, _| {}).await.expect("it runs");
        for name in ["w", "w/in", "v/in"] {
            let root = above.path().join(name);
            let tree = WorkTree::at(&root, &shell);
            let before = tree.snapshot().await;
            std::fs::write(root.join("b"), "").expect("a file");
            assert_eq!(tree.since(&before).await.to_string(), "Files written: b\n", "{name}");
        }
    }

    #[tokio::test]
    async fn an_account_that_is_not_whole_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str| std::fs::write(folder.path().join(name), "").expect("a file");
        ["b", "c", "d"].into_iter().for_each(write);
        let tree = WorkTree { most: 3, ..WorkTree::at(folder.path(), &Shell::new()) };
        let before = tree.snapshot().await;
        write("e");
        let told = "Not known: anything beyond the first 3 files and folders\n";
        assert_eq!(tree.since(&before).await.to_string(), told);
        // A new file must not make an older file look removed.
        write("a");
        assert_eq!(tree.since(&before).await.to_string(), format!("Files written: a\n{told}"));
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
