//! Invalid manifests: the commands report errors and do nothing else.

use serde_json::{Value, json};

use crate::support::{Manifest, Scenario};

/// Checks that both commands refuse the manifest, print all of these texts, and do nothing.
fn refused(file: &str, text: &str, said: &[&str]) {
    for command in ["check", "run"] {
        let scenario = Scenario::new();
        scenario.write(file, text);
        let ran = scenario.run(&[command, file]).exits(2).says(said);
        assert_eq!(ran.stdout, "");
        assert!(!scenario.has("ran") && !scenario.state().exists());
    }
}

const YAML: &str = "\
goal: g
agent:
  command: touch ran
  prompt: '{evaluator_output}'
evaluator:
  command: touch ran
guardrails:
  max_iterations: 3
  max_iteration: 5
";

#[test]
fn the_place_is_shown_with_file_line_column_caret_and_the_nearest_key() {
    refused(
        "loops/it.yaml",
        YAML,
        &["loops/it.yaml:9:3", "max_iteration: 5\n", "^^^^^^^^^^^^^ did you mean `max_iterations`?"],
    );
    let json = serde_json::to_string_pretty(&json!({ "goal": "g", "agnet": {} })).unwrap();
    refused(
        "it.json",
        &json,
        &["it.json:3:3", "^^^^^^^", "did you mean `agent`?", "`guardrails` is missing"],
    );
}

#[test]
fn what_could_do_harm_is_refused() {
    let field = |path: &str, value: Value| Manifest::new("touch ran", "touch ran").set(path, value);
    let matching = |stop: Value| field("stop_condition", stop);
    let cases = [
        (field("guardrails", json!({})), "guardrails.max_iterations"),
        (field("guardrails.max_iterations", json!(0)), "guardrails.max_iterations"),
        (field("guardrails.max_iterations", json!(-1)), "guardrails.max_iterations"),
        (field("guardrails.hitl_checkpoint", json!(0)), "guardrails.hitl_checkpoint"),
        (field("guardrails.max_seconds", json!(-1)), "guardrails.max_seconds"),
        (field("guardrails.max_cost_usd", json!(-0.5)), "guardrails.max_cost_usd"),
        (field("guardrails.max_tokens", json!(-5)), "guardrails.max_tokens"),
        (field("guardrails.max_consecutive_failures", json!(0)), "guardrails.max_consecutive_failures"),
        (field("pace", json!({ "every_seconds": -1 })), "pace.every_seconds"),
        (field("agent.command", json!("")), "agent.command"),
        (field("evaluator.command", json!(" \n")), "evaluator.command"),
        (matching(json!({ "type": "output_matches" })), "pattern"),
        (matching(json!({ "type": "output_matches", "pattern": "(" })), "stop_condition.pattern"),
        (matching(json!({ "type": "output_matches", "pattern": "(?=x)" })), "stop_condition.pattern"),
    ];
    for (manifest, named) in cases {
        let text = serde_json::to_string_pretty(&manifest.0).unwrap();
        refused("loop.json", &text, &[named, "loop.json:", "^"]);
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let text = YAML.replace("goal: g", "goal: ''").replace("command: touch ran", "comand: touch ran");
    refused(
        "it.yaml",
        &text,
        &["`goal` is empty", "`comand` in `agent`", "`comand` in `evaluator`", "max_iteration"],
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let scenario = Scenario::new();
    for (path, said) in
        [("nowhere.yaml", "nowhere.yaml"), (".", "."), ("/dev/null/x.json", "/dev/null/x.json")]
    {
        scenario.run(&["run", path]).exits(2).says(&[said]);
    }
    assert!(!scenario.state().exists());
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let scenario = Scenario::new();
    scenario.write("loop.json", Manifest::new("touch ran", "true").0.to_string());
    for dir in ["nowhere", "loop.json"] {
        scenario.run(&["run", "loop.json", "--cwd", dir]).exits(2).says(&["--cwd", dir]);
    }
    assert!(!scenario.has("ran") && !scenario.state().exists());
}
