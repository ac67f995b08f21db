//! Models and the context in a session at a terminal.

use loop_testing::Answer;
use serde_json::json;

use crate::{
    chat_harness::{ChatHarness, answered_by},
    model_server::ModelServer,
    support::Scenario,
};

const SIZE: (u16, u16) = (120, 40);

/// Opens a session for which nobody names a model, with the models of this Ollama.
fn unnamed(scenario: &Scenario, server: &ModelServer) -> ChatHarness {
    ChatHarness::open(scenario, &["chat"], SIZE, |command| {
        answered_by(command, server);
        command.env_remove("OPENAI_BASE_URL").env_remove("OPENAI_API_KEY").env("OLLAMA_HOST", server.url());
    })
}

fn two_models() -> ModelServer {
    let server = ModelServer::new(["One.", "Two."].map(|text| Answer::deltas([text])));
    server.set_page("/api/tags", json!({ "models": [{ "name": "first" }, { "name": "second" }] }));
    server
}

#[test]
fn a_person_chooses_among_several_models_and_the_choice_is_the_next_default() {
    let (scenario, server) = (Scenario::new(), two_models());
    let mut chat = unnamed(&scenario, &server);
    chat.sees("1  ollama:first  (default)");
    chat.types("7\r");
    chat.sees("`7` is not a number from 0 to 2");
    chat.types("2\r");
    chat.wait_for_prompt_after("second, with tools");
    chat.says("Hello?", "One.");
    assert_eq!(server.requests()[0].body["model"], "second");
    chat.leaves();
    let mut chat = unnamed(&scenario, &server);
    chat.sees("2  ollama:second  (default)");
    chat.types("0\r");
    chat.wait_for_prompt_after("no model, with tools");
    chat.sees("you chose none");
    chat.leaves();
}

#[test]
fn a_model_that_cannot_be_asked_is_not_chosen() {
    let (scenario, server) = (Scenario::new(), two_models());
    let mut chat = unnamed(&scenario, &server);
    chat.sees("Which one answers?");
    chat.types("\r");
    chat.wait_for_prompt_after("first, with tools");
    chat.says("/model use ollama:third", "does not have it");
    chat.says("/model use second", "second answers from now on");
    chat.says("/inspect ollama:first", "budgeted window        32768 tokens");
    chat.says("/context", "system prompt");
    chat.sees("window            32,768 tokens");
    chat.says("/status", "window      32,768 tokens");
    chat.leaves();
}
