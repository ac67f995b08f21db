//! Checks that are reviews: an agent looks at the work and reports the remaining work.

use loop_testing::Answer;
use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{Manifest, Scenario, shown},
    task::{calls, finds, sent_to_model, writes},
    task_agents::reviewer,
};

/// Returns a manifest whose agent writes one more line in each iteration, with this check.
fn manifest(evaluator: &Value) -> Manifest {
    Manifest::new("cat > prompt-$LOOP_ITERATION; echo line >> poem; echo I wrote a hundred lines", "-")
        .set("goal", "A poem of two lines stands in poem")
        .set("agent.prompt", "{goal}. The review says: {evaluator_output}")
        .set("evaluator", evaluator.clone())
}

fn by_model() -> Value {
    json!({ "model": "openai:scripted", "prompt": "Count the lines." })
}

#[test]
fn a_model_says_what_is_left_until_nothing_is() {
    let first = [calls("read_file", &json!({ "path": "poem" })).usage(100, 10)];
    let script = first.into_iter().chain(finds(&["a second line"], "")).chain(finds(&[], ""));
    let server = ModelServer::new(script);
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "review": by_model() })));
    let ran = server.run(&scenario, &["run", "loop.json"]).exits(0);
    shown("review", &ran.stderr);

    let (first, second) = (sent_to_model(&server, 0), sent_to_model(&server, 3));
    for part in ["A poem of two lines stands in poem", "> I wrote a hundred lines", "Count the lines."] {
        assert!(first.contains(part), "{first}");
    }
    assert!(!first.contains("The review before this one") && second.contains("- a second line"), "{second}");
    assert!(scenario.read("prompt-2").contains("pending:\n- a second line\nsummary: I looked at it."));
    assert_eq!(scenario.record()["usage"]["input_tokens"], 100);
    let page = scenario.run(&["show", "-i", "1", "--evaluation"]).exits(0).stdout;
    assert!(page.contains("- a second line"), "{page}");
}

#[test]
fn a_command_reviews_after_the_check_has_passed() {
    let scenario = Scenario::new();
    let pending = r#"$([ $(grep -c line poem) = 3 ] || echo '"a third line"')"#;
    let agent = format!("tee review-$LOOP_ITERATION | ({})", reviewer(pending));
    let evaluator = json!({ "command": "echo '- nothing'; [ $(grep -c line poem) -ge 2 ]", "review": { "agent": agent } });
    scenario.run_manifest(&manifest(&evaluator).set("guardrails.max_iterations", 5)).exits(0);
    assert_eq!(scenario.record()["iterations"], 3);
    assert!(!scenario.has("review-1") && scenario.has("review-3"));
    let (second, third) = (scenario.read("review-2"), scenario.read("review-3"));
    assert!(
        second.contains("You check the work of another agent.") && !second.contains("- nothing"),
        "{second}"
    );
    assert!(third.contains("found this remaining work:\n- a third line"), "{third}");
}

#[test]
fn a_model_that_reviews_changes_nothing() {
    let script = [writes("poem", "forged\n")].into_iter().chain(finds(&[], ""));
    let server = ModelServer::new(script);
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "review": by_model() })));
    server.run(&scenario, &["run", "loop.json"]).exits(0);
    assert_eq!(scenario.read("poem"), "line\n");
}

#[test]
fn words_without_a_verdict_have_not_passed() {
    let server = ModelServer::new([Answer::deltas(["All is well, nothing is left."])]);
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "review": by_model() })).set("guardrails.max_iterations", 1));
    server.run(&scenario, &["run", "loop.json"]).exits(1);
    let page = scenario.run(&["show", "-i", "1", "--evaluation"]).exits(0).stdout;
    assert!(page.contains("gave no readable verdict"), "{page}");
}

#[test]
fn who_is_blocked_is_reviewed_again_when_the_run_goes_on() {
    let server = ModelServer::new(finds(&[], "there is no paper").into_iter().chain(finds(&[], "")));
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "review": by_model() })));
    server.run(&scenario, &["run", "loop.json"]).exits(1).says(&["blocked", "there is no paper"]);
    server.run(&scenario, &["resume"]).exits(0);
    assert_eq!((scenario.read("poem").as_str(), &scenario.record()["iterations"]), ("line\n", &json!(1)));
}

#[test]
fn a_review_that_takes_too_long_is_none() {
    let server = ModelServer::new([Answer::deltas(["Hm"]).stalls()].into_iter().chain(finds(&[], "")));
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "review": by_model(), "max_seconds": 0.2 })));
    server.run(&scenario, &["run", "loop.json"]).exits(0);
    assert_eq!(scenario.record()["iterations"], 2);
}

#[test]
fn an_agent_that_does_not_tell_its_cost_makes_it_a_lower_bound() {
    let scenario = Scenario::new();
    let tells = r#"echo line >> poem; echo '{"cost_usd": 0.01}' >> $LOOP_USAGE_FILE"#;
    let agent = format!("codex() {{ {}; }}; codex", reviewer(""));
    let of_both = manifest(&json!({ "review": { "agent": agent } })).set("agent.command", tells);
    let ran = scenario.run_manifest(&of_both.set("agent.format", "usage-file")).exits(0);
    ran.says(&["nobody knows what the review costs", "at least $0.01"]);
}

#[test]
fn a_reviewer_that_cannot_be_asked_is_warned_of_and_not_run() {
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "review": by_model() })));
    let said = ["evaluator.review.model", "set OPENAI_API_KEY"];
    scenario.run(&["check", "loop.json"]).exits(0).says(&said);
    scenario.run(&["run", "loop.json"]).exits(2).says(&said);
    assert!(scenario.records().is_empty() && !scenario.has("poem"));

    scenario.manifest(&manifest(&json!({ "review": { "agent": "no-such-agent-8237" } })));
    scenario.run(&["check", "loop.json"]).exits(0).says(&["the reviewer's program `no-such-agent-8237`"]);
    scenario.run(&["run", "loop.json"]).exits(2).says(&["the reviewer's program `no-such-agent-8237`"]);
    let late = json!({ "review": { "agent": "test -e . && no-such-agent-8237" } });
    let ran = scenario.run_manifest(&manifest(&late));
    ran.exits(1).says(&["evaluator_unavailable", "the reviewing agent"]);
}

#[test]
fn check_and_a_dry_run_say_who_reviews() {
    let server = ModelServer::new([]);
    let scenario = Scenario::new();
    scenario.manifest(&manifest(&json!({ "command": "false", "review": by_model() })));
    let checked = server.run(&scenario, &["check", "loop.json"]).exits(0);
    shown("review_check", &format!("{}{}", checked.stderr, checked.stdout));
    let dry = server.run(&scenario, &["run", "loop.json", "--dry-run"]).exits(0).stdout;
    assert!(dry.contains("the model openai:scripted, with tools that only look"), "{dry}");
    assert!(server.requests().is_empty());
}
