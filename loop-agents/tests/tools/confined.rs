//! Commands of tools inside a sandbox: what the rules for commands alone cannot hold.

use std::{
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    thread,
};

use loop_agents::{
    process::sandbox::{SandboxSupport, UserFolders},
    tools::{CommandSandbox, ToolReport},
};
use loop_guardrails::policy::{Origin, PolicySettings, WithOrigin};
use serde_json::json;

use crate::scenario::Scenario;

pub(crate) const CANARY: &str = "hunter2";

pub(crate) fn support() -> SandboxSupport {
    SandboxSupport::detect()
}

/// Returns true if this machine can confine commands, and prints the reason if it cannot.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn can_be_tested() -> bool {
    let can = support().landlock_abi > 0 && support().seccomp;
    if !can {
        eprintln!("not tested: this machine has {:?}", support());
    }
    can
}

pub(crate) fn setting<T>(value: T) -> Option<WithOrigin<T>> {
    Some(WithOrigin::new(value, Origin::line("settings.toml", 1)))
}

/// Settings that allow a program of the workspace, as a person may.
pub(crate) fn allowing() -> PolicySettings {
    let mut settings = PolicySettings::default();
    settings.allow = vec![WithOrigin::new("./run.sh".parse().unwrap(), Origin::line("settings.toml", 1))];
    settings
}

pub(crate) fn folders(scenario: &Scenario) -> UserFolders {
    let home = scenario.beside("home");
    fs::create_dir_all(&home).unwrap();
    UserFolders::of(|name| match name {
        "HOME" => Some(home.clone().into()),
        "PATH" => std::env::var_os("PATH"),
        _ => None,
    })
}

pub(crate) fn confined(settings: PolicySettings, support: SandboxSupport) -> Scenario {
    let mut scenario = Scenario::with(settings);
    let sandbox = CommandSandbox::new(folders(&scenario)).supported(support);
    scenario.tools = scenario.tools.sandbox(sandbox);
    scenario
}

pub(crate) async fn run(scenario: &Scenario, command: &str) -> ToolReport {
    scenario.call("run_command", json!({ "command": command })).await
}

