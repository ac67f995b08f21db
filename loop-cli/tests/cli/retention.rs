//! How long runs are stored.

use std::fs;

use crate::support::{CommandResult, Manifest, RunningCommand, Scenario};

fn run_with(scenario: &Scenario, variables: &[(&str, &str)]) -> CommandResult {
    let mut command = scenario.loop_command(&["run"]);
    command.envs(variables.iter().copied());
    RunningCommand::new(&mut command).finish()
}

#[test]
fn old_runs_go_when_a_new_one_begins_and_those_that_can_go_on_stay() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "true"));
    (0..4).for_each(|_| drop(scenario.run(&["run"]).exits(0)));
    // The oldest one died.
    let index = scenario.state().join("runs/index.jsonl");
    let lines = fs::read_to_string(&index).unwrap();
    let is_first_end = |(number, _): &(usize, &str)| *number != 1;
    let left: Vec<_> = lines.lines().enumerate().filter(is_first_end).map(|(_, line)| line).collect();
    fs::write(&index, left.join("\n") + "\n").unwrap();

    run_with(&scenario, &[("LOOP_KEEP_RUNS", "2")]).exits(0);
    let listed = scenario.run(&["runs", "--json"]).exits(0).stdout;
    assert_eq!(
        listed.matches("\"goal_met\",\"record\"").count(),
        3,
        "two that were, and the new one: {listed}"
    );
    assert_eq!(listed.matches("\"unfinished\"").count(), 1, "{listed}");
    let folders = fs::read_dir(scenario.state().join("runs")).unwrap();
    assert_eq!(folders.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count(), 4);
}

#[cfg(debug_assertions)]
#[test]
fn runs_of_long_ago_go_too() {
    let stored_runs = |scenario: &Scenario| scenario.run(&["runs", "--json"]).exits(0).stdout.lines().count();
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "true"));
    run_with(&scenario, &[("LOOP_TEST_CLOCK_ERROR", "-259200")]).exits(0);
    run_with(&scenario, &[("LOOP_KEEP_DAYS", "4")]).exits(0);
    assert_eq!(stored_runs(&scenario), 2);
    run_with(&scenario, &[("LOOP_KEEP_DAYS", "2")]).exits(0);
    assert_eq!(stored_runs(&scenario), 2, "the second, and the new one");
}

#[test]
fn what_is_no_number_is_refused_before_anything_is_spent() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "true"));
    run_with(&scenario, &[("LOOP_KEEP_RUNS", "many")]).exits(2).says(&["LOOP_KEEP_RUNS", "whole number"]);
    assert!(!scenario.has("ran"));
}
