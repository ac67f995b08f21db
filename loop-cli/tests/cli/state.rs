//! The destinations of records, and failures to write them.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::support::{Manifest, RunningCommand, Scenario};

fn scenario(manifest: &Manifest) -> Scenario {
    let scenario = Scenario::new();
    scenario.manifest(manifest);
    scenario
}

#[test]
fn a_state_directory_that_cannot_be_written_is_found_out_before_anything_runs() {
    for home in ["loop.json/state", "/proc/nowhere/state"] {
        let scenario = scenario(&Manifest::new("touch ran", "true"));
        let mut command = scenario.loop_command(&["run", "loop.json"]);
        let ran = RunningCommand::new(command.env("LOOP_HOME", home)).finish();
        ran.exits(2).says(&[home]);
        assert!(!scenario.has("ran"));
    }
}

#[test]
fn without_a_place_for_state_nothing_runs() {
    let scenario = scenario(&Manifest::new("touch ran", "true"));
    let mut command = scenario.loop_command(&["run", "loop.json"]);
    RunningCommand::new(command.env_remove("LOOP_HOME").env_remove("HOME"))
        .finish()
        .exits(2)
        .says(&["LOOP_HOME"]);
    assert!(!scenario.has("ran"));
}

#[test]
fn a_record_that_cannot_be_written_at_the_end_is_a_warning() {
    for (check, code) in [("true", 0), ("false", 1)] {
        let agent = "rm -rf \"$LOOP_HOME\"; touch \"$LOOP_HOME\"";
        let scenario = scenario(&Manifest::new(agent, check));
        // With a journal, its removal would end the run.
        let args = ["run", "loop.json", "--json", "--no-journal"];
        let ran = scenario.run(&args).exits(code).says(&["warning:", "telemetry.jsonl"]);
        assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap()["success"], code == 0);
    }
}

#[test]
fn a_file_of_ones_own_gets_the_record() {
    let scenario = scenario(&Manifest::new("true", "true"));
    scenario
        .run(&["run", "loop.json", "--telemetry", "records/mine.jsonl", "--no-journal"])
        .exits(0)
        .says(&["records/mine.jsonl"]);
    assert_eq!(scenario.read("records/mine.jsonl").lines().count(), 1);
    // Only the lock remains that keeps two loops out of one folder.
    assert!(!scenario.state().join("telemetry.jsonl").exists());
    let left: Vec<_> =
        fs::read_dir(scenario.state().join("runs")).unwrap().map(|left| left.unwrap().file_name()).collect();
    assert_eq!(left, ["index.lock"]);
}

#[test]
fn a_file_of_ones_own_is_tried_first_too() {
    let scenario = scenario(&Manifest::new("touch ran", "true"));
    scenario.run(&["run", "loop.json", "--telemetry", "loop.json/mine"]).exits(2).says(&["loop.json"]);
    assert!(!scenario.has("ran"));
}

#[test]
fn the_other_places_for_state_are_known() {
    let scenario = scenario(&Manifest::new("true", "true"));
    let run = |variable: &str, value: &str| {
        let mut command = scenario.loop_command(&["run", "loop.json"]);
        command.env_remove("LOOP_HOME").env_remove("HOME").env(variable, scenario.path(value));
        RunningCommand::new(&mut command).finish().exits(0);
    };
    run("XDG_STATE_HOME", "xdg");
    run("HOME", "home");
    assert!(
        scenario.has("xdg/loop/telemetry.jsonl") && scenario.has("home/.local/state/loop/telemetry.jsonl")
    );
}

#[test]
fn twenty_runs_at_once_lose_no_record() {
    let scenario = scenario(&Manifest::new("true", "test $LOOP_ITERATION = 2"));
    let run = || RunningCommand::new(&mut scenario.loop_command(&["run", "loop.json", "--parallel"]));
    let started: Vec<_> = (0..20).map(|_| run()).collect();
    for run in started {
        run.finish().exits(0);
    }
    let records = scenario.records();
    assert_eq!(records.len(), 20);
    assert!(records.iter().all(|record| record["iterations"] == 2));
    let ids: BTreeSet<_> = records.iter().map(|record| record["run_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn a_record_has_its_documented_keys_in_their_order() {
    let scenario = scenario(&Manifest::new("true", "true"));
    scenario.run(&["run", "loop.json"]).exits(0);
    let line = fs::read_to_string(scenario.state().join("telemetry.jsonl")).unwrap();
    let keys = [
        "loop",
        "iterations",
        "stop_reason",
        "blockable",
        "success",
        "estimated_cost_usd",
        "elapsed_seconds",
        "ended_at",
        "run_id",
        "cost_state",
        "usage",
        "working_seconds",
        "started_at",
        "manifest",
        "journal_head",
    ];
    let places: Vec<_> = keys.iter().map(|key| line.find(&format!("\"{key}\":")).expect(key)).collect();
    assert!(places.is_sorted(), "{line}");
    let record = scenario.record();
    assert_eq!(record.as_object().unwrap().len(), keys.len());
    assert!(record["ended_at"].as_str().unwrap().ends_with('Z'));
    assert!(record["started_at"].as_str() <= record["ended_at"].as_str());
}
