//! Budgets on agents that report in their own formats, as recorded from real agents.

use std::{fs, path::Path};

use serde_json::json;

use rustix::process::Signal;

use crate::support::{FOREVER, Manifest, Scenario};

/// Creates a scenario with the recorded stream of an agent in the file `stream`.
fn scenario(stream: &str) -> Scenario {
    let scenario = Scenario::new();
    let recorded =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../loop-agents/conformance/streams").join(stream);
    scenario.write(
        "stream",
        fs::read(&recorded).unwrap_or_else(|error| panic!("{}: {error}", recorded.display())),
    );
    scenario
}

/// Returns a manifest for an agent with this format.
fn manifest(format: &str, agent: &str, check: &str) -> Manifest {
    Manifest::new(agent, check).set("agent.format", format)
}

/// The lines of pi's recording up to its first answer, which costs $0.0015.
const FIRST: &str = "head -n 20 stream";

#[test]
fn a_budget_that_is_crossed_in_mid_stream_cuts_the_agent() {
    let scenario = scenario("pi/tool.stdout");
    let manifest = manifest("pi-json", &format!("{FIRST}; {FOREVER}"), "touch checked")
        .set("guardrails.max_cost_usd", 0.001);
    scenario
        .run_manifest(&manifest)
        .exits(1)
        .says(&["budget_exceeded", "$0.0015 spent; the limit is $0.001"]);
    let record = scenario.record();
    assert_eq!((&record["estimated_cost_usd"], &record["cost_state"]), (&0.0015.into(), &"known".into()));
    assert_eq!((&record["iterations"], &record["usage"]["output_tokens"]), (&1.into(), &40.into()));
    assert!(!scenario.has("checked"), "a cut iteration is not judged");
}

#[test]
fn tokens_that_are_crossed_in_mid_stream_cut_the_agent() {
    let scenario = scenario("pi/tool.stdout");
    let manifest =
        manifest("pi-json", &format!("{FIRST}; {FOREVER}"), "true").set("guardrails.max_tokens", 1_000);
    scenario.run_manifest(&manifest).exits(1).says(&["tokens_exceeded"]);
}

/// The last line and the agent's exit must arrive within the time for which a report is held. The machine may be busy,
/// so one success is enough.
#[test]
fn a_goal_that_is_met_by_the_iteration_that_crosses_the_budget_is_met() {
    let manifest = manifest("pi-json", "cat stream", "true").set("guardrails.max_cost_usd", 0.002);
    let met = (0..10).any(|_| {
        let scenario = scenario("pi/tool.stdout");
        let ran = scenario.run_manifest(&manifest);
        ran.code == 0 && {
            assert_eq!(scenario.record()["estimated_cost_usd"], 0.00282);
            ran.says(&["goal_met", "left       nothing of $0.002: $0.00082 over"]);
            true
        }
    });
    assert!(met);
}

#[test]
fn a_judge_costs_too() {
    let scenario = scenario("pi/tool.stdout");
    let judge = format!("echo '{{\"cost_usd\": 1}}' >> \"$LOOP_USAGE_FILE\"; {FOREVER}");
    let manifest = manifest("pi-json", "cat stream", &judge).set("guardrails.max_cost_usd", 0.5);
    scenario.run_manifest(&manifest).exits(1).says(&["budget_exceeded", "$1.00282 spent"]);
    assert_eq!(scenario.record()["estimated_cost_usd"], 1.00282);
}

#[test]
fn usage_that_arrives_in_the_grace_time_counts() {
    let scenario = scenario("pi/tool.stdout");
    let agent = format!("trap 'tail -n +21 stream; exit 0' TERM; {FIRST}; {FOREVER}");
    let manifest = manifest("pi-json", &agent, "true").set("guardrails.max_cost_usd", 0.001);
    scenario.run_manifest(&manifest).exits(1).says(&["budget_exceeded"]);
    assert_eq!(scenario.record()["estimated_cost_usd"], 0.00282);
}

#[test]
fn spending_too_fast_ends_the_run_and_says_so() {
    let scenario = scenario("pi/tool.stdout");
    let manifest = manifest("pi-json", &format!("{FIRST}; {FOREVER}"), "true")
        .set("guardrails.max_cost_usd", 100)
        .set("guardrails.max_usd_per_hour", 0.001);
    scenario.run_manifest(&manifest).exits(1).says(&[
        "budget_exceeded",
        "$0.0015 spent within an hour; the limit is $0.001 an hour",
        "raise guardrails.max_usd_per_hour",
    ]);
}

#[test]
fn a_rate_limit_is_waited_for_and_uses_up_no_iteration() {
    let scenario = scenario("claude/tool.stdout");
    let limit =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../loop-agents/conformance/streams/claude/limit.stdout");
    let limit = fs::read_to_string(limit).expect("a recording");
    scenario.write("limit", limit.replace("retry after 30 seconds", "retry after 1 second"));
    let agent = "if test -e tried; then cat stream; else touch tried; cat limit; exit 1; fi";
    let manifest = manifest("claude-stream-json", agent, "true")
        .set("guardrails.max_iterations", 1)
        .set("guardrails.max_consecutive_failures", 1);
    let why = "· the agent reports a rate limit: API Error: Request rejected (429)";
    scenario.run_manifest(&manifest).exits(0).says(&["deferred", why, "waiting 1.0s", "goal_met"]);
    let record = scenario.record();
    assert_eq!(record["iterations"], 1);
    let seconds = |key: &str| record[key].as_f64().expect("a number");
    assert!(seconds("elapsed_seconds") - seconds("working_seconds") > 0.9, "{record}");
}

