//! Limits on money and tokens, and agents that could report their usage but do not.

use loop_testing::Answer;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{Manifest, Scenario},
    task_agents::reviewer,
};

const LIMITS: [&str; 3] = ["guardrails.max_tokens", "guardrails.max_cost_usd", "guardrails.max_usd_per_hour"];

/// Returns a command that reports these figures in every third iteration, and nothing in the others.
fn reports_seldom(figures: &str) -> String {
    format!("[ $((LOOP_ITERATION % 3)) -ne 0 ] || echo '{{{figures}}}' >> \"$LOOP_USAGE_FILE\"")
}

fn silent() -> Manifest {
    Manifest::new("true", "false").set("agent.format", "usage-file").set("guardrails.max_iterations", 7)
}

#[test]
fn three_silent_iterations_in_a_row_halt_a_run_under_a_limit() {
    for limit in LIMITS {
        let scenario = Scenario::new();
        scenario
            .run_manifest(&silent().set(limit, 1000))
            .exits(1)
            .says(&["unmetered", "3 iterations in a row"]);
        let record = scenario.record();
        assert_eq!(
            (&record["stop_reason"], &record["iterations"]),
            (&json!("unmetered"), &json!(3)),
            "{limit}"
        );
        assert_eq!(record["blockable"], true);
    }
}

#[test]
fn a_run_without_such_a_limit_or_with_an_allowance_goes_on() {
    let allowed = LIMITS.map(|limit| silent().set(limit, 1000).set("guardrails.allow_unmetered", true));
    for manifest in allowed.iter().chain([&silent()]) {
        let scenario = Scenario::new();
        scenario.run_manifest(manifest).exits(1).says(&["max_iterations"]);
        assert_eq!(scenario.record()["iterations"], 7);
    }
}