pub(crate) async fn sh(scenario: &Scenario, script: &str) -> ToolReport {
    scenario.put("run.sh", format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(scenario.at("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    run(scenario, "./run.sh").await
}

#[tokio::test]
async fn a_command_that_a_person_allows_works_in_the_workspace() {
    if can_be_tested() {
        let scenario = confined(allowing(), support());
        let report = sh(&scenario, "mkdir a && echo x >a/b && cat a/b && echo y >\"$TMPDIR/z\"").await;
        assert_eq!(report.text, "x\n(exit 0)");
        assert_eq!(scenario.text("a/b"), "x\n");
    }
}

#[tokio::test]
async fn a_command_that_a_person_allows_reaches_nothing_else() {
    if !can_be_tested() {
        return;
    }
    let scenario = confined(allowing(), support());
    fs::write(scenario.beside("secret"), CANARY).unwrap();
    for script in [
        "cat ../secret",
        "ln -s ../secret link; cat link",
        "cat $PWD/../secret",
        "echo x >../planted",
        "rm ../secret",
        "echo x >$HOME/planted",
    ] {
        let report = sh(&scenario, script).await;
        assert_ne!(report.commands[0].exit_code, 0, "{script}: {}", report.text);
        assert!(!report.text.contains(CANARY), "{script}: {}", report.text);
    }
    assert_eq!(fs::read_to_string(scenario.beside("secret")).unwrap(), CANARY);
    assert!(!scenario.beside("planted").exists());
}

#[tokio::test]
async fn a_refusal_by_the_kernel_is_explained() {
    if can_be_tested() {
        let scenario = confined(allowing(), support());
        fs::write(scenario.beside("secret"), CANARY).unwrap();
        let text = sh(&scenario, "cat ../secret").await.text;
        assert!(text.contains("the command ran in a sandbox"), "{text}");
    }
}

#[tokio::test]
async fn a_command_that_only_reads_writes_nothing_and_has_no_network() {
    if !can_be_tested() {
        return;
    }
    let scenario = confined(PolicySettings::default(), support());
    // A program of this name on the search path plays a flaw in the rules for its options.
    let folder = programs(&scenario, "sort", "echo x >planted; perl -e 'socket(S, 2, 1, 0) or exit 7'");
    let scenario = scenario.path_before(&[folder]);
    scenario.put("list", "b\na\n");
    let report = run(&scenario, "sort list").await;
    assert!(report.text.contains("(exit 7)"), "{}", report.text);
    assert!(!scenario.at("planted").exists());
}

/// Creates a program in a folder that the sandbox can read, and returns the folder.
fn programs(scenario: &Scenario, name: &str, script: &str) -> PathBuf {
    let folder = scenario.beside("home").join(".local/bin");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    folder
}

/// A program with this name that first waits until `change` has happened: an attacker who wins every race.
fn losing_race(
    scenario: &Scenario,
    name: &str,
    when: &str,
    change: impl FnOnce() + Send + 'static,
) -> PathBuf {
    let gate = scenario.beside("home").join(".local/bin/gate");
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap();
    let script = format!(
        "case \" $* \" in *\" {when} \"*) read -r x <{} ;; esac\nexec {} \"$@\"",
        gate.display(),
        real.display()
    );
    let folder = programs(scenario, name, &script);
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    thread::spawn(move || {
        // Opening waits for the reader.
        let mut gate = fs::OpenOptions::new().write(true).open(gate).unwrap();
        change();
        gate.write_all(b"go\n").unwrap();
    });
    folder
}

/// `find` gets the name of a folder, because no descriptor can stand for it.
async fn find_after_swap(is_confined: bool) -> String {
    let scenario =
        if is_confined { confined(PolicySettings::default(), support()) } else { Scenario::unconfined() };
    fs::create_dir_all(scenario.beside("outside/below")).unwrap();
    fs::write(scenario.beside("outside/below").join(CANARY), "").unwrap();
    scenario.put("folder/below/file", "nothing");
    let (inside, outside) = (scenario.at("folder"), scenario.beside("outside"));
    let folder = losing_race(&scenario, "find", "folder/below", move || {
        fs::remove_dir_all(&inside).unwrap();
        symlink(outside, inside).unwrap();
    });
    let scenario = scenario.path_before(&[folder]);
    run(&scenario, "find folder/below").await.text
}

#[tokio::test]
async fn a_folder_that_is_swapped_for_a_link_during_a_command_shows_nothing() {
    if can_be_tested() {
        let text = find_after_swap(false).await;
        assert!(text.contains(CANARY), "without a sandbox the attack works: {text}");
        let text = find_after_swap(true).await;
        assert!(!text.contains(CANARY), "{text}");
    }
}

/// A repository that is harmless when it is vetted, and then takes its objects from another one.
async fn log_after_swap(is_confined: bool) -> String {
    let scenario =
        if is_confined { confined(PolicySettings::default(), support()) } else { Scenario::unconfined() };
    scenario.git(&["init", "-q", "-b", "main"]);
    scenario.put("plain", "nothing");
    scenario.git(&["add", "."]);
    scenario.git(&["commit", "-qm", "harmless"]);
    let other = scenario.beside("other");
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=kim", "-c", "user.email=kim@example.org", "-C"];
        let output =
            std::process::Command::new("git").args(identity).arg(&other).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    fs::create_dir(&other).unwrap();
    git(&["init", "-q", "-b", "main"]);
    fs::write(other.join("file"), CANARY).unwrap();
    git(&["add", "."]);
    git(&["commit", "-qm", "other"]);
    let id = git(&["rev-parse", "HEAD"]);
    let (own, objects) = (scenario.at(".git"), other.join(".git/objects"));
    let folder = losing_race(&scenario, "git", "log", move || {
        fs::write(own.join("objects/info/alternates"), format!("{}\n", objects.display())).unwrap();
        fs::write(own.join("refs/heads/main"), id).unwrap();
    });
    let scenario = scenario.path_before(&[folder]);
    run(&scenario, "git log -p").await.text
}

#[tokio::test]
async fn a_repository_that_turns_hostile_during_a_command_shows_nothing_of_another() {
    if can_be_tested() {
        let text = log_after_swap(false).await;
        assert!(text.contains(CANARY), "without a sandbox the attack works: {text}");
        let text = log_after_swap(true).await;
        assert!(!text.contains(CANARY), "{text}");
    }
}
