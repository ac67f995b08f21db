//! The check that runs before the first iteration.

use serde_json::{Value, json};

use crate::support::{Manifest, Scenario};

/// A manifest whose check runs first.
fn check_first(agent: &str, check: &str) -> Manifest {
    Manifest::new(agent, check).set("check_first", true)
}

#[test]
fn a_goal_that_is_met_already_needs_no_iteration() {
    let scenario = Scenario::new();
    let ran = scenario.run_manifest(&check_first("touch worked", "echo all is well"));
    ran.exits(0).says(&["before iteration 1", "goal_met", "the check passed before the first iteration"]);
    assert!(!scenario.has("worked"));
    let record = scenario.record();
    assert_eq!((&record["iterations"], &record["stop_reason"]), (&0.into(), &"goal_met".into()));
}

#[test]
fn the_first_iteration_knows_what_fails() {
    let scenario = Scenario::new();
    let manifest = check_first("cat > prompt; touch worked", "echo nobody has worked; test -e worked")
        .set("agent.prompt", "{iteration}: {evaluator_output}");
    scenario.run_manifest(&manifest).exits(0).says(&["before iteration 1", "fail", "iteration 1 of"]);
    assert_eq!(scenario.read("prompt").trim(), "1: nobody has worked");
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn the_check_before_the_first_iteration_is_in_the_journal() {
    let scenario = Scenario::new();
    scenario.run_manifest(&check_first("touch worked", "echo look here; test -e worked")).exits(0);
    let shown: Value =
        serde_json::from_str(&scenario.run(&["show", "--json"]).exits(0).stdout).expect("JSON");
    let row = |index: usize| ["iteration", "verdict"].map(|field| shown["iterations"][index][field].clone());
    assert_eq!((row(0), row(1)), ([json!(0), json!("fail")], [json!(1), json!("pass")]));
    let page = scenario.run(&["show", "-i", "0"]).exits(0).stdout;
    for text in ["before iteration 1", "fail", "look here"] {
        assert!(page.contains(text), "{page}");
    }
    assert_eq!(scenario.run(&["show", "-i", "0", "--evaluation"]).exits(0).stdout, "look here\n");
}

#[test]
fn the_check_before_the_first_iteration_counts_towards_the_time_limit() {
    let scenario = Scenario::new();
    let check = format!("{}; false", crate::support::FOREVER);
    let manifest = check_first("touch worked", &check).set("guardrails.max_seconds", 0.2);
    scenario.run_manifest(&manifest).exits(1).says(&["time_exceeded"]);
    assert!(!scenario.has("worked"));
}

/// An agent may still have to write the check.
#[test]
fn a_check_that_does_not_exist_yet_fails() {
    let scenario = Scenario::new();
    let manifest = check_first("printf 'true' > verify; chmod +x verify", "./verify");
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn only_a_command_can_be_asked_first() {
    let scenario = Scenario::new();
    let manifest = check_first("true", "true").set("evaluator.confidence.at_least", 0.9);
    scenario.run_manifest(&manifest).exits(2).says(&["`check_first` needs a check that is only a command"]);
}

#[test]
fn flags_decide_whether_the_check_runs_first() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch worked", "true"));
    scenario.run(&["run", "--check-first"]).exits(0);
    assert!(!scenario.has("worked"));
    scenario.manifest(&check_first("touch worked", "true"));
    scenario.run(&["run", "--no-check-first"]).exits(0);
    assert!(scenario.has("worked"));
}

#[test]
fn a_loop_without_a_manifest_can_check_first() {
    let scenario = Scenario::new();
    scenario
        .run(&["run", "--agent", "touch worked", "--check", "true", "--max", "1", "--check-first"])
        .exits(0);
    assert!(!scenario.has("worked"));
}
