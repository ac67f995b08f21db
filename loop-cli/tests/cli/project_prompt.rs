//! The project's own instructions in the system prompt, and what a model without tool calls gets and prints.

use std::fs;

use loop_testing::Answer;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, RunningCommand, Scenario},
};

/// Returns the system prompt of the last request; empty without one.
fn system(server: &ModelServer) -> String {
    let body = server.requests().last().expect("a request").body.clone();
    let messages = body["messages"].as_array().expect("messages").clone();
    let system = messages.iter().find(|message| message["role"] == "system");
    system.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

fn answers(count: usize) -> ModelServer {
    ModelServer::new(vec![Answer::deltas(["Hi."]); count])
}

#[test]
fn a_prompt_without_a_session_has_the_instructions_of_the_project() {
    let (scenario, server) = (Scenario::new(), answers(5));
    server.chat(&scenario, "Hello?", &[]).exits(0);
    assert_eq!(system(&server), "");
    scenario.write("HARVEY.md", "Be old.");
    server.chat(&scenario, "Hello?", &[]).exits(0);
    assert_eq!(system(&server), "Be old.");
    scenario.write("CLAUDE.md", "Be kind.");
    server.chat(&scenario, "Hello?", &[]).exits(0);
    assert_eq!(system(&server), "Be kind.");
    scenario.write("AGENTS.md", "Be brief.");
    server.chat(&scenario, "Hello?", &[]).exits(0);
    assert_eq!(system(&server), "Be brief.");
    scenario.write("own.txt", "Be yourself.");
    server.chat(&scenario, "Hello?", &["--system", "own.txt"]).exits(0);
    assert_eq!(system(&server), "Be yourself.");
}

#[test]
fn markers_are_expanded_and_hide_what_is_hidden() {
    let (scenario, server) = (Scenario::new(), answers(2));
    scenario.write("AGENTS.md", "On <!-- @date -->:\n<!-- @files -->\n<!-- @git-status -->\n");
    scenario.write(".hidden", "");
    scenario.write("src/lib.rs", "");
    server.chat(&scenario, "Hello?", &[]).exits(0);
    let prompt = system(&server);
    let date = prompt.strip_prefix("On ").and_then(|rest| rest.split_once(":\n")).expect("a date").0;
    assert!(date.len() == 10 && date.split('-').count() == 3, "{date}");
    assert!(prompt.contains("src/\n  lib.rs") && !prompt.contains(".hidden"), "{prompt}");
    assert!(prompt.ends_with("(not a git repository)") && !prompt.contains("<!--"), "{prompt}");
    for number in 0..900 {
        scenario.write(&format!("a-file-{number}"), "");
    }
    server.chat(&scenario, "Hello?", &[]).exits(0);
    assert!(system(&server).contains(" more names]"), "{}", system(&server));
}

#[test]
fn a_repetition_and_a_manifest_have_the_instructions_of_the_project() {
    let (scenario, server) = (Scenario::new(), answers(2));
    scenario.write("AGENTS.md", "Be brief.");
    let args = ["every", "1ms", "--count", "1", "--model", "openai:scripted", "Hello?"];
    server.run(&scenario, &args).exits(0);
    assert_eq!(system(&server), "Be brief.");
    let agent = json!({ "model": "openai:scripted" });
    let manifest = json!({
        "goal": "g", "agent": agent, "evaluator": { "command": "true" }, "guardrails": { "max_iterations": 1 },
    });
    scenario.write("loop.json", manifest.to_string());
    server.run(&scenario, &["run", "loop.json"]).exits(0);
    assert!(system(&server).starts_with("Be brief."), "{}", system(&server));
}

/// Runs `loop chat` with a model of this tool mode.
fn in_mode(server: &ModelServer, scenario: &Scenario, mode: &str, prompt: &str) -> CommandResult {
    let model = format!("[models.it]\nmodel = \"openai:scripted\"\ntool_mode = \"{mode}\"\n");
    scenario.write("loop.toml", model);
    let mut command = server.command(scenario, &["chat", "--model", "it", "--prompt", prompt]);
    RunningCommand::new(&mut command).finish()
}

#[test]
fn only_the_final_reply_of_a_model_that_writes_calls_is_printed() {
    let call = "I look.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.txt\"}}\n```";
    let bare = call.trim_start_matches("I look.\n");
    for (mode, calls) in [("prose", [call, call]), ("auto", [bare, call])] {
        let server =
            ModelServer::new([calls[0], calls[1], "It is **42**."].map(|text| Answer::deltas([text])));
        let scenario = Scenario::new();
        scenario.write("a.txt", "42");
        assert_eq!(
            in_mode(&server, &scenario, mode, "What is it?").exits(0).stdout,
            "It is **42**.\n",
            "{mode}"
        );
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn a_model_without_tools_gets_the_files_that_a_prompt_names() {
    let (scenario, server) = (Scenario::new(), answers(2));
    scenario.write("notes/a.md", "Buy milk.");
    in_mode(&server, &scenario, "inject", "What is in notes/a.md?").exits(0);
    let body = server.requests()[0].body.clone();
    assert!(body.get("tools").is_none());
    let said = body["messages"][0]["content"].as_str().expect("text");
    assert_eq!(said, "### File: notes/a.md\n\nBuy milk.\n\nWhat is in notes/a.md?");
    fs::remove_file(scenario.path("notes/a.md")).expect("a file");
    in_mode(&server, &scenario, "inject", "What is in notes/a.md?").exits(0);
    assert_eq!(server.requests()[1].body["messages"][0]["content"], "What is in notes/a.md?");
}
