//! The stop condition, and its effect on a run.

use crate::support::{Manifest, Scenario};

#[test]
fn the_loop_runs_until_the_check_passes() {
    let scenario = Scenario::new();
    let ran = scenario.run_manifest(&Manifest::new("echo x >> work", "test $(wc -l < work) -ge 2")).exits(0);
    ran.says(&["goal_met", "iterations 2"]);
    assert_eq!(scenario.read("work"), "x\nx\n");
    let record = scenario.record();
    assert_eq!((&record["iterations"], &record["success"]), (&2.into(), &true.into()));
    assert_eq!(scenario.leftovers(), 0);
}

#[test]
fn a_check_that_passes_on_the_last_allowed_iteration_is_success() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo x >> work", "test $(wc -l < work) -ge 3");
    scenario.run_manifest(&manifest).exits(0).says(&["goal_met"]);
    assert_eq!(scenario.record()["iterations"], 3);
}

#[test]
fn a_check_that_never_passes_halts_at_the_last_allowed_iteration() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("echo x >> work", "false")).exits(1).says(&["max_iterations"]);
    assert_eq!(scenario.read("work"), "x\nx\nx\n");
    let record = scenario.record();
    assert_eq!((&record["success"], &record["blockable"]), (&false.into(), &true.into()));
}

#[test]
fn the_agents_exit_code_is_fed_forward_and_decides_nothing() {
    let scenario = Scenario::new();
    let agent = "cat > prompt.$LOOP_ITERATION; exit 7";
    let manifest = Manifest::new(agent, "test $LOOP_ITERATION = 2 || exit 5")
        .set("agent.prompt", "agent {agent_exit_code}, check {evaluator_exit_code}");
    scenario.run_manifest(&manifest).exits(0).says(&["goal_met", "exited with 7"]);
    assert_eq!(scenario.read("prompt.1"), "agent , check ");
    assert_eq!(scenario.read("prompt.2"), "agent 7, check 5");
}

#[test]
fn an_agent_that_cannot_be_run_halts_the_run_and_wants_a_person() {
    for agent in ["test -e . && no-such-agent --please", "exit 126"] {
        let scenario = Scenario::new();
        scenario.run_manifest(&Manifest::new(agent, "touch checked")).exits(1).says(&["agent_unavailable"]);
        assert_eq!(scenario.record()["blockable"], true);
        assert!(!scenario.has("checked"));
    }
}

#[test]
fn a_check_that_cannot_be_run_halts_the_run_in_the_first_iteration() {
    for check in ["test -e . && no-such-check --please", "exit 126"] {
        let scenario = Scenario::new();
        let ran = scenario.run_manifest(&Manifest::new("true", check));
        ran.exits(1).says(&["evaluator_unavailable"]);
        assert_eq!(scenario.record()["blockable"], true);
    }
}

#[test]
fn a_check_that_breaks_later_is_a_failing_verdict_that_the_agent_may_mend() {
    let scenario = Scenario::new();
    scenario.write("check.sh", "exit 1");
    let agent = "test $LOOP_ITERATION = 2 && rm check.sh; test $LOOP_ITERATION = 3 && touch check.sh; true";
    let manifest = Manifest::new(agent, "if [ -e check.sh ]; then sh check.sh; else no-such-check; fi");
    scenario.run_manifest(&manifest).exits(0).says(&["goal_met"]);
    assert_eq!(scenario.record()["iterations"], 3);
}

/// Returns a manifest that checks this output for a pattern.
fn matching(check: &str, pattern: &str) -> Manifest {
    Manifest::new("true", check)
        .set("stop_condition", serde_json::json!({ "type": "output_matches", "pattern": pattern }))
        .set("guardrails.max_iterations", 1)
}

#[test]
fn a_match_counts_on_both_outputs_and_only_with_exit_0() {
    for (check, code) in [
        ("echo 0 failed", 0),
        ("echo 0 failed >&2", 0),
        ("printf '0 fa'; printf 'iled' >&2", 0),
        ("echo 0 failed; exit 1", 1),
        ("echo 1 failed", 1),
        ("true", 1),
    ] {
        Scenario::new().run_manifest(&matching(check, "\\b0 failed")).exits(code);
    }
}

#[test]
fn a_match_is_found_anywhere_in_more_output_than_is_kept() {
    let filler = "head -c 3000000 /dev/zero | tr '\\0' x";
    let scenario = Scenario::new();
    scenario
        .run_manifest(&matching(&format!("{filler}; echo NEEDLE; {filler}"), "NEEDLE$|xNEEDLE\n"))
        .exits(0);
    Scenario::new().run_manifest(&matching(&format!("{filler}; {filler}"), "NEEDLE")).exits(1);
}

/// A check that finds one more test in each iteration, starting with none, and fewer warnings.
const COUNTING: &str = "echo \"$((LOOP_ITERATION - 1)) tests, $((3 - LOOP_ITERATION)) warnings\"";

fn conditions(condition: serde_json::Value) -> Manifest {
    Manifest::new("true", COUNTING).set("stop_condition", condition).set("guardrails.max_iterations", 6)
}

