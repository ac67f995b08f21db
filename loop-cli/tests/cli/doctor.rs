//! `loop doctor`: its answers are true.

use std::{fs, os::unix::fs::PermissionsExt as _};

use loop_agents::process::sandbox::SandboxSupport;
use serde_json::{Value, json};

use crate::support::{Manifest, RunningCommand, Scenario};

/// Examines, and checks that the exit code tells whether something is bad.
fn findings(scenario: &Scenario) -> Vec<Value> {
    let result = scenario.run(&["doctor", "--json"]);
    let found: Vec<Value> =
        result.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_bad = found.iter().any(|finding| finding["health"] == "bad");
    result.exits(i32::from(is_bad));
    found
}

fn health<'a>(findings: &'a [Value], area: &str, name: &str) -> Option<&'a str> {
    let found = findings.iter().find(|finding| finding["area"] == area && finding["name"] == name);
    found.and_then(|finding| finding["health"].as_str())
}

#[test]
fn the_machine_is_described_as_it_is() {
    let scenario = Scenario::new();
    let (found, support) = (findings(&scenario), SandboxSupport::detect());
    let is_good = |name| health(&found, "machine", name) == Some("good");
    assert_eq!(is_good("landlock"), support.landlock_abi >= SandboxSupport::MIN_LANDLOCK_ABI);
    assert_eq!(is_good("seccomp"), support.seccomp);
    assert_eq!(is_good("mounts"), support.mounts);
    assert_eq!(is_good("networks"), support.networks);
    let page = scenario.run(&["doctor"]).stdout;
    assert!(page.contains("machine landlock") && page.contains("state folder"), "{page}");
}

/// An agent that notes which attacks succeed. Old versions of Landlock let it truncate a file.
const ATTACKS: &str = "cat ../outside >landlock; perl -e 'truncate q(../outside), 0 or exit 1' && echo x >>landlock; \
                       perl -e 'socket(S, 1, 1, 0) or exit 1' && echo x >seccomp; cat .env >mounts; true";