#[test]
fn only_what_the_limit_counts_starts_the_count_again() {
    for (limit, figures, iterations) in [
        (LIMITS[0], r#""input_tokens":1"#, 7),
        (LIMITS[0], r#""cost_usd":0.01"#, 3),
        (LIMITS[1], r#""cost_usd":0.01"#, 7),
        (LIMITS[1], r#""cost_usd":0"#, 7),
        (LIMITS[1], r#""input_tokens":1"#, 3),
        (LIMITS[2], r#""cost_usd":0.02,"cost_usd":0"#, 3),
        (LIMITS[0], r#""input_tokens":1,"cost_usd":-1"#, 7),
        (LIMITS[0], r#""output_tokens":900,"output_tokens":0,"input_tokens":1"#, 3),
        (LIMITS[0], r#""input_tokens":1,"output_tokens":"900""#, 3),
        (LIMITS[0], r#""input_tokens":1,"output_tokens":900.5"#, 3),
        (LIMITS[0], "\"input_tokens\":1}\n{\"output_tokens\":900,", 3),
    ] {
        let scenario = Scenario::new();
        let manifest = silent().set("agent.command", reports_seldom(figures)).set(limit, 1000);
        scenario.run_manifest(&manifest).exits(1);
        assert_eq!(scenario.record()["iterations"], iterations, "{limit} {figures}");
    }
}

/// The last line of an agent's long output contains an impossible count.
#[test]
fn three_bills_in_a_row_that_cannot_be_right_halt_a_run_under_a_limit() {
    let codex = |usage: &str| {
        let words = r#"{"type":"item.completed","item":{"type":"agent_message","text":"many words"}}"#;
        ("codex-json", format!("{words}\n{{\"type\":\"turn.completed\",\"usage\":{{{usage}}}}}\n"))
    };
    let claude = |usage: &str| {
        let usage = format!(r#"{{"type":"result","result":"many words","usage":{{{usage}}}}}"#);
        ("claude-stream-json", usage + "\n")
    };
    let of_file = |lines: &str| ("usage-file", lines.to_owned());
    for ((format, text), is_right) in [
        (codex(r#""input_tokens":1,"output_tokens":1"#), true),
        (codex(r#""input_tokens":1"#), false),
        (codex(r#""input_tokens":1,"output_tokens":-1"#), false),
        (codex(r#""input_tokens":1,"output_tokens":900,"output_tokens":1"#), false),
        (claude(r#""input_tokens":1,"output_tokens":1"#), true),
        (claude(r#""input_tokens":1,"output_tokens":1e23"#), false),
        (claude(r#""input_tokens":1,"output_tokens":0"#), false),
        (claude(r#""input_tokens":1,"output_tokens":900,"output_tokens":1"#), false),
        (claude(r#""input_tokens":1,"output_tokens":"900""#), false),
        (of_file(r#"{"cost_usd":0,"input_tokens":1}"#), true),
        (of_file("{\"cost_usd\":0,\"input_tokens\":1}\n{\"nothing\":\n"), false),
        (
            of_file(&format!(
                "{{\"cost_usd\":0,\"input_tokens\":1}}\n{{\"x\":\"{}\"}}\n",
                "x".repeat(70_000)
            )),
            false,
        ),
    ] {
        for (limit, is_allowed) in
            [(LIMITS[0], false), (LIMITS[1], false), (LIMITS[0], true), (LIMITS[1], true)]
        {
            let scenario = Scenario::new();
            scenario.write("said", text.clone());
            let command = if format == "usage-file" { "cat said >> $LOOP_USAGE_FILE" } else { "cat said" };
            let manifest = Manifest::new(command, "false").set("agent.format", format);
            let manifest = manifest.set("agent.model", "gpt-5").set("guardrails.max_iterations", 5);
            let manifest = manifest.set(limit, 1_000_000).set("guardrails.allow_unmetered", is_allowed);
            let done = scenario.run_manifest(&manifest).exits(1);
            let expected = if is_right || is_allowed { 5 } else { 3 };
            let record = scenario.record();
            assert_eq!(record["iterations"], expected, "{limit} {text} {is_allowed}");
            assert_eq!(record["usage"]["are_lower_bounds"].as_bool().unwrap_or(false), !is_right, "{text}");
            if !is_right {
                done.says(&["tokens", "at least"]);
            }
        }
    }
}

#[test]
fn a_model_server_whose_figures_cannot_be_right_halts_a_run_under_a_limit() {
    let agent = json!({ "model": "openai:gpt-5", "prompt": "{goal}" });
    let manifest = Manifest::new("-", "false").set("agent", agent).set("guardrails.max_iterations", 6);
    let words = "x".repeat(100_000);
    for (with, requests) in
        [("\"completion_tokens\":888", 6), ("\"nothing\":1", 3), ("\"completion_tokens\":0", 3)]
    {
        let answer = Answer::deltas([words.as_str()]).usage(1, 888);
        for limit in ["guardrails.max_cost_usd", "guardrails.max_tokens"] {
            let answer = answer.clone().replaced("\"completion_tokens\":888", with);
            let server = ModelServer::new(vec![answer; 6]);
            let scenario = Scenario::new();
            scenario.manifest(&manifest.clone().set(limit, 1_000_000));
            server.run(&scenario, &["run", "loop.json"]).exits(1);
            assert_eq!(server.requests().len(), requests, "{limit} {with}");
        }
    }
}

#[test]
fn a_check_that_reports_does_not_speak_for_the_agent() {
    let check = r#"echo '{"input_tokens":1,"cost_usd":0.01}' >> "$LOOP_USAGE_FILE"; false"#;
    for limit in LIMITS {
        let scenario = Scenario::new();
        scenario
            .run_manifest(&silent().set("evaluator.command", check).set(limit, 1000))
            .exits(1)
            .says(&["unmetered"]);
    }
}

#[test]
fn an_agent_that_exits_with_an_error_and_is_silent_counts() {
    let scenario = Scenario::new();
    let failing = silent().set("agent.command", "exit 3").set(LIMITS[1], 1);
    scenario
        .run_manifest(&failing.clone().set("guardrails.max_consecutive_failures", 5))
        .exits(1)
        .says(&["unmetered"]);
    // If both limits are reached at once, the person must hear about the failures.
    scenario
        .run_manifest(&failing.set("guardrails.max_consecutive_failures", 3))
        .exits(1)
        .says(&["consecutive_failures"]);
}

#[test]
fn a_model_that_cannot_be_asked_is_not_silent() {
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    let manifest = Manifest::new("-", "false").set("agent", agent).set("guardrails.max_iterations", 4);
    let server = ModelServer::new(vec![Answer::status(400); 4]);
    let scenario = Scenario::new();
    scenario.manifest(&manifest.set(LIMITS[0], 1000));
    server.run(&scenario, &["run", "loop.json"]).exits(1).says(&["max_iterations"]);
}

#[test]
fn a_person_who_resumes_has_seen_it() {
    let scenario = Scenario::new();
    scenario.run_manifest(&silent().set(LIMITS[0], 1000).set(LIMITS[1], 1)).exits(1).says(&["unmetered"]);
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    scenario.run(&["resume", &id]).exits(1).says(&["unmetered"]);
    let last = scenario.records().pop().expect("a record");
    assert_eq!(last["iterations"], 6);
}

#[test]
fn a_loop_of_flags_has_a_flag_for_it() {
    let agent = ": \"$LOOP_USAGE_FILE\"";
    let args = ["run", "--agent", agent, "--check", "false", "--max", "5", "--max-cost", "2"];
    let scenario = Scenario::new();
    scenario.run(&args).exits(1).says(&["unmetered", "accept that with --allow-unmetered"]);
    scenario.run(&[&args[..], &["--allow-unmetered"]].concat()).exits(1).says(&["max_iterations"]);
    let refused = ["run", "--agent", "true", "--check", "false", "--max", "5", "--max-cost", "2"];
    scenario.run(&refused).exits(2).says(&["`--allow-unmetered`"]);
    scenario.run(&[&refused[..], &["--allow-unmetered"]].concat()).exits(1).says(&["max_iterations"]);
}

#[test]
fn a_model_server_without_figures_halts_a_run_under_a_limit() {
    let manifest = |name: &str| {
        let agent = json!({ "model": name, "prompt": "{goal}" });
        Manifest::new("-", "false").set("agent", agent).set("guardrails.max_iterations", 6)
    };
    let limited = manifest("openai:scripted").set("guardrails.max_tokens", 1000);
    for (manifest, reason, requests) in [
        (limited.clone(), "unmetered", 3),
        (manifest("openai:gpt-5").set("guardrails.max_cost_usd", 1), "unmetered", 3),
        (limited.set("guardrails.allow_unmetered", true), "max_iterations", 6),
    ] {
        let server = ModelServer::new(vec![Answer::deltas(["Hm."]); 6]);
        let scenario = Scenario::new();
        scenario.manifest(&manifest);
        server.run(&scenario, &["run", "loop.json"]).exits(1).says(&[reason]);
        assert_eq!(server.requests().len(), requests);
    }
}

#[test]
fn a_judge_whose_server_reports_no_tokens_makes_its_iterations_unmetered() {
    let scenario = Scenario::new();
    let reported = r#"echo '{"input_tokens":1,"output_tokens":1}' >> "$LOOP_USAGE_FILE""#;
    let server = ModelServer::new((0..7).map(|_| Answer::deltas(["No verdict."])));
    let manifest = Manifest::new(reported, "true")
        .set("agent.format", "usage-file")
        .set("guardrails.max_iterations", 7)
        .set("guardrails.max_tokens", 1000)
        .set("evaluator", json!({ "judge": { "model": "openai:scripted", "criteria": ["It rhymes"] } }));
    scenario.manifest(&manifest);
    server.run(&scenario, &["run", "loop.json"]).exits(1).says(&["unmetered", "3 iterations in a row"]);
    assert_eq!(scenario.record()["iterations"], 3);
}

#[test]
fn a_judge_or_a_review_whose_usage_nobody_knows_makes_its_iterations_unmetered() {
    let judge = json!({ "judge": { "model": "openai:scripted", "criteria": ["It rhymes"] } });
    let review = json!({ "review": { "model": "openai:scripted", "prompt": "Look." } });
    let (silent, counted) = (Answer::deltas(["Hm."]), Answer::deltas(["Hm."]).usage(3, 3));
    for (limit, evaluator, answer, reason) in [
        ("guardrails.max_tokens", &judge, &silent, "unmetered"),
        ("guardrails.max_tokens", &review, &silent, "unmetered"),
        ("guardrails.max_tokens", &review, &counted, "max_iterations"),
    ] {
        let scenario = Scenario::new();
        let reported = r#"echo '{"input_tokens":1,"output_tokens":1,"cost_usd":0.01}' >> "$LOOP_USAGE_FILE""#;
        let server = ModelServer::new((0..40).map(|_| answer.clone()));
        let manifest = Manifest::new(reported, "true")
            .set("agent.format", "usage-file")
            .set("guardrails.max_iterations", 4)
            .set("guardrails.max_consecutive_failures", 9)
            .set(limit, 1000)
            .set("evaluator", evaluator.clone());
        scenario.manifest(&manifest);
        let ran = server.run(&scenario, &["run", "loop.json"]).exits(1);
        assert_eq!(scenario.record()["stop_reason"], reason, "{limit} {evaluator}: {}", ran.stderr);
    }
}

#[test]
fn a_command_that_reviews_and_reports_nothing_makes_its_iterations_unmetered() {
    for (limit, reports, reason) in [
        ("guardrails.max_tokens", "true", "unmetered"),
        ("guardrails.max_cost_usd", "true", "unmetered"),
        (
            "guardrails.max_tokens",
            r#"echo '{"input_tokens":1,"output_tokens":1}' >> "$LOOP_USAGE_FILE""#,
            "max_iterations",
        ),
    ] {
        let scenario = Scenario::new();
        let reported = r#"echo '{"input_tokens":1,"output_tokens":1,"cost_usd":0.01}' >> "$LOOP_USAGE_FILE""#;
        let review = format!("{reports}; {}", reviewer(r#"\"more\""#));
        let manifest = Manifest::new(reported, "true")
            .set("agent.format", "usage-file")
            .set("guardrails.max_iterations", 4)
            .set(limit, 1000)
            .set("evaluator", json!({ "review": { "agent": review } }));
        let ran = scenario.run_manifest(&manifest).exits(1);
        assert_eq!(scenario.record()["stop_reason"], reason, "{limit}: {}", ran.stderr);
    }
}
