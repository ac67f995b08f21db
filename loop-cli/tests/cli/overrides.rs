//! Values from the command line that change a manifest, and its variables.

use serde_json::json;

use crate::support::{Manifest, Scenario};

/// A manifest with two variables: `what` has a default, `how` has none.
fn with_variables() -> Manifest {
    Manifest::new("printf '%s|' {var.what} {var.how} >args; cat >prompt", "test -e args")
        .set("agent.prompt", "{goal}: {var.what} {var.how}")
        .set("vars", json!({ "what": "{goal}", "how": null }))
}

#[test]
fn flags_replace_the_values_of_a_manifest() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "false"));
    scenario.run(&["run", "loop.json", "--max", "1"]).exits(1).says(&["iterations 1", "raise --max\n"]);
    scenario.run(&["run", "--set", "guardrails.max_iterations=2"]).exits(1).says(&["iterations 2"]);
    let args =
        ["run", "--goal", "G", "--prompt", "{goal}!", "--agent", "cat >told", "--check", "test -e told"];
    scenario.run(&args).exits(0);
    assert_eq!(scenario.read("told"), "G!");
    let checked = scenario.run(&["check", "--max-time", "1h30m", "--set", "pace.every_seconds=90s"]).exits(0);
    assert!(checked.stdout.contains("3 iterations or 1h 30m"), "{}", checked.stdout);
    assert!(checked.stdout.contains("1m 30s between iterations"), "{}", checked.stdout);
}

#[test]
fn wrong_overrides_are_reported_like_keys_of_the_file_in_the_command_line() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "false"));
    for (args, said) in [
        (&["--set", "guardrails.max_iteration=3"][..], "did you mean `max_iterations`?"),
        (&["--set", "agent.env.FOO=bar"], "write it in `agent.env.set`"),
        (&["--set", "env.FOO=bar"], "did you mean `agent.env.set`?"),
        (&["--set", "guardrails.max_cost_usd=two"], "`guardrails.max_cost_usd` has to be a number"),
        (&["--set", "guardrails.max_seconds=soon"], "has to be a time, such as `90s`"),
        (&["--set", "guardrails.max_iterations"], "`--set` takes KEY=VALUE"),
        (&["--set", "guardrails.max_iterations=3", "--max", "4"], "`guardrails.max_iterations` is set twice"),
        (&["--model", "claude-sonnet-4-5"], "cannot choose the model of a command"),
        (&["--max", "0"], "`--max` has to be at least 1"),
        (&["--var", "x=1"], "there is no variable `x`"),
    ] {
        for command in ["run", "check"] {
            scenario
                .run(&[&[command, "loop.json"], args].concat())
                .exits(2)
                .says(&[said, "the command line"]);
        }
    }
    assert!(!scenario.has("ran"));
}

#[test]
fn a_variable_is_text_to_the_shell_and_to_the_prompt() {
    for value in ["$(touch x)", "it's \"q\"", "a\nb", "-rf", "{goal} {prompt}", "; touch x #", ""] {
        let scenario = Scenario::new();
        scenario.manifest(&with_variables());
        scenario.run(&["run", "--var", &format!("how={value}")]).exits(0);
        assert_eq!(scenario.read("args"), format!("{{goal}}|{value}|"));
        assert_eq!(scenario.read("prompt"), format!("All is well: {{goal}} {value}"));
        assert!(!scenario.has("x"));
    }
}

#[test]
fn a_variable_in_a_pattern_matches_only_itself() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "echo version 102")
        .set("vars", json!({ "version": "1.2" }))
        .set("guardrails.max_iterations", 1)
        .set("stop_condition", json!({ "type": "output_matches", "pattern": "version {var.version}" }));
    scenario.manifest(&manifest);
    scenario.run(&["run"]).exits(1);
    scenario.run(&["run", "--var", "version=|"]).exits(1);
    scenario.run(&["run", "--var", "version=102"]).exits(0);
}

#[test]
fn a_variable_that_is_missing_or_unknown_stops_the_run_before_it_begins() {
    let scenario = Scenario::new();
    scenario.manifest(&with_variables());
    scenario.run(&["run"]).exits(2).says(&["`how` has no value", "--var how=TEXT"]);
    scenario.run(&["run", "--var", "hwo=1"]).exits(2).says(&["no variable `hwo`", "did you mean `how`?"]);
    scenario.manifest(&with_variables().set("agent.prompt", "{var.waht}"));
    scenario.run(&["run", "--var", "how=1"]).exits(2).says(&["no variable `waht`", "{var.what}"]);
    scenario.manifest(&with_variables().set("agent.command", "echo '{var.how}'"));
    scenario.run(&["run", "--var", "how=1"]).exits(2).says(&["single quotes"]);
    assert!(!scenario.has("args") && scenario.records().is_empty());
}

#[test]
fn a_resumed_run_has_the_same_values() {
    let scenario = Scenario::new();
    let manifest = with_variables().set("evaluator.command", "false");
    scenario.manifest(&manifest);
    scenario.run(&["run", "--max", "1", "--var", "how=so"]).exits(1);
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(1).says(&["iterations 2"]);
    assert_eq!(scenario.read("args"), "{goal}|so|");
    scenario.manifest(&manifest.set("goal", "Another"));
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&["has changed", "Another"]);
    let args = ["resume", &id, "--add-iterations", "1", "--accept-changes"];
    scenario.run(&args).exits(1).says(&["iterations 3"]);
    assert_eq!(scenario.read("prompt"), "Another: {goal} so");
    std::fs::remove_file(scenario.path("loop.json")).expect("a file");
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(1).says(&["iterations 4"]);
    assert_eq!(scenario.read("prompt"), "All is well: {goal} so");
    assert_eq!(scenario.run(&["show", &id, "-i", "1", "--prompt"]).exits(0).stdout, "All is well: {goal} so");
}

#[test]
fn a_secret_in_a_variable_is_neither_shown_nor_stored() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo {var.api_token}", "false").set("vars", json!({ "api_token": null }));
    scenario.manifest(&manifest);
    let args = ["run", "--max", "1", "--show-output", "--var", "api_token=hunter2hunter2"];
    let ran = scenario.run(&args).exits(1);
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hunter2"), "{}", ran.stderr);
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    let stored = std::fs::read_to_string(scenario.state().join("runs").join(&id).join("run.json"));
    let stored = stored.expect("a file");
    assert!(stored.contains("--var=api_token=[redacted]") && !stored.contains("hunter2"), "{stored}");
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&["a secret on its command line"]);
}

#[test]
fn goal_and_prompt_have_the_same_defaults_as_without_a_manifest() {
    let scenario = Scenario::new();
    scenario.write(
        "loop.yaml",
        "agent: {command: cat >told}\nevaluator: {command: test -e told}\nguardrails: {max_iterations: 1}\n",
    );
    scenario.run(&["run"]).exits(0);
    let from_manifest = scenario.read("told");
    let scenario = Scenario::new();
    scenario.run(&["run", "--agent", "cat >told", "--check", "test -e told", "--max", "1"]).exits(0);
    assert_eq!(scenario.read("told"), from_manifest);
    assert!(from_manifest.starts_with("Make this command exit 0: test -e told\n"), "{from_manifest}");
}
