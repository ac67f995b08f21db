//! The offer to start an Ollama that is installed and does not run.

use std::{env, fs, os::unix::fs::PermissionsExt};

use loop_testing::Answer;
use serde_json::json;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    screen::SIZES,
    support::{Fifo, Scenario},
};

/// Reports its address and its arguments, and runs until it is ended.
const SERVES: &str = "exec 3>STARTED; echo $OLLAMA_HOST $* >&3; exec sleep 1000";

/// Opens a session for which nobody names a model, on a machine with this program as its `ollama`.
fn chat(scenario: &Scenario, ollama: &str, size: (u16, u16)) -> ChatHarness {
    let programs = scenario.path("../programs");
    let ollama = ollama.replace("STARTED", &scenario.path("started").display().to_string());
    scenario.write("../programs/ollama", format!("#!/bin/sh\n{ollama}\n"));
    fs::set_permissions(programs.join("ollama"), fs::Permissions::from_mode(0o755)).expect("a program");
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([programs].into_iter().chain(env::split_paths(&others))).expect("a path");
    let chat = ChatHarness::open(scenario, &["chat"], size, |command| {
        command.env("NO_COLOR", "1").env("OLLAMA_HOST", "127.0.0.1:1").env("PATH", path);
    });
    chat.sees("Start it for this session? [Y/n]");
    chat
}

/// Returns the address at which the program was told to listen.
fn address(started: &Fifo) -> String {
    let line = started.line();
    let address = line.trim().strip_suffix(" serve").expect("its argument");
    assert!(address.starts_with("127.0.0.1:") && address != "127.0.0.1:1", "{address}");
    address.to_owned()
}

#[test]
fn an_installed_ollama_is_started_after_a_yes_and_ends_with_the_session() {
    for size in SIZES {
        let scenario = Scenario::new();
        let started = scenario.fifo("started");
        let mut chat = chat(&scenario, SERVES, size);
        chat.types("\r");
        chat.sees("starting Ollama");
        let server = ModelServer::at(&address(&started), [Answer::deltas(["Hello."])]);
        server.set_page("/api/tags", json!({ "models": [{ "name": "only" }] }));
        chat.wait_for_prompt_after("only, with tools");
        chat.says("Hello?", "Hello.");
        // A name with the vendor leads to the same server.
        chat.says("/model use ollama:only", "only answers from now on");
        chat.leaves();
        started.released();
    }
}

#[test]
fn an_ollama_that_does_not_start_shows_why() {
    let scenario = Scenario::new();
    let mut chat = chat(&scenario, "echo 'no space left'; exit 1", SIZES[0]);
    chat.types("yes\r");
    chat.wait_for_prompt_after("no model, with tools");
    chat.sees("no space left");
    chat.leaves();
}

#[test]
fn nothing_is_started_without_a_yes() {
    for no in ["n\r", "what?\r", "\u{4}"] {
        let scenario = Scenario::new();
        let mut chat = chat(&scenario, "touch STARTED", SIZES[0]);
        chat.types(no);
        chat.wait_for_prompt_after("no model, with tools");
        chat.sees("Ollama does not run");
        chat.leaves();
        assert!(!scenario.has("started"));
    }
}

#[test]
fn ctrl_c_ends_the_question_and_a_server_that_is_starting() {
    let scenario = Scenario::new();
    let mut asked = chat(&scenario, SERVES, SIZES[0]);
    asked.types(CTRL_C);
    asked.finish().exits(130);
    let started = scenario.fifo("started");
    let mut starting = chat(&scenario, SERVES, SIZES[0]);
    starting.types("y\r");
    address(&started);
    starting.types(CTRL_C);
    starting.finish().exits(130);
    started.released();
}