/// Compares what the machine enforces, as it is reported, with what attacks find. Returns the parts that are reported as
/// enforced.
#[cfg(target_os = "linux")]
fn compared_with_attacks() -> Vec<&'static str> {
    let scenario = Scenario::new();
    fs::write(scenario.path("../outside"), "treasure").expect("a file");
    scenario.write(".env", "treasure");
    let found = findings(&scenario);
    let run =
        |arguments: &[&str]| scenario.run(&[&["run", "--max", "1", "--check", "true"], arguments].concat());
    run(&["--agent", ATTACKS, "--sandbox=warn"]).exits(0);
    let is_stopped = |part: &str| !scenario.has(part) || scenario.read(part).is_empty();
    let mut held = Vec::new();
    for part in ["landlock", "seccomp", "mounts"] {
        let is_good = health(&found, "machine", part) == Some("good");
        assert_eq!(is_good, is_stopped(part), "{part}: {found:?}");
        held.extend(is_good.then_some(part));
    }
    // A list of hosts is either held or refused.
    let hosts =
        run(&["--agent", "true", "--sandbox", "--set", "sandbox.network=[]", "--set", "sandbox.write=[]"]);
    let is_refused = hosts.stderr.contains("limited to the listed hosts");
    assert_eq!(health(&found, "machine", "networks") == Some("missing"), is_refused, "{}", hosts.stderr);
    held
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_reported_is_what_attacks_find_also_where_a_part_is_off() {
    use loop_testing::{MissingPart, without};
    let whole = compared_with_attacks();
    for (part, missing) in [
        (MissingPart::Landlock, "landlock"),
        (MissingPart::LandlockRules, "landlock"),
        (MissingPart::Seccomp, "seccomp"),
        (MissingPart::Namespaces, "mounts"),
    ] {
        let left: Vec<_> = whole.iter().copied().filter(|held| *held != missing).collect();
        assert_eq!(without(part, compared_with_attacks), left, "{part:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn inside_a_sandbox_less_is_reported() {
    let support = SandboxSupport::detect();
    if support.landlock_abi < SandboxSupport::MIN_LANDLOCK_ABI || !support.seccomp {
        return;
    }
    let scenario = Scenario::new();
    let program = env!("CARGO_BIN_EXE_loop");
    let agent = format!("LOOP_HOME=$TMPDIR '{program}' doctor --json >found");
    let read = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/sys", program];
    scenario.manifest(&Manifest::new(&agent, "test -s found").set("sandbox", json!({ "read": read })));
    scenario.run(&["run", "loop.json"]).exits(0);
    let text = scenario.read("found");
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (part, expected) in [
        ("landlock", "good"),
        ("seccomp", "good"),
        ("mounts", "missing"),
        ("networks", "missing"),
        ("control groups", "missing"),
        ("limits", "missing"),
    ] {
        assert_eq!(health(&found, "machine", part), Some(expected), "{part}: {text}");
    }
}

#[test]
fn stored_files_are_read_and_a_damaged_journal_is_named() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let found = findings(&scenario);
    assert_eq!(health(&found, "state", "runs"), Some("good"));
    let runs = scenario.state().join("runs");
    let run =
        fs::read_dir(&runs).expect("runs").flatten().find(|entry| entry.path().is_dir()).expect("a run");
    let journal = run.path().join("events.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    fs::write(&journal, text.replacen("iteration", "iterbtion", 1)).expect("a journal");
    let found = findings(&scenario);
    let name = format!("run {}", run.file_name().to_string_lossy());
    assert_eq!(health(&found, "state", &name), Some("bad"), "{found:?}");
}

#[test]
fn damaged_records_a_missing_index_and_rights_of_others_are_named() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let state = scenario.state();
    let found = findings(&scenario);
    for name in ["records", "runs", "folder"] {
        assert_eq!(health(&found, "state", name), Some("good"), "{name}");
    }
    let is_bad = |name: &str| {
        let found = findings(&scenario);
        found.iter().any(|finding| finding["name"] == name && finding["health"] == "bad")
    };
    let records = state.join("telemetry.jsonl");
    let text = fs::read_to_string(&records).expect("records");
    fs::write(&records, text.replacen('{', "[", 1)).expect("records");
    assert!(is_bad("records"));
    fs::write(&records, text).expect("records");
    fs::remove_file(state.join("runs/index.jsonl")).expect("an index");
    assert!(is_bad("runs"));
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    assert!(!is_bad("runs") && !is_bad("records"));
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).expect("a mode");
    assert!(is_bad("folder"));
    scenario.run(&["doctor", "--fix"]).exits(2).says(&["add --yes"]);
    assert!(is_bad("folder"), "nobody agreed");
    scenario.run(&["doctor", "--fix", "--yes"]).exits(0);
    assert!(!is_bad("folder"));
    assert_eq!(fs::metadata(&state).expect("a folder").permissions().mode() & 0o777, 0o700);
}

#[test]
fn damaged_jobs_and_settings_are_named() {
    let scenario = Scenario::new();
    scenario.run(&["schedule", "add", "--every", "1h", "--agent", "true", "look"]).exits(0);
    let found = findings(&scenario);
    assert_eq!(health(&found, "state", "schedules"), Some("good"));
    let folder = fs::read_dir(scenario.state().join("schedule")).expect("schedules");
    let folder = folder.flatten().find(|entry| entry.path().is_dir()).expect("a schedule");
    fs::write(folder.path().join("jobs.json"), "{").expect("jobs");
    scenario.write("loop.toml", "[policy]\nsandbox = \"perhaps\"\n");
    let found = findings(&scenario);
    assert_eq!(health(&found, "settings", "files"), Some("bad"));
    let name = folder.file_name().to_string_lossy().into_owned();
    assert_eq!(health(&found, "state", &name), Some("bad"), "{found:?}");
}

