//! `--debug`: the log of what the program does.

use std::{fs, os::unix::fs::PermissionsExt as _};

use loop_testing::{Answer, Call};
use serde_json::Value;

use crate::{
    chat_harness::ChatHarness,
    model_server::{KEY, ModelServer},
    screen::SIZES,
    support::Scenario,
};

/// Returns the text of the only log, after a check of its mode.
fn text_of_log(scenario: &Scenario) -> String {
    let folder = fs::read_dir(scenario.state().join("logs")).expect("a folder of logs");
    let files: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(fs::metadata(&files[0]).expect("a file").permissions().mode() & 0o777, 0o600);
    fs::read_to_string(&files[0]).expect("the log")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn server() -> ModelServer {
    let read = Answer::calls([Call::new("c", "read_file", [r#"{"path": "notes.txt"}"#])]);
    ModelServer::new([read, Answer::deltas(["It names ", "Ann."]).usage(10, 3)])
}

#[test]
fn a_turn_is_logged_without_its_texts() {
    let (scenario, server) = (Scenario::new(), server());
    scenario.write("notes.txt", "Thank Ann.\n");
    let ran = server.chat(&scenario, "Whom do we thank?", &["--debug"]).exits(0);
    let text = text_of_log(&scenario);
    let lines = lines(&text);
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().expect("an event")).collect();
    assert_eq!(events, ["started", "settings", "request", "reply", "call", "request", "reply"], "{text}");
    assert!(ran.stderr.contains("debug log: ") && lines[0]["arguments"] == serde_json::json!(["chat"]));
    assert_eq!((&lines[2]["model"], &lines[2]["request"]), (&"scripted".into(), &1.into()));
    assert!(lines[2]["estimated_tokens"].as_u64() > Some(0), "{text}");
    assert!(lines[2]["tools"].to_string().contains("read_file") && lines[3]["calls"][0] == "read_file");
    assert_eq!((&lines[4]["tool"], &lines[4]["decision"]), (&"read_file".into(), &"made".into()));
    assert!(lines[4]["ms"].is_u64() && lines[6]["first_token_ms"].is_u64(), "{text}");
    assert_eq!(lines[6]["usage"]["output_tokens"], 3, "{text}");
    assert!(!text.contains("Ann") && !text.contains("Whom") && !text.contains(KEY), "{text}");
}

#[test]
fn texts_are_logged_on_request_and_have_no_secrets() {
    let (scenario, server) = (Scenario::new(), server());
    scenario.write("notes.txt", format!("Thank Ann. The key is {KEY}.\n"));
    server.chat(&scenario, "Whom do we thank?", &["--debug=texts"]).exits(0);
    let text = text_of_log(&scenario);
    assert!(
        text.contains("Whom do we thank?") && text.contains("Thank Ann. The key is [redacted]."),
        "{text}"
    );
    assert!(text.contains("It names Ann.") && !text.contains(KEY), "{text}");
}

#[test]
fn retries_and_errors_are_logged_and_any_command_can_log() {
    let scenario = Scenario::new();
    let server = ModelServer::new([Answer::status(503), Answer::status(401)]);
    server.chat(&scenario, "Hello", &["--debug"]).exits(3);
    let lines = lines(&text_of_log(&scenario));
    let events: Vec<_> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert_eq!(events[2..], ["request", "request_failed", "request", "request_failed", "error"]);
    assert_eq!(lines[2]["messages"], lines[4]["messages"]);
    assert!(lines[6]["error"].as_str().is_some_and(|error| error.contains("401")), "{}", lines[6]);
    let other = Scenario::new();
    other.run(&["--debug", "show", "none"]).exits(2);
    assert!(text_of_log(&other).contains("\"event\":\"error\""));
    other.run(&["runs", "--debug=all"]).exits(2).says(&["invalid value 'all'"]);
}

#[test]
fn a_session_names_its_log() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["Good day."])]));
    let mut chat = ChatHarness::chat(&scenario, &server, &["--debug"], SIZES[0]);
    chat.says("Hello", "Good day.");
    chat.says("/status", "debug log");
    chat.says("/nonsense", "nonsense");
    chat.leaves();
    let text = text_of_log(&scenario);
    assert!(text.contains("\"event\":\"reply\"") && text.contains("\"event\":\"error\""), "{text}");
}
