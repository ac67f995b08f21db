//! Parts of a sandbox that do not hold: the report, or the description, tells each.

use std::{fs, os::unix::fs::PermissionsExt as _};

use loop_agents::{
    process::sandbox::{SandboxSupport, UserFolders},
    tools::{AfterWrite, CommandSandbox, Confinement, ToolOutcome},
};
use loop_guardrails::policy::{
    ActionPolicy, CommandNetwork, LocalPath, Origin, Permissions, PolicySettings, SandboxMode, Verb,
    environment::EnvironmentPolicy,
};
use serde_json::json;

use crate::{
    confined::{CANARY, allowing, can_be_tested, confined, folders, run, setting, sh, support},
    scenario::Scenario,
};

#[tokio::test]
async fn a_secret_is_hidden_or_the_report_says_that_it_is_not() {
    if !can_be_tested() {
        return;
    }
    for mounts in [support().mounts, false] {
        let mut support = support();
        support.mounts &= mounts;
        let scenario = confined(allowing(), support);
        scenario.put(".env", CANARY);
        let report = sh(&scenario, "cat .env").await;
        let is_told = report.unenforced.iter().any(|note| note.contains(".env is in a writable folder"));
        assert_eq!(report.text.contains(CANARY), is_told, "{report:?}");
        assert_eq!(is_told, !support.mounts);
    }
}

