//! `loop doctor`: its answers are true.

use std::fs;

use loop_agents::process::sandbox::SandboxSupport;
use serde_json::Value;

use crate::support::{CommandResult, Manifest, Scenario};

fn findings(result: &CommandResult) -> Vec<Value> {
    result.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn health<'a>(findings: &'a [Value], area: &str, name: &str) -> Option<&'a str> {
    let found = findings.iter().find(|finding| finding["area"] == area && finding["name"] == name);
    found.and_then(|finding| finding["health"].as_str())
}

#[test]
fn the_machine_is_described_as_it_is() {
    let scenario = Scenario::new();
    let result = scenario.run(&["doctor", "--json"]).exits(0);
    let (found, support) = (findings(&result), SandboxSupport::detect());
    let is_good = |name| health(&found, "machine", name) == Some("good");
    assert_eq!(is_good("landlock"), support.landlock_abi >= SandboxSupport::MIN_LANDLOCK_ABI);
    assert_eq!(is_good("seccomp"), support.seccomp);
    assert_eq!(is_good("mounts"), support.mounts);
    let page = scenario.run(&["doctor"]).exits(0).stdout;
    assert!(page.contains("machine landlock") && page.contains("state folder"), "{page}");
}

#[test]
fn stored_files_are_read_and_a_damaged_journal_is_named() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let found = findings(&scenario.run(&["doctor", "--json"]).exits(0));
    assert_eq!(health(&found, "state", "runs"), Some("good"));
    let runs = scenario.state().join("runs");
    let run =
        fs::read_dir(&runs).expect("runs").flatten().find(|entry| entry.path().is_dir()).expect("a run");
    let journal = run.path().join("events.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    fs::write(&journal, text.replacen("iteration", "iterbtion", 1)).expect("a journal");
    let result = scenario.run(&["doctor", "--json"]).exits(1);
    let name = format!("run {}", run.file_name().to_string_lossy());
    assert_eq!(health(&findings(&result), "state", &name), Some("bad"), "{}", result.stdout);
}

#[test]
fn damaged_jobs_and_settings_are_named() {
    let scenario = Scenario::new();
    scenario.run(&["schedule", "add", "--every", "1h", "--agent", "true", "look"]).exits(0);
    let found = findings(&scenario.run(&["doctor", "--json"]).exits(0));
    assert_eq!(health(&found, "state", "schedules"), Some("good"));
    let folder = fs::read_dir(scenario.state().join("schedule")).expect("schedules");
    let folder = folder.flatten().find(|entry| entry.path().is_dir()).expect("a schedule");
    fs::write(folder.path().join("jobs.json"), "{").expect("jobs");
    scenario.write("loop.toml", "[policy]\nsandbox = \"perhaps\"\n");
    let found = findings(&scenario.run(&["doctor", "--json"]).exits(1));
    assert_eq!(health(&found, "settings", "files"), Some("bad"));
    let name = folder.file_name().to_string_lossy().into_owned();
    assert_eq!(health(&found, "state", &name), Some("bad"), "{found:?}");
}
