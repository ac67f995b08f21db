//! Previews of the first iteration.

use crate::support::{Manifest, Scenario};

fn looked(scenario: &Scenario, manifest: &Manifest) -> crate::support::CommandResult {
    scenario.manifest(manifest);
    scenario.run(&["run", "loop.json", "--dry-run"])
}

#[test]
fn the_first_prompt_and_the_commands_are_shown_and_only_the_check_is_run() {
    let scenario = Scenario::new();
    let manifest =
        Manifest::new("touch ran; my-agent --now {prompt}", "echo x >> checked; echo 2 failed; exit 3")
            .set("agent.prompt", "Do it: {goal}.\n{evaluator_output}{iteration}");
    let ran = looked(&scenario, &manifest).exits(0);
    assert!(!scenario.has("ran"));
    assert_eq!(scenario.read("checked"), "x\n");
    assert!(!scenario.state().exists(), "nothing is recorded");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("dry_run", ran.stdout);
    });
}

#[test]
fn a_check_that_comes_first_is_in_the_first_prompt() {
    let manifest = Manifest::new("my-agent {prompt}", "echo x >> checked; echo 2 failed; exit 3")
        .set("check_first", true)
        .set("agent.prompt", "{evaluator_exit_code}: {evaluator_output}");
    let scenario = Scenario::new();
    let ran = looked(&scenario, &manifest).exits(0);
    assert_eq!(scenario.read("checked"), "x\n");
    assert!(ran.stdout.contains("-- prompt\n3: 2 failed\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("my-agent '3: 2 failed"), "{}", ran.stdout);
}

#[test]
fn a_check_that_passes_already_is_pointed_out() {
    looked(&Scenario::new(), &Manifest::new("true", "true")).exits(0).says(&["already passes"]);
}

#[test]
fn a_check_that_ran_no_tests_proves_nothing_yet() {
    let scenario = Scenario::new();
    let pytest = "printf -- '============ no tests ran in 0.01s ============\\n'";
    let ran = looked(&scenario, &Manifest::new("my-agent", pytest)).exits(0);
    assert!(ran.stdout.contains("but no tests ran"), "{}", ran.stdout);
    assert!(ran.stdout.contains("verdict: fail"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("already"), "{}", ran.stderr);
}

#[test]
fn a_check_with_which_a_run_would_end_at_once_is_refused_here() {
    let scenario = Scenario::new();
    let ran = looked(&scenario, &Manifest::new("true", "no-such-check")).exits(2);
    assert!(ran.stdout.contains("127"), "{}", ran.stdout);
    ran.says(&["the check cannot run", "evaluator_unavailable", "evaluator.command"]);
    looked(&scenario, &Manifest::new("true", "/")).exits(2).says(&["126"]);
    scenario.run(&["check", "loop.json", "--run"]).exits(2).says(&["evaluator_unavailable"]);
}

#[test]
fn a_check_that_takes_longer_than_it_may_is_told_which_limit_that_was() {
    let manifest = Manifest::new("true", "echo begun; sleep 600").set("evaluator.max_seconds", 0.2);
    let ran = looked(&Scenario::new(), &manifest).exits(0).says(&["200ms", "evaluator.max_seconds"]);
    assert!(ran.stdout.contains("begun\n") && ran.stdout.contains("verdict: none"), "{}", ran.stdout);
}

#[test]
fn the_check_finds_what_it_would_find_in_a_run() {
    let manifest = Manifest::new("true", "test -w \"$LOOP_USAGE_FILE\" && test $LOOP_ITERATION = 1");
    looked(&Scenario::new(), &manifest).exits(0).says(&["already passes"]);
}

#[test]
fn a_first_prompt_that_cannot_be_delivered_is_found_out() {
    let scenario = Scenario::new();
    let manifest = Manifest::new(": {prompt}", "touch checked").set("agent.prompt", "x".repeat(200_000));
    looked(&scenario, &manifest).exits(2).says(&["stdin"]);
    assert!(!scenario.has("checked"));
}

#[test]
fn a_wrong_manifest_is_refused_here_too() {
    let scenario = Scenario::new();
    looked(&scenario, &Manifest::new("true", "touch checked").set("guardrails.max_iterations", 0)).exits(2);
    assert!(!scenario.has("checked"));
}
