//! Model servers that send more than a reply may contain.

use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, Manifest, Scenario},
};

const MIB: usize = 1024 * 1024;

/// Runs one iteration with this answer. Its check shows whether the model did anything.
fn run(scenario: &Scenario, answer: Answer) -> CommandResult {
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    scenario.manifest(
        &Manifest::new("-", "test -e done").set("agent", agent).set("guardrails.max_iterations", 1),
    );
    ModelServer::new([answer]).run(scenario, &["run", "loop.json"])
}

#[test]
fn a_reply_that_is_too_large_fails_the_iteration_and_names_the_bound() {
    let long = "x".repeat(40 * MIB);
    let piece = "x".repeat(MIB);
    let arguments = format!("{{\"path\":\"done\",\"content\":\"{piece}\"}}");
    let written = Call::new("c", "write_file", [&arguments[..MIB / 2], &arguments[MIB / 2..]]);
    for (answer, bound) in [
        (Answer::deltas([long.as_str()]), "a line of it is longer than 4 MiB"),
        (Answer::deltas(vec![piece.as_str(); 40]), "are more than 32 MiB"),
        (Answer::calls([written]), "the arguments of a tool call are longer than 1 MiB"),
    ] {
        let scenario = Scenario::new();
        run(&scenario, answer).exits(1).says(&["the reply is too large", bound]);
        assert!(!scenario.has("done"), "nothing of it is done");
    }
}

#[test]
fn an_error_without_end_is_reported_in_short() {
    let scenario = Scenario::new();
    let ran = run(&scenario, Answer::status(400).message(&"sorry ".repeat(7 * MIB))).exits(1);
    let ran = ran.says(&["status 400", "sorry"]);
    assert!(ran.stderr.len() < 20_000, "{}", ran.stderr.len());
}