#[test]
fn a_failure_that_the_agent_reports_is_one_although_it_exits_with_0() {
    let scenario = scenario("claude/fault.stdout");
    let manifest = manifest("claude-stream-json", "cat stream", "touch checked")
        .set("guardrails.max_consecutive_failures", 2);
    scenario
        .run_manifest(&manifest)
        .exits(1)
        .says(&["consecutive_failures", "the agent reports a failure: API Error: 500"]);
    assert_eq!(scenario.record()["iterations"], 2);
    assert!(!scenario.has("checked"), "a failed iteration is not judged");
}

#[test]
fn the_next_prompt_has_what_the_agent_said_and_not_how() {
    let scenario = scenario("pi/tool.stdout");
    let manifest = manifest("pi-json", "cat > prompt-$LOOP_ITERATION; cat stream", "test -e prompt-2")
        .set("agent.prompt", "It said: {prior_output}");
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("prompt-2"), "It said: The file is written.");
}

#[test]
fn what_is_left_is_handed_to_the_agent() {
    let scenario = scenario("pi/tool.stdout");
    // An answer with a known name is a repetition, so each iteration's answer has its own name.
    let agent = r#"echo "$LOOP_BUDGET_USD_LEFT" >> left; sed "s/chatcmpl-/&$LOOP_ITERATION/g" stream"#;
    let manifest = manifest("pi-json", agent, "test $(wc -l < left) = 2").set("guardrails.max_cost_usd", 1);
    let left = "left       $0.99 of $1.00: enough for the remaining iterations at $0.0028 each";
    scenario.run_manifest(&manifest).exits(0).says(&[left]);
    assert_eq!(scenario.read("left"), "1.00\n0.99718\n");
}

#[test]
fn a_cost_is_estimated_from_the_prices_that_are_named() {
    let scenario = scenario("codex/tool.stdout");
    scenario.write(
        "my prices.json",
        json!({ "date": "2026-11-01", "usd_per_million_tokens": { "mine": { "input": 1000, "output": 0 } } })
            .to_string(),
    );
    let manifest = manifest("codex-json", "cat stream", "true")
        .set("agent.model", "mine-2")
        .set("agent.prices", "my prices.json")
        .set("guardrails.max_cost_usd", 100);
    scenario.run_manifest(&manifest).exits(0);
    let record = scenario.record();
    assert_eq!((&record["estimated_cost_usd"], &record["cost_state"]), (&2.5.into(), &"estimated".into()));
}

#[test]
fn an_agent_that_does_not_print_its_format_is_pointed_out() {
    let manifest = manifest("pi-json", "echo done", "true");
    Scenario::new()
        .run_manifest(&manifest)
        .exits(0)
        .says(&["warning: the usage that the agent prints", "`-p --mode json`"]);
}

#[test]
fn failures_in_a_row_are_followed_by_waits_from_the_second_on() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("exit 9", "false").set("pace", json!({ "backoff_seconds": 0.01 }));
    let ran = scenario.run_manifest(&manifest).exits(1).says(&["max_iterations"]);
    assert_eq!(ran.stderr.matches("waiting").count(), 1, "{}", ran.stderr);
    let manifest = manifest.set("pace.backoff_seconds", 0);
    let ran = scenario.run_manifest(&manifest).exits(1);
    assert_eq!(ran.stderr.matches("waiting").count(), 0, "{}", ran.stderr);
}

#[test]
fn a_rate_limit_that_outlasts_the_run_is_not_waited_for() {
    let manifest = manifest("claude-stream-json", "cat stream", "true").set("guardrails.max_seconds", 20);
    let why = "the deferred work can be tried again in 30s, but the run's time ends in 19s";
    scenario("claude/limit.stdout").run_manifest(&manifest).exits(1).says(&[
        "time_exceeded",
        why,
        "iterations 0",
    ]);
}

/// Returns a line of pi: an answer of this model at this price.
fn answer(id: &str, model: &str, usd: f64) -> String {
    let usage = json!({ "input": 10, "output": 1, "cost": { "total": usd } });
    let message =
        json!({ "role": "assistant", "responseId": id, "model": model, "content": [], "usage": usage });
    format!("{}\n", json!({ "type": "message_end", "message": message }))
}

#[test]
fn an_answer_without_a_price_beside_others_makes_the_cost_a_lower_bound() {
    let scenario = Scenario::new();
    scenario.write("stream", answer("a", "m", 0.5) + &answer("b", "home-made", 0.0));
    let manifest = manifest("pi-json", "cat stream", "true").set("guardrails.max_cost_usd", 2);
    scenario.run_manifest(&manifest).exits(0).says(&[
        "cost       at least $0.50 (1 of 1 iteration did not report all of it)",
        "left       at most $1.50 of $2.00",
        "no price for the model `home-made`",
    ]);
    let record = scenario.record();
    assert_eq!((&record["estimated_cost_usd"], &record["cost_state"]), (&0.5.into(), &"estimated".into()));
}

