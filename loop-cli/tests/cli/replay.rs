//! `loop replay`: the prompts of a stored session, sent to other models.

use loop_testing::{Answer, Call, Gate};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    chat_harness::{ChatHarness, answered_by},
    model_server::ModelServer,
    support::{RunningCommand, Scenario, wait_until},
    task::says,
};

/// A stored session with two prompts.
fn recorded() -> (Scenario, String) {
    let scenario = Scenario::new();
    let server = ModelServer::new(["Roses are red.", "Violets are blue."].map(says));
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (120, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("Name a flower.", "Roses are red.");
    chat.says("And another?", "Violets are blue.");
    chat.leaves();
    let stored = scenario.run(&["session", "list", "--json"]).exits(0).stdout;
    let stored: Value = serde_json::from_str(stored.lines().next().expect("a session")).expect("JSON");
    let id = stored["session"].as_str().expect("an id").to_owned();
    (scenario, id)
}

#[test]
fn each_prompt_is_sent_again_in_a_new_session_beside_the_recorded_one() {
    let (scenario, id) = recorded();
    let server = ModelServer::new(["Roses are pink.", "Violets.", "Tulips.", "Violets are blue."].map(says));
    let replay = ["replay", &id, "--model", "openai:a", "--model", "openai:b", "--json", "--out", "again"];
    let ran = server.run(&scenario, &replay).exits(0);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let facts: Vec<_> =
        lines.iter().map(|line| [&line["turn"], &line["model"], &line["similarity"]]).collect();
    assert_eq!(facts[0], [&json!(1), &json!("a"), &json!(0.5)]);
    assert_eq!(facts[3], [&json!(2), &json!("b"), &json!(1.0)]);
    assert_eq!(lines[0]["recorded"]["model"], "scripted");
    let second = server.requests()[1].body["messages"].to_string();
    assert!(
        second.contains("Name a flower.")
            && second.contains("Roses are pink.")
            && second.contains("And another?")
    );
    let shown = scenario.run(&["session", "show", "again-2"]).exits(0).stdout;
    assert!(shown.contains("Tulips.") && shown.contains("And another?"), "{shown}");
}

#[test]
fn a_turn_that_fails_is_recorded_and_the_next_one_follows() {
    let (scenario, id) = recorded();
    let server = ModelServer::new([Answer::status(401), says("Violets are blue.")]);
    let ran = server.run(&scenario, &["replay", &id, "--model", "openai:a"]).exits(0);
    ran.prints(&["turn  model", "similar  failure", "401", "100%"]);
    let server = ModelServer::new([Answer::status(401), Answer::status(401)]);
    server.run(&scenario, &["replay", &id, "--model", "openai:a"]).exits(3);
}

#[test]
fn only_tools_that_read_are_there_unless_others_are_named() {
    let (scenario, id) = recorded();
    let write = || Answer::calls([Call::new("c1", "write_file", ["{\"path\": \"x\", \"content\": \"y\"}"])]);
    let server = ModelServer::new([write(), says("Done."), says("Done.")]);
    server.run(&scenario, &["replay", &id, "--model", "openai:a"]).exits(0);
    assert!(!scenario.has("x"));
    let tools = server.requests()[0].body["tools"].to_string();
    assert!(tools.contains("read_file") && !tools.contains("write_file"), "{tools}");
    let server = ModelServer::new([write(), says("Done."), says("Done.")]);
    server.run(&scenario, &["replay", &id, "--model", "openai:a", "--tools", "write_file"]).exits(0);
    assert!(scenario.has("x"));
    scenario.run(&["replay", "nowhere", "--model", "openai:a"]).exits(2);
}

#[test]
fn another_folder_is_reported_and_a_model_is_named_once() {
    let (scenario, id) = recorded();
    let server = ModelServer::new(["Roses.", "Violets."].map(says));
    scenario.write("elsewhere/x", "");
    let mut command = server.command(&scenario, &["replay", &id, "--model", "openai:a"]);
    command.current_dir(scenario.path("elsewhere"));
    let ran = RunningCommand::new(&mut command).finish().exits(0);
    ran.says(&["the session worked in", "and the tools read"]);
    let twice = ["replay", &id, "--model", "openai:a", "--model", "openai:a"];
    server.run(&scenario, &twice).exits(2).says(&["`--model openai:a` is given twice"]);
    let goes_on = ["replay", &id, "--model", "openai:a", "--continue"];
    server.run(&scenario, &goes_on).exits(2).says(&["`--continue` needs a terminal"]);
}

#[test]
fn an_interrupted_replay_shows_what_was_replayed() {
    let (scenario, id) = recorded();
    let gate = Gate::new();
    let held = Answer::deltas(["Vio", "lets."]).gated(&gate);
    let server = ModelServer::new([says("Roses."), says("Violets."), held]);
    let args = ["replay", &id, "--model", "openai:a", "--model", "openai:b"];
    let running = RunningCommand::new(&mut server.command(&scenario, &args));
    wait_until("the third request", || server.requests().len() == 3);
    running.signal(Signal::INT);
    running.finish().exits(130).prints(&["turn  model", "a  "]);
}

#[test]
fn a_replay_goes_on_as_a_session() {
    let (scenario, id) = recorded();
    let server = ModelServer::new(["Roses are pink.", "Tulips.", "Yes."].map(says));
    let args = ["replay", &id, "--model", "openai:a", "--continue"];
    let mut chat = ChatHarness::open(&scenario, &args, (120, 40), |command| answered_by(command, &server));
    chat.wait_for_prompt_after("Tulips.");
    chat.says("Sure?", "Yes.");
    chat.leaves();
    assert!(server.requests()[2].body["messages"].to_string().contains("Roses are pink."));
}

#[test]
fn a_session_replays_itself_and_measures_cases() {
    let scenario = Scenario::new();
    scenario.write("cases/greet.yaml", "prompt: Hi.\nchecks: [contains: hello]\n");
    let replies = ["Roses are red.", "Roses are pink.", "Roses are blue.", "hello", "no"];
    let server = ModelServer::new(replies.map(says));
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (120, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("Name a flower.", "Roses are red.");
    chat.says("/replay --out again", "50%");
    chat.says("/session replay", "session replay-");
    chat.says("/assay cases --runs 2", "1 of 2");
    chat.says("/assay", "the folder is missing");
    chat.leaves();
    let shown = scenario.run(&["session", "show", "again"]).exits(0).stdout;
    assert!(shown.contains("Name a flower.") && shown.contains("Roses are pink."), "{shown}");
}