#[test]
fn conditions_of_a_manifest_combine_and_the_summary_says_which_decided() {
    let matching = |pattern: &str| serde_json::json!({ "type": "output_matches", "pattern": pattern });
    let scenario = Scenario::new();
    let condition = serde_json::json!({ "all": [
        { "type": "evaluator_pass" },
        { "not": matching("\\b0 tests") },
        { "any": [matching("9 tests"), matching("\\b0 warnings")] },
    ] });
    let ran = scenario.run_manifest(&conditions(condition)).exits(0);
    let by = "evaluator_passed and not (output_matches /\\b0 tests/) and output_matches /\\b0 warnings/";
    ran.says(&["goal_met", &format!("met by     {by}"), "iterations 3"]);
    assert_eq!(scenario.record()["iterations"], 3);
    // The same afterwards.
    let shown = scenario.run(&["show"]).exits(0).stdout;
    assert!(shown.contains(&format!("met by     {by}")), "{shown}");
    let shown: serde_json::Value =
        serde_json::from_str(&scenario.run(&["show", "--json"]).exits(0).stdout).expect("JSON");
    assert_eq!(shown["ending"]["halt"]["message"], by);
}

#[test]
fn an_agent_hears_which_pattern_is_missing_though_the_check_passes() {
    let matching = |pattern: &str| serde_json::json!({ "type": "output_matches", "pattern": pattern });
    let prompts = |condition: serde_json::Value| {
        let scenario = Scenario::new();
        let manifest = conditions(condition)
            .set("agent.command", "cat > prompt$LOOP_ITERATION")
            .set("agent.prompt", "{evaluator_output}");
        scenario.run_manifest(&manifest).exits(0);
        [2, 3].map(|iteration| scenario.read(&format!("prompt{iteration}")))
    };
    let said = |tests: u8, missing: &str| {
        format!("{tests} tests, {} warnings\nthe check exited with 0, but {missing}\n", 2 - tests)
    };
    let nothing = "nothing in its output matches `\\b0 warnings`";
    assert_eq!(prompts(matching("\\b0 warnings")), [said(0, nothing), said(1, nothing)]);
    let both = serde_json::json!({ "all": [matching("\\b0 warnings"), { "not": matching("\\b0 tests") }] });
    let first = format!("{nothing}, and its output matches `\\b0 tests`");
    assert_eq!(prompts(both), [said(0, &first), said(1, nothing)]);
}

#[test]
fn some_of_several_conditions_are_enough() {
    let matching = |pattern: &str| serde_json::json!({ "type": "output_matches", "pattern": pattern });
    let scenario = Scenario::new();
    let of = [matching("[1-9] tests"), matching("\\b0 warnings"), matching("nothing of it")];
    let ran = scenario.run_manifest(&conditions(serde_json::json!({ "at_least": 2, "of": of }))).exits(0);
    ran.says(&["met by     output_matches /[1-9] tests/, output_matches /\\b0 warnings/", "iterations 3"]);
}

#[test]
fn the_usual_condition_is_not_worth_a_line() {
    let scenario = Scenario::new();
    let ran = scenario.run_manifest(&Manifest::new("true", "true")).exits(0).says(&["goal_met"]);
    assert!(!ran.stderr.contains("met by") && !ran.stderr.contains("evaluator_passed"), "{}", ran.stderr);
    let shown: serde_json::Value =
        serde_json::from_str(&scenario.run(&["show", "--json"]).exits(0).stdout).expect("JSON");
    assert_eq!(shown["ending"]["halt"]["message"], "evaluator_passed");
}

#[test]
fn a_goal_that_is_met_before_the_agent_has_worked_is_warned_of() {
    let already = "the goal is already met";
    let scenario = Scenario::new();
    scenario.write(
        "a.json",
        conditions(serde_json::json!({ "not": { "type": "evaluator_pass" } })).0.to_string(),
    );
    assert!(!scenario.run(&["check", "--run", "a.json"]).exits(0).stderr.contains(already));
    let zero = serde_json::json!({ "type": "output_matches", "pattern": "\\b0 tests" });
    scenario.write("b.json", conditions(serde_json::json!({ "all": [zero, zero] })).0.to_string());
    scenario.run(&["check", "--run", "b.json"]).exits(0).says(&[already]);
}

#[test]
fn the_manifest_is_found_from_the_caller_and_the_commands_run_elsewhere() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("pwd > here", "test -e here");
    scenario.write("manifests/it.json", manifest.0.to_string());
    scenario.write("project/README", "");
    scenario.run(&["run", "manifests/it.json", "--cwd", "project"]).exits(0);
    let project = std::fs::canonicalize(scenario.path("project")).unwrap();
    assert_eq!(scenario.read("project/here").trim_end(), project.to_str().unwrap());
    let record = scenario.record();
    assert_eq!(record["loop"], "it");
    let path = std::fs::canonicalize(scenario.path("manifests/it.json")).unwrap();
    assert_eq!(record["manifest"], path.to_str().unwrap());
}

#[test]
fn a_manifest_may_be_yaml() {
    let scenario = Scenario::new();
    scenario.write(
        "in-words.yaml",
        "\
# every value as a person would write it
goal: Done
agent:
  command: cat > prompt
  prompt: |
    {goal}, and
    nothing else.
evaluator: { command: \"test -s prompt\" }
guardrails:
  max_iterations: 2
",
    );
    scenario.run(&["run", "in-words.yaml"]).exits(0);
    assert_eq!(scenario.read("prompt"), "Done, and\nnothing else.\n");
    assert_eq!(scenario.record()["loop"], "in-words");
}
