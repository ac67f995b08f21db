//! Commands outside of the rules, where nobody is asked.

use std::fs;

use loop_testing::Answer;
use serde_json::json;

use crate::{
    approve_commands::{done, runs, with_program},
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::{Manifest, RunningCommand, Scenario},
    task::{finds, says},
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

const MODEL: [&str; 2] = ["--model", "openai:scripted"];

const ALLOW: [&str; 2] = ["--allow", "./check.sh a"];

/// Returns the answers for this number of turns that run the program.
fn turns(count: usize) -> ModelServer {
    ModelServer::new((0..count).flat_map(|_| [runs("./check.sh a"), done()]))
}

/// Returns whether the program ran, and forgets it.
fn ran(scenario: &Scenario) -> bool {
    fs::remove_file(scenario.path("log")).is_ok()
}

#[test]
fn prompts_and_repetitions_allow_more_commands_only_when_they_are_told() {
    let (scenario, server) = (with_program(), turns(4));
    for command in [&["chat", "--prompt", "Check."][..], &["every", "1ms", "--count", "1", "Check."]] {
        server.run(&scenario, &[command, &MODEL].concat()).exits(0);
        assert!(!ran(&scenario), "{command:?}");
        let allowed = [&command[..1], &MODEL, &ALLOW, &command[1..]].concat();
        server.run(&scenario, &allowed).exits(0);
        assert!(ran(&scenario), "{command:?}");
    }
}

#[test]
fn a_task_allows_more_commands_only_when_it_is_told() {
    let scenario = with_program();
    scenario.write("task.md", "Check it.\n");
    for is_allowed in [false, true] {
        let review = finds(&[], "");
        let server =
            ModelServer::new([runs("./check.sh a"), says("STATUS: COMPLETE\n")].into_iter().chain(review));
        let flags = if is_allowed { &ALLOW[..] } else { &[] };
        server.run(&scenario, &[&["task", "task.md"], &MODEL[..], flags].concat()).exits(0);
        assert_eq!(ran(&scenario), is_allowed);
    }
}

#[test]
fn a_resumed_run_allows_more_commands_only_when_it_is_told() {
    let scenario = with_program();
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    let manifest = Manifest::new("-", "test -e log").set("agent", agent).set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest);
    let server = turns(3);
    server.run(&scenario, &["run", "loop.json"]).exits(1);
    server.run(&scenario, &["resume", "--add-iterations", "1"]).exits(1);
    assert!(!ran(&scenario));
    server.run(&scenario, &[&["resume", "--add-iterations", "1"], &ALLOW[..]].concat()).exits(0);
    assert!(ran(&scenario));
}

#[test]
fn the_users_settings_allow_commands_in_everything_that_is_unattended() {
    let scenario = with_program();
    scenario.write("../home/.config/loop/loop.toml", "[policy]\nallow = [\"./check.sh a\"]\n");
    scenario.write("task.md", "Check it.\n");
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    let manifest = Manifest::new("-", "true").set("agent", agent);
    scenario.write("run.json", manifest.0.to_string());
    for command in [
        &["chat", "--prompt", "Check.", MODEL[0], MODEL[1]][..],
        &["every", "1ms", "--count", "1", MODEL[0], MODEL[1], "Check."],
        &["run", "run.json"],
    ] {
        turns(1).run(&scenario, command).exits(0);
        assert!(ran(&scenario), "{command:?}");
    }
    let server = ModelServer::new(
        [runs("./check.sh a"), says("STATUS: COMPLETE\n")].into_iter().chain(finds(&[], "")),
    );
    server.run(&scenario, &["task", "task.md", MODEL[0], MODEL[1]]).exits(0);
    assert!(ran(&scenario), "a task");
    let server = turns(1);
    let mut add = server.command(&scenario, &["schedule", "add", "--json", "10m Check.", MODEL[0], MODEL[1]]);
    let added = RunningCommand::new(&mut add).finish().exits(0).stdout;
    let added: serde_json::Value = serde_json::from_str(&added).expect("JSON");
    scenario.run(&["schedule", "fire", added["id"].as_str().expect("an id")]).exits(0);
    server.run(&scenario, &["schedule", "run", "--once"]).exits(0);
    assert!(ran(&scenario), "a job");
}

/// A job that fires in a session follows the rules of the session.
#[test]
fn a_job_in_a_session_may_do_what_the_session_may() {
    for (size, flags) in SIZES.into_iter().zip([&[][..], &ALLOW]) {
        let (scenario, server) = (with_program(), turns(1));
        let mut add = server.command(&scenario, &["schedule", "add", "--json", "10m Check."]);
        let added = RunningCommand::new(add.env("LOOP_MODEL", MODEL[1])).finish().exits(0).stdout;
        let added: serde_json::Value = serde_json::from_str(&added).expect("JSON");
        scenario.run(&["schedule", "fire", added["id"].as_str().expect("an id")]).exits(0);
        let chat = ChatHarness::chat(&scenario, &server, flags, size);
        chat.wait_for_prompt_after("Done.");
        assert!(!chat.page().contains("[y]es"), "{}", chat.page());
        chat.leaves();
        assert_eq!(ran(&scenario), !flags.is_empty());
    }
}