#[test]
fn a_total_that_says_what_was_estimated_is_known_in_the_record() {
    let scenario = scenario("claude/tool.stdout");
    scenario.run_manifest(&manifest("claude-stream-json", "cat stream", "true")).exits(0);
    let record = scenario.record();
    assert_eq!((&record["estimated_cost_usd"], &record["cost_state"]), (&0.00585.into(), &"known".into()));
}

#[test]
fn work_that_ended_at_a_limit_of_the_agents_own_is_judged() {
    let scenario = Scenario::new();
    scenario.write("stream", r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#);
    let manifest = manifest("claude-stream-json", "cat stream; exit 1", "touch checked");
    scenario.run_manifest(&manifest).exits(0).says(&["reached its own limit: error_max_turns", "goal_met"]);
    assert!(scenario.has("checked"));
}

#[test]
fn a_limit_that_cannot_hold_is_said_while_the_agent_runs() {
    let scenario = Scenario::new();
    scenario.write("stream", answer("a", "home-made", 0.0));
    let manifest = manifest("pi-json", &format!("cat stream; {FOREVER}"), "true");
    let run = scenario.start_manifest(&manifest.set("guardrails.max_cost_usd", 2));
    run.says("no price for the model `home-made`");
    run.signal(Signal::TERM);
    run.finish().exits(143);
}

#[test]
fn the_check_is_told_what_is_left_after_the_agent() {
    let scenario = Scenario::new();
    scenario.write("stream", answer("a", "m", 0.5));
    let check = "echo \"$LOOP_BUDGET_USD_LEFT $LOOP_SECONDS_LEFT\" >left";
    let manifest = manifest("pi-json", "cat stream", check).set("guardrails.max_cost_usd", 2);
    scenario.run_manifest(&manifest.set("guardrails.max_seconds", 3600)).exits(0);
    let left = scenario.read("left");
    assert!(left.starts_with("1.50 35"), "{left}");
}

#[test]
fn a_check_that_is_an_agent_makes_the_cost_a_lower_bound_unless_it_reports() {
    let scenario = Scenario::new();
    scenario.write("stream", answer("a", "m", 0.5));
    let cost = |check: &str| {
        let manifest = manifest("pi-json", "cat stream", check).set("guardrails.max_cost_usd", 2);
        let ran = scenario.run_manifest(&manifest).exits(0);
        let record = scenario.records().pop().expect("a record");
        (ran.stderr.contains("nobody knows what the check costs"), record["cost_is_lower_bound"] == true)
    };
    assert_eq!(cost("claude -p judge; true"), (true, true));
    let report = r#"echo '{"cost_usd": 0.1}' >>"$LOOP_USAGE_FILE""#;
    assert_eq!(cost(&format!("claude -p judge; {report}")), (false, false));
    assert_eq!(cost("true"), (false, false));
}

#[test]
fn a_run_that_its_fuse_has_ended_goes_on_when_it_is_resumed() {
    let scenario = Scenario::new();
    let agent = r#"echo '{"cost_usd": 4}' >>"$LOOP_USAGE_FILE""#;
    let manifest =
        manifest("usage-file", agent, "test $LOOP_ITERATION = 2").set("guardrails.max_usd_per_hour", 1);
    scenario.run_manifest(&manifest).exits(1).says(&["nothing of $1.00 in any hour: $3.00 over"]);
    let run = scenario.record()["run_id"].as_str().expect("a run").to_owned();
    scenario.run(&["resume", &run]).exits(0).says(&["goal_met"]);
}

#[test]
fn a_thread_that_goes_on_in_a_resumed_run_counts_what_is_new() {
    let scenario = Scenario::new();
    let usage = r#"{"input_tokens":'$((LOOP_ITERATION * 100000))',"output_tokens":0}"#;
    let agent = format!(
        r#"echo '{{"type":"thread.started","thread_id":"t"}}'; echo '{{"type":"turn.completed","usage":{usage}}}'"#
    );
    let manifest = manifest("codex-json", &agent, "false").set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1);
    let run = scenario.record()["run_id"].as_str().expect("a run").to_owned();
    scenario.run(&["resume", &run, "--add-iterations", "2"]).exits(1);
    let record = scenario.records().pop().expect("a record");
    assert_eq!(record["usage"]["input_tokens"], 400_000);
}

#[test]
fn a_limit_on_money_is_not_held_against_an_empty_price_table() {
    let scenario = Scenario::new();
    scenario.write("prices.json", r#"{"date": "2026-11-01", "usd_per_million_tokens": {}}"#);
    let manifest = manifest("pi-json", "cat stream", "true").set("agent.prices", "prices.json");
    scenario
        .run_manifest(&manifest.set("guardrails.max_cost_usd", 2))
        .exits(2)
        .says(&["its price file has no prices"]);
}
