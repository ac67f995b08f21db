//! Models and the context in a session at a terminal.

use loop_testing::{Answer, Gate};
use serde_json::json;

use crate::{
    approve_commands::{done, runs},
    chat_harness::{ChatHarness, answered_by},
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
};

/// Opens a session for which nobody names a model, with the models of this Ollama.
fn unnamed(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    ChatHarness::open(scenario, &["chat"], size, |command| {
        answered_by(command, server);
        command.env_remove("OPENAI_BASE_URL").env_remove("OPENAI_API_KEY").env("OLLAMA_HOST", server.url());
    })
}

/// Opens such a session, and chooses the default by pressing Enter alone.
fn with_default(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    let mut chat = unnamed(scenario, server, size);
    chat.sees("Which one answers?");
    chat.types("\r");
    chat.wait_for_prompt_after("first, with tools");
    chat
}

fn two_models() -> ModelServer {
    let server = ModelServer::new(["One.", "Two."].map(|text| Answer::deltas([text])));
    server.set_page("/api/tags", json!({ "models": [{ "name": "first" }, { "name": "second" }] }));
    server
}

#[test]
fn a_person_chooses_among_several_models_and_the_choice_is_the_next_default() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), two_models());
        let mut chat = unnamed(&scenario, &server, size);
        chat.sees("1  ollama:first  (default)");
        chat.types("7\r");
        chat.sees("`7` is not a number from 0 to 2");
        chat.types("2\r");
        chat.wait_for_prompt_after("second, with tools");
        chat.says("Hello?", "One.");
        assert_eq!(server.requests()[0].body["model"], "second");
        chat.leaves();
        let mut chat = unnamed(&scenario, &server, size);
        chat.sees("2  ollama:second  (default)");
        chat.types("0\r");
        chat.wait_for_prompt_after("no model, with tools");
        chat.sees("you chose none");
        chat.leaves();
    }
}

#[test]
fn a_model_that_cannot_be_asked_is_not_chosen() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), two_models());
        let mut chat = with_default(&scenario, &server, size);
        chat.says("/model use ollama:third", "does not have it");
        chat.says("/model use second", "second answers from now on");
        chat.says("/inspect ollama:first", "budgeted window        32768 tokens");
        chat.says("/context", "system prompt");
        chat.sees("window            32,768 tokens");
        chat.says("/status", "window      32,768 tokens");
        chat.leaves();
    }
}

#[test]
fn a_name_alone_changes_the_model_and_each_is_listed_once() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), two_models());
        let mut chat = with_default(&scenario, &server, size);
        chat.says("/model secnd", "`ollama:second`");
        chat.says("/model use ghost", "ghost");
        chat.says("/model second", "second answers from now on");
        chat.says("/models", "ollama:first\nollama:second  (answers now)\n");
        scenario.write("notes.md", "Buy milk.\n");
        chat.says("@notes.md What do I buy?", "One.");
        let asked = server.requests()[0].body.clone();
        assert_eq!(asked["model"], "second");
        assert!(asked["messages"].to_string().contains("@notes.md What do I buy?"), "{asked}");
        chat.says("@none.md What is it?", "none.md");
        chat.leaves();
    }
}

/// The name looks like that of a model of a vendor. Only the server that listed it is asked.
#[test]
fn a_chosen_model_is_asked_where_it_was_listed() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["One."])]));
        server.set_page("/v1/models", json!({ "data": [{ "id": "gpt-oss:20b" }, { "id": "other" }] }));
        let settings = format!("[models.own]\nmodel = \"openai:x\"\nbase_url = \"{}/v1\"\n", server.url());
        scenario.write("settings.toml", settings);
        let mut chat = ChatHarness::open(&scenario, &["chat"], size, |command| {
            answered_by(command, &server);
            command.env_remove("OPENAI_BASE_URL").env_remove("OPENAI_API_KEY");
            command.env("LOOP_CONFIG", scenario.path("settings.toml"));
        });
        chat.sees("1  gpt-oss:20b");
        chat.types("1\r");
        chat.wait_for_prompt_after("gpt-oss:20b, with tools");
        chat.says("Hello?", "One.");
        assert_eq!(server.requests()[0].body["model"], "gpt-oss:20b");
        chat.leaves();
    }
}

#[test]
fn what_is_no_terminal_is_no_session() {
    let scenario = Scenario::new();
    let server = ModelServer::new([]);
    let ran = server.run(&scenario, &["chat", "--model", "openai:scripted", "--resume"]).exits(2);
    ran.says(&["a session needs a terminal"]);
}

#[test]
fn a_session_whose_terminal_is_gone_ends() {
    for is_deaf in [false, true] {
        ChatHarness::hung_up(&Scenario::new(), &ModelServer::new([]), is_deaf, None).exits(129);
    }
    let gate = Gate::new();
    let server = ModelServer::new([Answer::deltas(["One."]).gated(&gate)]);
    ChatHarness::hung_up(&Scenario::new(), &server, true, Some(&gate)).exits(129);
}

#[test]
fn a_named_model_that_cannot_be_reached_is_refused_before_the_session_begins() {
    let scenario = Scenario::new();
    let server = ModelServer::new([Answer::deltas(["Hello."])]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("Hi", "Hello.");
    chat.leaves();
    for resume in [&[][..], &["--resume"]] {
        let args = [&["chat", "--model", "ollama:nosuch"], resume].concat();
        let chat = ChatHarness::open(&scenario, &args, SIZES[0], |command| {
            command.env("OLLAMA_HOST", "127.0.0.1:1").env("NO_COLOR", "1");
        });
        chat.sees("cannot be reached");
        chat.finish().exits(2);
    }
}

#[test]
fn a_model_that_its_server_does_not_list_is_chosen_with_a_warning() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), ModelServer::new([]));
        server.set_page("/v1/models", json!({ "data": [{ "id": "scripted" }, { "id": "other" }] }));
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        assert!(!chat.page().contains("does not list"), "{}", chat.page());
        chat.says("/model openai:nope", "nope answers from now on");
        chat.sees("does not list");
        chat.sees("models: scripted, other");
        chat.leaves();
    }
}

#[test]
fn the_settings_bound_the_rounds_of_a_turn_and_the_results_of_its_tools() {
    let scenario = Scenario::new();
    scenario.write("notes", "long\n".repeat(1_000));
    scenario.write("loop.toml", "[chat]\nrounds = 1\n\n[tools]\noutput_bytes = 1024\n");
    let server = ModelServer::new([runs("cat notes"), runs("cat notes"), done()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("Look.", "the turn has used its rounds of calls (1)");
    let result = server.requests()[1].body["messages"].to_string();
    assert!(result.contains("bytes left out") && result.len() < 4_000, "{result}");
    chat.leaves();
}
