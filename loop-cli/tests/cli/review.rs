//! Checks that are a review: an agent looks at the work, and says what is left.

use loop_testing::Answer;
use serde_json::{Value, json};

use crate::{
    model_server::Server,
    support::{Manifest, World, shown},
    task::{calls, finds, told, writes},
    task_agents::reviewer,
};

/// A manifest whose agent writes a line more in each iteration, and whose check is this.
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
    let server = Server::new(script);
    let world = World::new();
    world.manifest(&manifest(&json!({ "review": by_model() })));
    let ran = server.run(&world, &["run", "loop.json"]).exits(0);
    shown("review", &ran.stderr);

    let (first, second) = (told(&server, 0), told(&server, 3));
    for part in ["A poem of two lines stands in poem", "> I wrote a hundred lines", "Count the lines."] {
        assert!(first.contains(part), "{first}");
    }
    assert!(!first.contains("The review before this one") && second.contains("- a second line"), "{second}");
    assert!(world.read("prompt-2").contains("pending:\n- a second line\nsummary: I looked at it."));
    assert_eq!(world.record()["usage"]["input_tokens"], 100);
    let page = world.run(&["show", "-i", "1", "--evaluation"]).exits(0).stdout;
    assert!(page.contains("- a second line"), "{page}");
}

#[test]
fn a_command_reviews_after_the_check_has_passed() {
    let world = World::new();
    let pending = r#"$([ $(grep -c line poem) = 3 ] || echo '"a third line"')"#;
    let agent = format!("tee review-$LOOP_ITERATION | ({})", reviewer(pending));
    let evaluator = json!({ "command": "echo '- nothing'; [ $(grep -c line poem) -ge 2 ]", "review": { "agent": agent } });
    world.run_manifest(&manifest(&evaluator).set("guardrails.max_iterations", 5)).exits(0);
    assert_eq!(world.record()["iterations"], 3);
    assert!(!world.has("review-1") && world.has("review-3"));
    let (second, third) = (world.read("review-2"), world.read("review-3"));
    assert!(
        second.contains("You check the work of another agent.") && !second.contains("- nothing"),
        "{second}"
    );
    assert!(third.contains("found that this was left:\n- a third line"), "{third}");
}

#[test]
fn a_model_that_reviews_changes_nothing() {
    let script = [writes("poem", "forged\n")].into_iter().chain(finds(&[], ""));
    let server = Server::new(script);
    let world = World::new();
    world.manifest(&manifest(&json!({ "review": by_model() })));
    server.run(&world, &["run", "loop.json"]).exits(0);
    assert_eq!(world.read("poem"), "line\n");
}

#[test]
fn words_without_a_verdict_have_not_passed() {
    let server = Server::new([Answer::deltas(["All is well, nothing is left."])]);
    let world = World::new();
    world.manifest(&manifest(&json!({ "review": by_model() })).set("guardrails.max_iterations", 1));
    server.run(&world, &["run", "loop.json"]).exits(1);
    let page = world.run(&["show", "-i", "1", "--evaluation"]).exits(0).stdout;
    assert!(page.contains("gave no verdict that could be read"), "{page}");
}

#[test]
fn who_is_blocked_is_reviewed_again_when_the_run_goes_on() {
    let server = Server::new(finds(&[], "there is no paper").into_iter().chain(finds(&[], "")));
    let world = World::new();
    world.manifest(&manifest(&json!({ "review": by_model() })));
    server.run(&world, &["run", "loop.json"]).exits(1).says(&["blocked", "there is no paper"]);
    server.run(&world, &["resume"]).exits(0);
    assert_eq!((world.read("poem").as_str(), &world.record()["iterations"]), ("line\n", &json!(1)));
}

#[test]
fn a_review_that_takes_too_long_is_none() {
    let server = Server::new([Answer::deltas(["Hm"]).stalls()].into_iter().chain(finds(&[], "")));
    let world = World::new();
    world.manifest(&manifest(&json!({ "review": by_model(), "max_seconds": 0.2 })));
    server.run(&world, &["run", "loop.json"]).exits(0);
    assert_eq!(world.record()["iterations"], 2);
}

#[test]
fn an_agent_that_does_not_tell_its_cost_makes_it_a_lower_bound() {
    let world = World::new();
    let tells = r#"echo line >> poem; echo '{"cost_usd": 0.01}' >> $LOOP_USAGE_FILE"#;
    let agent = format!("codex() {{ {}; }}; codex", reviewer(""));
    let of_both = manifest(&json!({ "review": { "agent": agent } })).set("agent.command", tells);
    let ran = world.run_manifest(&of_both.set("agent.format", "usage-file")).exits(0);
    ran.says(&["nobody knows what the review costs", "at least $0.01"]);
}

#[test]
fn a_reviewer_that_cannot_be_asked_is_warned_of_and_not_run() {
    let world = World::new();
    world.manifest(&manifest(&json!({ "review": by_model() })));
    let said = ["evaluator.review.model", "set OPENAI_API_KEY"];
    world.run(&["check", "loop.json"]).exits(0).says(&said);
    world.run(&["run", "loop.json"]).exits(2).says(&said);
    assert!(world.records().is_empty() && !world.has("poem"));

    world.manifest(&manifest(&json!({ "review": { "agent": "no-such-agent-8237" } })));
    world.run(&["check", "loop.json"]).exits(0).says(&["the reviewer's program `no-such-agent-8237`"]);
    world.run(&["run", "loop.json"]).exits(1).says(&["evaluator_unavailable", "the reviewing agent"]);
}

#[test]
fn check_and_a_dry_run_say_who_reviews() {
    let server = Server::new([]);
    let world = World::new();
    world.manifest(&manifest(&json!({ "command": "false", "review": by_model() })));
    let checked = server.run(&world, &["check", "loop.json"]).exits(0);
    shown("review_check", &format!("{}{}", checked.stderr, checked.stdout));
    let dry = server.run(&world, &["run", "loop.json", "--dry-run"]).exits(0).stdout;
    assert!(dry.contains("the model openai:scripted, with tools that only look"), "{dry}");
    assert!(server.requests().is_empty());
}
