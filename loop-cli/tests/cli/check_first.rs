//! The check that runs before the first iteration.

use std::fs;

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
    let ran = ran.exits(0).says(&["before iteration 1", "goal_met"]);
    assert!(!scenario.has("worked"));
    for page in [ran.stderr, scenario.run(&["show"]).exits(0).stdout] {
        assert!(page.contains("nothing, as no agent ran"), "{page}");
        assert!(page.contains("nothing: the check passed before the first iteration"), "{page}");
    }
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

/// Returns the kinds of events in the journal of the last run.
fn event_kinds(scenario: &Scenario) -> Vec<String> {
    let run = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    let journal = scenario.state().join("runs").join(run).join("events.jsonl");
    let journal = fs::read_to_string(journal).expect("a journal");
    let kind = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["event"]["kind"].as_object().expect("a kind").keys().next().expect("its name").clone()
    };
    journal.lines().map(kind).collect()
}

#[test]
fn the_check_before_the_first_iteration_adds_nothing_but_itself() {
    let run = |is_first: bool| {
        let scenario = Scenario::new();
        let manifest = Manifest::new("echo agent >> calls", "echo check >> calls; grep -q agent calls");
        scenario.run_manifest(&manifest.set("check_first", is_first)).exits(0);
        (scenario.read("calls"), event_kinds(&scenario))
    };
    let ((calls, with), (calls_without, without)) = (run(true), run(false));
    assert_eq!(calls, format!("check\n{calls_without}"));
    let added = ["evaluation_started", "evaluation_finished", "step_settled"];
    assert_eq!(with[0], without[0]);
    assert_eq!((&with[1..4], &with[4..]), (&added.map(str::to_owned)[..], &without[1..]));
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

#[test]
fn a_check_that_ran_no_tests_does_not_meet_the_goal() {
    let scenario = Scenario::new();
    let unittest = "printf -- '----------------------------------------------------------------------\\nRan 0 tests in 0.000s\\n\\nOK\\n'";
    let ran = scenario.run_manifest(&check_first("touch worked", unittest));
    ran.exits(1).says(&["before iteration 1", "but no tests ran", "max_iterations"]);
    assert!(scenario.has("worked"));
    let one = unittest.replace("Ran 0 tests", "Ran 1 test");
    Scenario::new().run_manifest(&check_first("touch worked", &one)).exits(0).says(&["goal_met"]);
}