/// The files that a model writes can make `go` read others: `#include ".env"`.
#[tokio::test]
async fn what_examines_go_has_no_network_reads_no_secret_changes_nothing_and_needs_a_sandbox() {
    if !can_be_tested() {
        return;
    }
    let go = "#!/bin/sh\nsay() { echo \"a.go:1:1: $*\"; }\nsay $CGO_ENABLED $GOPROXY $GOWORK $*; say $(cat .env); \
              echo x > made; exit 1\n";
    for (has_secret, sandbox) in
        [(false, SandboxMode::Auto), (true, SandboxMode::Auto), (false, SandboxMode::Off)]
    {
        let mut settings = allowing();
        settings.sandbox = setting(sandbox);
        let mut scenario = Scenario::with(settings);
        let programs = scenario.beside("go/bin");
        fs::create_dir_all(&programs).unwrap();
        fs::write(programs.join("go"), go).unwrap();
        fs::set_permissions(programs.join("go"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", programs.display());
        let folders = UserFolders::of(|name| (name == "PATH").then(|| path.clone().into()));
        let tools = scenario.tools.environment([("PATH", path)], &EnvironmentPolicy::new());
        scenario.tools = tools.sandbox(CommandSandbox::new(folders)).after_write(AfterWrite::default());
        scenario.put("go.mod", "module x\n");
        if has_secret {
            scenario.put(".env", CANARY);
        }
        let text = scenario.done("write_file", json!({ "path": "a.go", "content": "package x\n" })).await;
        assert_eq!(text.contains("0 off off vet ./."), sandbox == SandboxMode::Auto, "{text}");
        assert!(!text.contains(CANARY) && !scenario.at("made").exists(), "{text}");
    }
}

#[tokio::test]
async fn settings_that_require_a_sandbox_refuse_what_it_cannot_hold() {
    let mut settings = allowing();
    settings.sandbox = setting(SandboxMode::Require);
    let mut none = support();
    (none.landlock_abi, none.mounts) = (0, false);
    let scenario = confined(settings.clone(), none);
    let report = sh(&scenario, "echo ran").await;
    assert_eq!(report.outcome, ToolOutcome::Rejected);
    assert!(report.text.contains("the kernel has no Landlock"), "{}", report.text);
    if can_be_tested() {
        let mut no_mounts = support();
        no_mounts.mounts = false;
        let scenario = confined(settings, no_mounts);
        assert_eq!(sh(&scenario, "echo ran").await.text, "ran\n(exit 0)");
        scenario.put(".env", CANARY);
        let report = sh(&scenario, "cat .env").await;
        assert_eq!(report.outcome, ToolOutcome::Rejected);
        assert!(report.text.contains(".env is in a writable folder"), "{}", report.text);
        // A command that only reads needs no mounts.
        scenario.put("plain", "text");
        assert_eq!(run(&scenario, "cat plain").await.text, "text\n(exit 0)");
    }
}

#[tokio::test]
async fn without_landlock_the_rules_apply_alone_and_the_description_says_so() {
    let mut none = support();
    none.landlock_abi = 0;
    let scenario = confined(allowing(), none);
    fs::write(scenario.beside("secret"), CANARY).unwrap();
    assert!(sh(&scenario, "cat ../secret").await.text.contains(CANARY), "the description is true");
    let policy = ActionPolicy::default();
    let sandbox = CommandSandbox::new(folders(&scenario)).supported(none);
    assert_eq!(sandbox.confinement(&policy), Confinement::RulesOnly);
    assert!(sandbox.describe(&policy).contains("without a sandbox: this kernel has no Landlock"));
}

#[test]
fn a_required_sandbox_is_described_as_refused_below_the_least_version_of_landlock() {
    let mut settings = allowing();
    settings.sandbox = setting(SandboxMode::Require);
    let policy = ActionPolicy::new(settings, PolicySettings::default());
    let mut old = support();
    old.seccomp = true;
    let kind_and_words = |support| {
        let sandbox = CommandSandbox::new(UserFolders::of(|_| None)).supported(support);
        (sandbox.confinement(&policy), sandbox.describe(&policy))
    };
    old.landlock_abi = SandboxSupport::MIN_LANDLOCK_ABI - 1;
    let (kind, words) = kind_and_words(old);
    assert!(kind == Confinement::Refused && words.starts_with("not at all"), "{kind:?}: {words}");
    old.landlock_abi = SandboxSupport::MIN_LANDLOCK_ABI;
    let (kind, words) = kind_and_words(old);
    assert!(kind == Confinement::Sandbox && words.starts_with("in a sandbox"), "{kind:?}: {words}");
}

#[tokio::test]
async fn the_settings_turn_the_sandbox_off() {
    let mut settings = allowing();
    settings.sandbox = setting(SandboxMode::Off);
    let scenario = confined(settings, support());
    fs::write(scenario.beside("secret"), CANARY).unwrap();
    assert!(sh(&scenario, "cat ../secret").await.text.contains(CANARY));
}

#[tokio::test]
async fn the_network_is_for_the_commands_that_the_settings_name() {
    if !can_be_tested() {
        return;
    }
    for (network, is_open) in [(CommandNetwork::Approved, true), (CommandNetwork::None, false)] {
        let mut settings = allowing();
        settings.network = setting(network);
        let scenario = confined(settings, support());
        let report = sh(&scenario, "perl -e 'socket(S, 2, 1, 0) or exit 7'").await;
        assert_eq!(report.commands[0].exit_code == 0, is_open, "{network}: {}", report.text);
    }
}

#[tokio::test]
async fn a_rule_for_a_path_that_is_missing_holds_or_the_report_says_that_it_does_not() {
    if !can_be_tested() {
        return;
    }
    for sandbox in [SandboxMode::Auto, SandboxMode::Require] {
        for verbs in [&[][..], &[Verb::Read]] {
            let mut settings = allowing();
            settings.sandbox = setting(sandbox);
            let all = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn);
            settings.permissions = all.with("later".parse().unwrap(), verbs.iter().copied(), Origin::BuiltIn);
            let scenario = confined(settings, support());
            let report = sh(&scenario, "mkdir later && echo x >later/x").await;
            assert_eq!(scenario.at("later").exists(), sandbox == SandboxMode::Auto, "{report:?}");
            let told = report.unenforced.iter().chain([&report.text]);
            assert!(told.clone().any(|text| text.contains("forbid changes of `later`")), "{report:?}");
        }
    }
}

#[tokio::test]
async fn a_secret_that_cannot_be_looked_for_is_told_and_refused_by_a_required_sandbox() {
    if !can_be_tested() {
        return;
    }
    for sandbox in [SandboxMode::Auto, SandboxMode::Require] {
        let mut settings = allowing();
        settings.sandbox = setting(sandbox);
        let scenario = confined(settings, support());
        let name = "d".repeat(200);
        let deep = format!("for (1..25) {{ mkdir \"{name}\"; chdir \"{name}\" or exit 1 }}");
        let mut made = std::process::Command::new("perl");
        assert!(made.args(["-e", &deep]).current_dir(scenario.at("")).status().unwrap().success());
        let report = sh(&scenario, "echo ran").await;
        let told = report.unenforced.iter().chain([&report.text]);
        assert!(told.clone().any(|text| text.contains("cannot look for secrets in")), "{report:?}");
        assert_eq!(report.text.contains("ran\n"), sandbox == SandboxMode::Auto, "{report:?}");
    }
}
