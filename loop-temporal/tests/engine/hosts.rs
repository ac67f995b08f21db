//! Workers that are lost, away, or have the same name, and runs with clones of their own.

use std::{fs, path::Path, process::Command};

use loop_temporal::RunStatus;

use crate::{
    laws::{ended, hangs_once, manifest, processes, submitted},
    server::{Server, wait_until},
};

/// Calls git, and returns what it prints.
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=t", "-c", "user.email=t@localhost"]).args(args);
    let output = command.output().expect("git");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn shown(server: &Server, run: &str, folder: &Path) -> RunStatus {
    serde_json::from_str(&server.says(&["show", run, "--json"], folder)).expect("a status")
}

/// Creates a repository with one commit, and a clone of it with a manifest that is not committed.
fn cloned(folder: &Path, text: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    let (remote, clone) = (folder.join("remote.git"), folder.join("clone"));
    git(folder, &["init", "--quiet", "--bare", "remote.git"]);
    git(folder, &["clone", "--quiet", "remote.git", "clone"]);
    fs::create_dir(clone.join("inner")).expect("a folder");
    fs::write(clone.join("inner/base"), "base\n").expect("a file");
    git(&clone, &["add", "."]);
    git(&clone, &["commit", "--quiet", "-m", "base"]);
    git(&clone, &["push", "--quiet", "origin", "HEAD"]);
    fs::write(clone.join("inner/loop.yaml"), text).expect("a manifest");
    (remote, clone)
}

#[test]
fn a_run_whose_host_is_lost_waits_and_continues_elsewhere_from_its_branch() {
    let server = Server::start();
    let first = server.worker("git", "first");
    let folder = tempfile::tempdir().expect("a folder");
    let seconds = 400_000 + std::process::id();
    let stuck = folder.path().join("stuck");
    // Only one host hangs, in the second iteration.
    let hangs = hangs_once(seconds).replace("second;", &format!("{};", stuck.display()));
    let hangs = hangs.replace("-e second", &format!("-e {}", stuck.display()));
    let text = manifest(&format!("{hangs} cat base;"), "test $(grep -c end log) -ge 3", "");
    let (remote, clone) = cloned(folder.path(), &text);
    let submit = ["submit", "loop.yaml", "--queue", "git", "--workspace", "git"];
    let run = server.says(&submit, &clone.join("inner"));
    wait_until("the second iteration hangs", || stuck.exists());
    first.crash();
    wait_until("nothing survives the worker", || processes(seconds) == 0);
    let _second = server.worker("git", "second");
    wait_until("the run waits for its host", || {
        let text = server.says(&["show", &run], folder.path());
        text.contains("waits       for the worker first") && text.contains(&format!("loop reassign {run}"))
    });
    server.says(&["reassign", &run], folder.path());
    let outcome = ended(&server, &run, folder.path());
    assert_eq!((outcome.ending.name(), outcome.status.iterations), ("goal_met", 3));
    assert_eq!(outcome.status.worker.as_deref(), Some("second"));
    let branch = outcome.status.branch.expect("a branch");
    assert_eq!((branch.name.as_str(), branch.trouble), (format!("loop/{run}").as_str(), None));
    let log = git(&remote, &["show", &format!("{}:inner/log", branch.name)]);
    // The lost host had pushed its first iteration, and nothing of its second.
    assert_eq!(log.lines().collect::<Vec<_>>(), ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]);
    let subjects = git(&remote, &["log", "--format=%s", &branch.name]);
    let expected = ["loop: iteration 3", "loop: iteration 2", "loop: iteration 1", "base"];
    assert_eq!(subjects.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_commit_that_no_worker_can_clone_is_refused() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_, clone) = cloned(folder.path(), &manifest("", "false", ""));
    git(&clone, &["commit", "--quiet", "--allow-empty", "-m", "local"]);
    let submit = ["submit", "loop.yaml", "--queue", "git", "--workspace", "git"];
    let error = server.try_says(&submit, &clone.join("inner")).expect_err("a local commit");
    assert!(error.contains("push it first"), "{error}");
    fs::write(folder.path().join("loop.yaml"), manifest("", "false", "")).expect("a manifest");
    let error = server.try_says(&submit, folder.path()).expect_err("no repository");
    assert!(error.contains("`--workspace git` needs a commit that workers can clone"), "{error}");
    assert_eq!(server.says(&["runs"], folder.path()), "");
}

#[test]
fn a_run_without_a_worker_says_how_to_start_one() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let run = submitted(&server, "nobody", folder.path(), &manifest("", "true", ""));
    let text = server.says(&["show", &run], folder.path());
    assert!(text.contains("loop worker --queue nobody"), "{text}");
    let _worker = server.worker("nobody", "w");
    assert_eq!(ended(&server, &run, folder.path()).ending.name(), "goal_met");
}

#[test]
fn a_worker_without_the_folder_says_so_and_the_run_ends() {
    let server = Server::start();
    let _worker = server.worker("folder", "w");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("loop.yaml"), manifest("", "true", "")).expect("a manifest");
    let submit = ["submit", "loop.yaml", "--queue", "folder", "--cwd", "/nowhere/at/all"];
    let run = server.says(&submit, folder.path());
    let outcome = ended(&server, &run, folder.path());
    assert!(!outcome.ending.is_success());
    let status = shown(&server, &run, folder.path());
    let trouble = status.trouble.expect("a cause");
    assert!(trouble.contains("there is no folder /nowhere/at/all on this worker"), "{trouble}");
}

#[test]
fn workers_of_one_name_do_not_get_the_steps_of_each_other() {
    let server = Server::start();
    let worker = server.worker("name", "same");
    let folder = tempfile::tempdir().expect("a folder");
    let text = manifest("echo \"$LOOP_TEST_HOST\" >> hosts; sleep 0.2;", "test $(grep -c end log) -ge 4", "");
    let run = submitted(&server, "name", folder.path(), &text);
    wait_until("the run began", || folder.path().join("hosts").exists());
    // Another host with the same name.
    let other = server.worker_at("name", "same", "elsewhere");
    // On the same host, the second worker is refused.
    let refused = server.refused_worker("name", "same");
    assert!(refused.contains("a worker with the name same works on this queue already"), "{refused}");
    assert_eq!(ended(&server, &run, folder.path()).ending.name(), "goal_met");
    let hosts = fs::read_to_string(folder.path().join("hosts")).expect("hosts");
    assert_eq!(hosts, "same\n".repeat(4));
    drop((worker, other));
}