#[test]
fn a_damaged_history_of_fires_is_named_beside_damaged_jobs() {
    let scenario = Scenario::new();
    scenario.run(&["schedule", "add", "--every", "1h", "--agent", "true", "look"]).exits(0);
    let folder = fs::read_dir(scenario.state().join("schedule")).expect("schedules");
    let folder = folder.flatten().find(|entry| entry.path().is_dir()).expect("a schedule").path();
    fs::create_dir(folder.join("fires.jsonl")).expect("a folder in the place of a file");
    for content in [None, Some("{")] {
        content.into_iter().for_each(|text| fs::write(folder.join("jobs.json"), text).expect("jobs"));
        let page = scenario.run(&["doctor"]).exits(1).stdout;
        assert!(page.contains("fires.jsonl cannot be read"), "{page}");
        assert_eq!(page.contains("jobs.json"), content.is_some(), "{page}");
    }
}

#[test]
fn commands_that_are_refused_or_not_confined_are_bad() {
    let scenario = Scenario::new();
    let support = SandboxSupport::detect();
    let is_possible = support.landlock_abi > 0 && support.seccomp;
    let health_of = |settings: &str| {
        scenario.write("../home/.config/loop/loop.toml", format!("[policy]\n{settings}"));
        health(&findings(&scenario), "settings", "commands run").map(str::to_owned)
    };
    let holds = |holds| Some(if holds { "good" } else { "bad" }.to_owned());
    assert_eq!(health_of(""), holds(is_possible));
    let is_new = support.landlock_abi >= SandboxSupport::MIN_LANDLOCK_ABI;
    assert_eq!(health_of("sandbox = \"require\"\n"), holds(is_possible && is_new));
    assert_eq!(health_of("sandbox = \"off\"\n").as_deref(), Some("missing"));
}

#[test]
fn a_login_is_named_and_never_shown() {
    let scenario = Scenario::new();
    for agent in ["claude", "codex", "pi"] {
        scenario.write(&format!("programs/{agent}"), "#!/bin/sh\n");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(scenario.path(format!("programs/{agent}")), mode).expect("a program");
    }
    scenario.write("../home/.codex/auth.json", "a-secret-token");
    let path = format!("{}:/usr/bin:/bin", scenario.path("programs").display());
    let mut command = scenario.loop_command(&["doctor"]);
    command.env("PATH", path).env("ANTHROPIC_AUTH_TOKEN", "another-secret-token");
    let page = RunningCommand::new(&mut command).finish().exits(0).stdout;
    let line = |name: &str| page.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(
        line("claude login").contains("ok       ") && line("claude login").contains("$ANTHROPIC_AUTH_TOKEN")
    );
    assert!(line("codex login").contains("ok       ") && line("codex login").contains(".codex/auth.json"));
    assert!(
        line("pi login").contains("missing") && line("pi login").contains("set ANTHROPIC_API_KEY"),
        "{page}"
    );
    assert!(!page.contains("secret-token"), "{page}");
}

#[test]
fn damaged_snapshots_are_named() {
    let scenario = Scenario::new();
    scenario.write("notes", "old");
    scenario.run_manifest(&Manifest::new("echo new > notes", "true")).exits(0);
    assert_eq!(health(&findings(&scenario), "state", "snapshots"), Some("good"));
    let stores = fs::read_dir(scenario.state().join("snapshots")).expect("stores");
    let packs = stores.flatten().next().expect("a store").path().join("packs");
    let pack = fs::read_dir(packs).expect("packs").flatten().map(|entry| entry.path());
    let pack = pack.max_by_key(|path| path.metadata().expect("a pack").len()).expect("a pack");
    let mut bytes = fs::read(&pack).expect("a pack");
    let place = bytes.windows(3).position(|bytes| bytes == b"old").expect("the content");
    bytes[place] ^= 1;
    fs::write(&pack, bytes).expect("a pack");
    let found = findings(&scenario);
    let says = |finding: &&Value| finding["name"] == "snapshots" && finding["health"] == "bad";
    let bad = found.iter().find(says).expect("a finding");
    assert!(bad["says"].as_str().expect("a text").contains("`loop doctor --fix` deletes them"), "{bad}");
    scenario.run(&["doctor", "--fix"]).exits(2).says(&["add --yes"]);
    scenario.run(&["doctor", "--fix", "--yes"]).exits(0).prints(&["0 snapshots can be read"]);
    scenario.run_manifest(&Manifest::new("echo newer > notes", "true")).exits(0);
    assert_eq!(health(&findings(&scenario), "state", "snapshots"), Some("good"));
}
