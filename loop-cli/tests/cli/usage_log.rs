//! A log to which an agent appends its usage.

use serde_json::{Value, json};

use crate::support::{FOREVER, Manifest, Scenario};

const LINE: &str = r#"echo '{"cost_usd":0.25,"input_tokens":10}'"#;

fn manifest(agent: &str) -> Manifest {
    Manifest::new(agent, "false")
        .set("agent.usage_log", "logs/usage.jsonl")
        .set("guardrails.max_iterations", 2)
}

/// Returns the cost and the state of the cost of a run with this agent, and a log with one old line.
fn cost(agent: &str) -> (Value, Value) {
    let scenario = Scenario::new();
    scenario.write("logs/usage.jsonl", "{\"cost_usd\":7}\n");
    scenario.run_manifest(&manifest(agent)).exits(1);
    let record = scenario.record();
    (record["estimated_cost_usd"].clone(), record["cost_state"].clone())
}

#[test]
fn only_lines_that_are_appended_while_the_agent_runs_count() {
    assert_eq!(cost(&format!("{LINE} >> logs/usage.jsonl")), (json!(0.5), json!("known")));
    let scenario = Scenario::new();
    let by_check = format!("{LINE} >> logs/usage.jsonl; false");
    scenario.write("logs/usage.jsonl", "");
    let checked = manifest(&format!("{LINE} >> logs/usage.jsonl")).set("evaluator.command", by_check);
    scenario.run_manifest(&checked).exits(1);
    assert_eq!(scenario.record()["estimated_cost_usd"], 0.5);
}

#[test]
fn an_agent_that_appends_nothing_has_an_unknown_cost() {
    assert_eq!(cost("true"), (Value::Null, json!("unknown")));
    let once = format!("test $LOOP_ITERATION = 2 || {LINE} >> logs/usage.jsonl");
    assert_eq!(cost(&once), (json!(0.25), json!("estimated")));
}

#[test]
fn a_rotated_log_goes_on_counting() {
    let renamed = format!(
        "{LINE} >> logs/usage.jsonl; mv logs/usage.jsonl logs/old.$LOOP_ITERATION; {LINE} > logs/usage.jsonl"
    );
    assert_eq!(cost(&renamed), (json!(1.0), json!("known")));
    // Unless somebody looks at the empty log, it may have been emptied twice.
    let cut = format!(": > logs/usage.jsonl; {LINE} >> logs/usage.jsonl");
    assert_eq!(cost(&cut).0, json!(0.5));
    let scenario = Scenario::new();
    scenario.write("logs/usage.jsonl", "{\"cost_usd\":7}\n".repeat(9));
    scenario.run_manifest(&manifest(&cut).set("guardrails.max_iterations", 1)).exits(1);
    assert_eq!(scenario.record()["estimated_cost_usd"], 0.25);
}

/// The speed of the agent decides how many of these files are read.
#[cfg(target_os = "linux")]
#[test]
fn the_cost_of_a_log_that_is_rotated_faster_than_it_is_read_is_a_lower_bound() {
    let file = "for i in $(seq 60); do echo '{\"cost_usd\":1}' > new; mv new";
    let emptied = ": > logs/usage.jsonl;";
    for (agent, whole) in [
        (format!("{file} logs/usage.jsonl; done"), 120.0),
        (format!("{file} $LOOP_USAGE_FILE; done"), 120.0),
        (format!("cd logs; {file} usage.jsonl; done"), 120.0),
        (format!("for i in $(seq 60); do {emptied} {LINE} >> logs/usage.jsonl; done"), 30.0),
    ] {
        let (cost, state) = cost(&agent);
        assert!(cost == json!(whole) || state == "estimated", "{agent}: {cost} {state}");
    }
}

#[test]
fn a_log_that_appears_later_counts_from_its_beginning() {
    let scenario = Scenario::new();
    scenario.run_manifest(&manifest(&format!("mkdir -p logs; {LINE} >> logs/usage.jsonl"))).exits(1);
    assert_eq!(scenario.record()["estimated_cost_usd"], 0.5);
}

#[test]
fn a_limit_ends_the_agent_while_it_runs() {
    let scenario = Scenario::new();
    scenario.write("logs/usage.jsonl", "");
    let agent = format!("{LINE} >> logs/usage.jsonl; {FOREVER}");
    let limited = manifest(&agent).set("guardrails.max_cost_usd", 0.2);
    scenario.run_manifest(&limited).exits(1).says(&["budget_exceeded"]);
}

#[test]
fn lines_that_do_not_count_and_a_link_are_reported() {
    let scenario = Scenario::new();
    scenario.write("logs/usage.jsonl", "");
    let agent = "echo nonsense >> logs/usage.jsonl";
    scenario
        .run_manifest(&manifest(agent))
        .exits(1)
        .says(&["2 lines in the usage log", "logs/usage.jsonl did not count"]);
    let scenario = Scenario::new();
    let agent = "mkdir -p logs; ln -sf /etc/passwd logs/usage.jsonl";
    let ran = scenario
        .run_manifest(&manifest(agent))
        .exits(1)
        .says(&["usage may be missing: the usage log", "it is a link"]);
    assert!(!ran.stderr.contains("root:"), "{}", ran.stderr);
}

#[test]
fn the_home_folder_is_known_and_models_and_several_loops_are_refused() {
    let scenario = Scenario::new();
    let agent = format!("mkdir -p ~; {LINE} >> ~/usage.jsonl");
    scenario.run_manifest(&manifest(&agent).set("agent.usage_log", "~/usage.jsonl")).exits(1);
    assert_eq!(scenario.record()["estimated_cost_usd"], 0.5);
    let refused = |change: &str, why: &str| {
        scenario.run(&["check", "loop.json", "--set", change]).exits(2).says(&[why]);
    };
    refused("parallel={count: 2}", "several loops cannot share `agent.usage_log`");
    refused("agent={model: 'ollama:m', usage_log: x}", "`agent.usage_log` is for a command");
    refused("agent.usage_log=", "`agent.usage_log` is empty");
}
