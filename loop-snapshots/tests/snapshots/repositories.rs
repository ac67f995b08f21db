//! Repositories of unusual kinds, whose `.git` stays the same byte for byte.

use std::{collections::BTreeMap, fs, path::Path, path::PathBuf, process::Command};

use crate::tree::{Sandbox, Seen, listing};

/// Returns whether git could do it.
fn git(folder: &Path, line: &str) -> bool {
    let mut git = Command::new("git");
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").current_dir(folder);
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"]);
    git.args(line.split(' ')).output().unwrap().status.success()
}

/// What belongs to git, with its inodes' contents and modes.
fn private(folder: &Path) -> BTreeMap<PathBuf, Seen> {
    listing(folder).into_iter().filter(|(path, _)| path.iter().any(|name| name == ".git")).collect()
}

/// Prepares a repository with a first command and others, changes it between two captures, and restores it.
fn assert_untouched(init: &str, lines: &[&str]) {
    let mut sandbox = Sandbox::new();
    let folder = sandbox.folder();
    if !git(&folder, init) {
        // This git is too old for such a repository.
        return;
    }
    for line in ["a", "b/c"] {
        sandbox.write(line, "1");
    }
    assert!(git(&folder, "add -A") && git(&folder, "commit -qm one"), "{init}");
    for line in lines {
        match line.strip_prefix("write ") {
            Some(content) => sandbox.write("a", content),
            // A merge or rebase with conflicts stops with an error.
            None => assert!(
                git(&folder, line) || line.starts_with("merge") || line.starts_with("rebase"),
                "{line}"
            ),
        }
    }
    let (before, files) = (private(&folder), listing(&folder));
    assert!(!before.is_empty());
    sandbox.capture(0);
    sandbox.write("a", "changed");
    fs::remove_dir_all(folder.join("b")).ok();
    sandbox.write("new/file", "x");
    sandbox.capture(1);
    let restored = sandbox.restore(0, &[]);
    assert_eq!(restored.kept, [], "{init} {lines:?}");
    assert_eq!(private(&folder), before, "{init} {lines:?}");
    assert_eq!(listing(&folder), files, "{init} {lines:?}");
    assert!(git(&folder, "status"));
}

#[test]
fn unusual_formats_stay_the_same() {
    assert_untouched("init -q", &["update-index --split-index"]);
    assert_untouched("init -q --ref-format=reftable", &[]);
    assert_untouched("init -q --object-format=sha256", &[]);
    assert_untouched("init -q", &["sparse-checkout set --cone b"]);
    assert_untouched(
        "init -q",
        &[
            "config core.fsmonitor /bin/false",
            "config core.worktree /nowhere",
            "config --unset core.worktree",
        ],
    );
    assert_untouched("init -q", &["config core.autocrlf true", "config core.hooksPath /nowhere"]);
}

#[test]
fn worktrees_and_submodules_stay_the_same() {
    assert_untouched("init -q", &["worktree add -q tree"]);
    assert_untouched("init -q", &["clone -q . ../other", "submodule --quiet add ../other sub"]);
}

#[test]
fn interrupted_merges_and_rebases_stay_the_same() {
    let conflict =
        ["checkout -qb other", "write 2", "commit -qam two", "checkout -q -", "write 3", "commit -qam three"];
    for last in ["merge other", "rebase other"] {
        assert_untouched("init -q", &[&conflict[..], &[last]].concat());
    }
}
