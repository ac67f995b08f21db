//! Events that halt a run, also in the middle of an iteration.
//!
//! Agents that must be interrupted sleep for longer than a test waits: if the run ends at all, it was interrupted.

use serde_json::json;

use crate::support::{FOREVER, Manifest, Scenario};

/// Returns a command that appends a line of usage.
fn spends(usd: f64) -> String {
    format!(
        "echo '{{\"cost_usd\": {usd}, \"input_tokens\": 90, \"output_tokens\": 10}}' >> \"$LOOP_USAGE_FILE\""
    )
}

#[test]
fn a_report_that_crosses_the_budget_cuts_the_iteration() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let agent = format!("exec 9> held; echo there >&9; {}; {FOREVER}", spends(0.02));
    let manifest = Manifest::new(&agent, "touch checked").set("guardrails.max_cost_usd", 0.01);
    scenario.run_manifest(&manifest).exits(1).says(&["budget_exceeded", "$0.02"]);
    assert_eq!(held.line(), "there\n");
    held.released();
    let record = scenario.record();
    assert_eq!(record["estimated_cost_usd"], 0.02);
    assert_eq!(record["usage"]["input_tokens"], 90);
    assert_eq!((&record["iterations"], &record["blockable"]), (&1.into(), &true.into()));
    assert!(!scenario.has("checked"), "a cut iteration is not judged");
    assert_eq!(scenario.leftovers(), 0);
}

/// The report and the agent's end must arrive within the time for which the driver holds a report. The machine may be
/// busy, so one success is enough.
#[test]
fn a_crossing_report_just_before_a_winning_end_does_not_undo_it() {
    let manifest = Manifest::new(&spends(0.02), "true").set("guardrails.max_cost_usd", 0.01);
    let met = (0..10).any(|_| {
        let scenario = Scenario::new();
        let ran = scenario.run_manifest(&manifest);
        assert_eq!(scenario.record()["estimated_cost_usd"], 0.02);
        ran.code == 0
    });
    assert!(met);
}

#[test]
fn reports_below_a_micro_dollar_add_up_to_the_limit() {
    let lines = r#"awk 'BEGIN { for (i = 0; i < 10000; i++) print "{\"cost_usd\":0.0000004}" }' >> "$LOOP_USAGE_FILE""#;
    let scenario = Scenario::new();
    let manifest = Manifest::new(lines, "false")
        .set("agent.format", "usage-file")
        .set("guardrails.max_cost_usd", 0.008)
        .set("guardrails.max_iterations", 9);
    scenario.run_manifest(&manifest).exits(1).says(&["budget_exceeded", "$0.008"]);
    let record = scenario.record();
    assert_eq!((&record["iterations"], &record["estimated_cost_usd"]), (&2.into(), &0.008.into()));
    assert_eq!(record["cost_state"], "known");
}

#[test]
fn the_smallest_cost_is_not_known_to_be_nothing() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new(&spends(0.000_000_000_1), "true")).exits(0);
    assert_eq!(scenario.record()["estimated_cost_usd"], 1e-9);
}

#[test]
fn a_cost_that_is_reported_twice_in_one_object_is_refused_with_a_warning() {
    let agent = r#"echo '{"cost_usd":0.02,"cost_usd":0}' >> "$LOOP_USAGE_FILE""#;
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new(agent, "true")).exits(0).says(&["\"cost_usd\" appears twice"]);
    let record = scenario.record();
    assert_eq!((&record["estimated_cost_usd"], &record["cost_state"]), (&json!(null), &"unknown".into()));
}

#[test]
fn the_budget_binds_over_all_iterations() {
    let scenario = Scenario::new();
    let manifest = Manifest::new(&spends(0.4), "false")
        .set("guardrails.max_cost_usd", 1)
        .set("guardrails.max_iterations", 100);
    scenario.run_manifest(&manifest).exits(1).says(&["budget_exceeded"]);
    let record = scenario.record();
    assert_eq!((&record["iterations"], &record["estimated_cost_usd"]), (&3.into(), &1.2.into()));
    assert_eq!(record["cost_state"], "known");
}

#[test]
fn all_that_an_iteration_cost_is_shown_beside_it() {
    let scenario = Scenario::new();
    let agent = format!("{}; read go < go; {}", spends(0.25), spends(0.5));
    let manifest = Manifest::new(&agent, "true").set("guardrails.max_cost_usd", 1);
    assert!(scenario.command("mkfifo", &["go"]).status().unwrap().success());
    let started = scenario.start_manifest(&manifest);
    std::fs::write(scenario.path("go"), "go\n").unwrap();
    let ran = started.finish().exits(0);
    let line = ran.stderr.lines().find(|line| line.contains("agent  done")).unwrap();
    assert!(line.ends_with(", $0.75"), "{line}");
}

#[test]
fn a_report_that_cannot_be_understood_is_pointed_out() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo '{\"costs\": 5}' >> \"$LOOP_USAGE_FILE\"", "true")
        .set("guardrails.max_cost_usd", 1);
    scenario.run_manifest(&manifest).exits(0).says(&["warning: 1 line", "LOOP_USAGE_FILE", "{\"costs\": 5}"]);
}

