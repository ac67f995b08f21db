//! Runs of the first format can be listed, shown and resumed forever: these files are never rewritten.

use std::{
    fs,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use crate::support::Scenario;

/// The folder in which those runs worked.
const PROJECT: &str = "/home/ann/project";

/// All tests have runs with the same ids, and each command ends what is left of a run that is unfinished.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Creates a scenario with those runs, as if they had worked there.
fn scenario() -> (Scenario, MutexGuard<'static, ()>) {
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let scenario = Scenario::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/state-v1");
    copy(&fixture, &scenario.state(), scenario.path("").to_str().expect("text").trim_end_matches('/'));
    (scenario, alone)
}

fn copy(from: &Path, to: &Path, project: &str) {
    fs::create_dir_all(to).expect("it is there");
    for entry in fs::read_dir(from).expect("it is there") {
        let entry = entry.expect("it is there");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to, project);
        } else {
            // Journals have checksums, but do not contain the folder.
            fs::write(to, fs::read_to_string(from).expect("it is there").replace(PROJECT, project))
                .expect("it is there");
        }
    }
}

#[test]
fn they_are_listed() {
    let (scenario, _alone) = scenario();
    let listed = scenario.run(&["runs", "--json"]).exits(0).stdout;
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<_> = listed.iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["unfinished", "max_iterations", "goal_met"]);
    assert_eq!(listed[2]["record"]["estimated_cost_usd"], 0.75);
}

#[test]
fn they_are_shown() {
    let (scenario, _alone) = scenario();
    let page = scenario.run(&["show", "00000001"]).exits(0).stdout;
    assert!(page.contains("goal_met") && page.contains("3,060"), "{page}");
    assert_eq!(scenario.run(&["show", "00000001", "-i", "2", "--output"]).exits(0).stdout, "hello 2\n");
    let prompt = scenario.run(&["show", "00000001", "-i", "3", "--prompt"]).exits(0).stdout;
    assert_eq!(prompt, "Iteration 3: Say hello. Before: hello 2\n The check said: checked 2\n Left: 1.50\n");
}

#[test]
fn they_are_resumed() {
    let (scenario, _alone) = scenario();
    scenario.run(&["resume"]).exits(0).says(&["goal_met"]);
    let ended = scenario.records().pop().unwrap();
    assert_eq!((&ended["iterations"], &ended["estimated_cost_usd"]), (&3.into(), &0.75.into()));
    scenario.run(&["resume", "00000002", "--add-iterations", "1"]).exits(0).says(&["iteration 3 of 3"]);
}
