//! Commands outside of the rules, where nobody is asked.

use std::fs;

use loop_testing::Answer;
use serde_json::json;

use crate::{
    approve_commands::{done, runs, with_program},
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::{Manifest, Scenario},
};

#[test]
fn a_run_allows_more_commands_only_as_long_as_it_is_told() {
    let scenario = with_program();
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    let manifest = Manifest::new("-", "test -e log").set("agent", agent).set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest);
    let answers = || [runs("./check.sh a"), done()];
    let server = ModelServer::new(answers().into_iter().chain(answers()).chain(answers()));
    server.run(&scenario, &["run", "loop.json"]).exits(1);
    assert!(!scenario.has("log"));
    server.run(&scenario, &["run", "loop.json", "--allow", "./check.sh a"]).exits(0);
    assert!(scenario.has("log"));
    fs::remove_file(scenario.path("log")).expect("it ran");
    server.run(&scenario, &["run", "loop.json"]).exits(1);
    assert!(!scenario.has("log"));
}

#[test]
fn an_unattended_turn_tells_the_person_and_the_model_what_was_refused() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([runs("cargo test -q"), Answer::deltas(["It did not run."])]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/loop 1ms --count 1 Test it.", "loop finished after 1/1 iterations");
        let hint = "`/allow 'cargo test'` allows it in this session, and `--keep` also later";
        chat.sees(hint);
        let told = server.requests().pop().expect("a request").body["messages"].to_string();
        assert!(told.contains("tell the user in your reply that it did not run"), "{told}");
        assert!(!told.contains("/allow"), "{told}");
        chat.leaves();
    }
}
