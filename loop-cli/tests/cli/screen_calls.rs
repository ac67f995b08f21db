//! The display of tool calls in `loop chat`.

use std::process::Command;

use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    approve_commands::{done, runs, with_program},
    chat_harness::{ChatHarness, answered_by},
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
};

fn calls() -> [Answer; 2] {
    let old = "fn old() {}\n";
    let arguments = [
        ("write_file", json!({ "path": "src/a.rs", "content": format!("use b;\n{old}") })),
        ("edit_file", json!({ "path": "src/a.rs", "old": old, "new": "fn new() {\n    b();\n}\n" })),
        ("read_file", json!({ "path": "src/a.rs" })),
        ("read_file", json!({ "path": "missing.rs" })),
        ("run_command", json!({ "command": "cat src/a.rs" })),
        ("run_command", json!({ "command": "rm -rf src" })),
    ];
    let calls = arguments
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| Call::new(&format!("c{at}"), name, [arguments.to_string().as_str()]));
    [Answer::calls(calls.collect::<Vec<_>>()), Answer::deltas(["All is done."])]
}

/// Starts a session in which tools write without a question.
fn chat(scenario: &Scenario, server: &ModelServer, args: &[&str], size: (u16, u16)) -> ChatHarness {
    scenario.write("settings.toml", "[policy]\napprove_writes = \"never\"\n[tools]\nauto_format = false\n");
    let args = [&["chat", "--model", "openai:scripted"], args].concat();
    let chat = ChatHarness::open(scenario, &args, size, |command| {
        answered_by(command, server);
        command.env("LOOP_CONFIG", scenario.path("settings.toml"));
    });
    chat.wait_for_prompt_after("/help");
    chat
}

/// Has the model do its calls, and refuses the command that needs a yes.
fn does(chat: &mut ChatHarness) {
    chat.types("Do it.\r");
    chat.sees("[y]es once");
    chat.types("n\r");
    chat.wait_for_prompt_after("All is done.");
}

#[test]
fn a_command_that_fails_shows_its_last_lines_and_an_unknown_cost_appears_once() {
    for size in SIZES {
        let scenario = Scenario::new();
        let call = || {
            let arguments = json!({ "command": "cmp poem other" }).to_string();
            Answer::calls([Call::new("c1", "run_command", [arguments.as_str()])]).usage(30, 4)
        };
        let done = || Answer::deltas(["It failed."]).usage(40, 5);
        scenario.write("poem", "a poem\n");
        scenario.write("other", "another\n");
        let server = ModelServer::new([call(), done(), call(), done()]);
        let mut chat = chat(&scenario, &server, &[], size);
        chat.says("Read it.", "cost unknown");
        chat.says("Read it again.", "It failed.");
        let page = chat.page();
        assert_eq!(page.matches("cost unknown").count(), 1, "{page}");
        chat.says("/verbose", "`/verbose on` shows all of it");
        let rows = page.split_once("run_command cmp poem other → exit 1").expect("a row").1;
        assert!(rows.lines().nth(1).expect("its output").starts_with("  poem other differ"), "{page}");
        chat.leaves();
    }
}

#[test]
fn a_call_is_a_row_with_the_size_of_its_result() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new(calls());
        let mut chat = chat(&scenario, &server, &[], size);
        does(&mut chat);
        chat.shows(&format!("screen_calls_{}", size.0));
        chat.leaves();
    }
}

#[test]
fn with_verbose_a_call_is_json_with_its_whole_result() {
    let scenario = Scenario::new();
    let server = ModelServer::new(calls());
    let mut chat = chat(&scenario, &server, &["--verbose"], SIZES[1]);
    does(&mut chat);
    chat.shows("screen_calls_verbose");
    chat.leaves();
}

#[test]
fn how_much_of_a_call_appears_can_be_changed_in_the_session() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new(calls());
        let mut chat = chat(&scenario, &server, &[], size);
        chat.says("/verbose", "each tool call appears as one line");
        chat.says("/verbose on", "tool calls appear as JSON");
        does(&mut chat);
        chat.sees("run_command → rejected");
        chat.says("/verbose off", "`/verbose on` shows all of it");
        chat.says("/clear", "the conversation is forgotten");
        chat.leaves();
    }
}

#[test]
fn the_output_of_a_command_that_a_person_allowed_appears_while_it_runs() {
    for size in SIZES {
        let scenario = with_program();
        let waits = "#!/bin/sh\nfor step in 1 2 3 4 5; do echo \"step $step\"; done\ncat go\necho API_KEY=$2 >&2\ncat go\n";
        scenario.write("check.sh", waits);
        let gate = Command::new("mkfifo").arg(scenario.path("go")).status().expect("mkfifo runs");
        assert!(gate.success());
        let open_gate = || scenario.write("go", "");
        let key = "sk-proj-Zq8vLw2Rk5TnB1xYc7HdUe4MgJs9PaFo";
        let server = ModelServer::new([runs(&format!("./check.sh a {key}")), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &["--allow", "./check.sh"], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees("  │ step 5");
        let page = chat.page();
        assert!(page.contains("  │ step 2") && !page.contains("step 1"), "{page}");
        open_gate();
        chat.sees("  │ API_KEY=");
        assert!(!chat.page().contains(key), "{}", chat.page());
        open_gate();
        chat.wait_for_prompt_after("Done.");
        assert!(!chat.page().contains("  │"), "{}", chat.page());
        chat.leaves();
    }
}