#[test]
fn tokens_are_limited_too() {
    let scenario = Scenario::new();
    let agent = format!("{}; {FOREVER}", spends(0.0));
    let manifest = Manifest::new(&agent, "false").set("guardrails.max_tokens", 100);
    scenario.run_manifest(&manifest).exits(1).says(&["tokens_exceeded"]);
    assert_eq!(scenario.record()["blockable"], true);
}

/// Each hint names the flag that raises the limit, and that flag does.
#[test]
fn the_hint_to_resume_names_the_flag_that_raises_the_limit() {
    for (key, flag, value, reason) in [
        ("guardrails.max_tokens", "--add-tokens", "100000000", "tokens_exceeded"),
        ("guardrails.max_iterations", "--add-iterations", "1", "max_iterations"),
    ] {
        let scenario = Scenario::new();
        let manifest = Manifest::new(&spends(0.0), "[ -e done ]").set(key, 1);
        scenario.run_manifest(&manifest).exits(1).says(&[reason, flag]);
        scenario.run(&["resume"]).exits(0).says(&[reason, flag, "continues it"]);
        scenario.write("done", "");
        scenario.run(&["resume", flag, value]).exits(0).says(&["goal_met"]);
    }
}

#[test]
fn a_limit_on_what_nobody_reports_is_refused_unless_that_is_accepted() {
    for limit in ["max_cost_usd", "max_tokens"] {
        let scenario = Scenario::new();
        let path = format!("guardrails.{limit}");
        let manifest = Manifest::new("touch ran", "true").set(&path, 1);
        let ran = scenario.run_manifest(&manifest);
        ran.exits(2).says(&[&path, "usage-file", "allow_unmetered: true"]);
        assert!(!scenario.has("ran"));
        scenario.run_manifest(&manifest.set("guardrails.allow_unmetered", true)).exits(0).says(&["unknown"]);
        let record = scenario.record();
        assert_eq!((&record["estimated_cost_usd"], &record["cost_state"]), (&json!(null), &"unknown".into()));
    }
}

#[test]
fn a_format_that_reports_is_enough_for_a_limit() {
    let manifest =
        Manifest::new("true", "true").set("agent.format", "usage-file").set("guardrails.max_cost_usd", 1);
    Scenario::new().run_manifest(&manifest).exits(0);
}

#[test]
fn the_time_limit_cuts_the_agent() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let manifest =
        Manifest::new(&format!("exec 9> held; {FOREVER}"), "true").set("guardrails.max_seconds", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["time_exceeded"]);
    held.released();
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn the_time_limit_cuts_the_check() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let manifest =
        Manifest::new("true", &format!("exec 9> held; {FOREVER}")).set("guardrails.max_seconds", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["time_exceeded"]);
    held.released();
}

#[test]
fn the_time_limit_cuts_a_wait() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("touch ran", "false")
        .set("guardrails.max_seconds", 2)
        .set("pace", json!({ "every_seconds": 1000 }));
    scenario.run_manifest(&manifest).exits(1).says(&["waiting 16m 40s", "time_exceeded"]);
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn failures_in_a_row_halt_the_run() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("exit 9", "false")
        .set("guardrails.max_iterations", 50)
        .set("guardrails.max_consecutive_failures", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["consecutive_failures", "exited with 9"]);
    let record = scenario.record();
    assert_eq!((&record["iterations"], &record["blockable"]), (&2.into(), &true.into()));
}

#[test]
fn one_good_iteration_forgives_the_failures_before_it() {
    let scenario = Scenario::new();
    let manifest =
        Manifest::new("test $LOOP_ITERATION = 2", "false").set("guardrails.max_consecutive_failures", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["max_iterations"]);
}

#[test]
fn what_an_agent_leaves_behind_does_not_hold_the_loop() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let agent = format!("mkfifo go; (exec 9> held; echo > go; {FOREVER}) & read go < go");
    scenario.run_manifest(&Manifest::new(&agent, "true")).exits(0);
    held.released();
}

#[test]
fn an_agent_that_takes_longer_than_it_may_is_ended_and_the_loop_goes_on() {
    for limit in ["agent.max_seconds", "agent.max_silence_seconds"] {
        let scenario = Scenario::new();
        let agent = format!("echo x >> begun; {FOREVER}");
        let manifest = Manifest::new(&agent, "test $(wc -l < begun) -eq 2").set(limit, 0.2);
        scenario.run_manifest(&manifest).exits(0).says(&["goal_met", "the agent was ended"]);
    }
}

#[test]
fn a_check_that_takes_longer_than_it_may_has_not_passed_and_the_loop_goes_on() {
    let scenario = Scenario::new();
    let check = format!("test -e begun || {{ touch begun; {FOREVER}; }}");
    let manifest = Manifest::new("true", &check).set("evaluator.max_seconds", 0.2);
    scenario.run_manifest(&manifest).exits(0).says(&["goal_met", "iterations 2", "the check was ended"]);
}
