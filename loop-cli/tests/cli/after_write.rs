//! Formatters and sensors in a session.

use std::{fs, os::unix::fs::PermissionsExt};

use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    approve_commands::done,
    chat_harness::{ChatHarness, answered_by},
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
};

const SETTINGS: &str = "[policy]\napprove_writes = \"never\"\n[formatters]\n\"*.txt\" = \"squeeze\"\n\
                        [sensors]\n\"*.txt\" = \"lint $LOOP_FILE\"\n";

/// Opens a session with a formatter and a sensor on the PATH.
fn open(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    for (name, script) in [("squeeze", "tr -s ' '"), ("lint", "! grep -n bad a.txt")] {
        scenario.write(&format!("../bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        let path = scenario.path("../bin").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    scenario.write("settings.toml", SETTINGS);
    let path =
        format!("{}:/usr/bin:/bin", scenario.path("../bin").canonicalize().expect("a folder").display());
    let chat = ChatHarness::open(scenario, &["chat", "--model", "openai:scripted"], size, |command| {
        answered_by(command, server);
        command.env("LOOP_CONFIG", scenario.path("settings.toml")).env("PATH", path);
    });
    chat.wait_for_prompt_after("/help");
    chat
}

#[test]
fn what_a_model_writes_is_formatted_and_it_reads_what_a_sensor_says() {
    for size in SIZES {
        let scenario = Scenario::new();
        let arguments = json!({ "path": "a.txt", "content": "a  bad  line\n" }).to_string();
        let call = Answer::calls([Call::new("c1", "write_file", [arguments.as_str()])]);
        let server = ModelServer::new([call, done()]);
        let mut chat = open(&scenario, &server, size);
        chat.says("Write it.", "Done.");
        assert_eq!(scenario.read("a.txt"), "a bad line\n");
        let page = chat.page();
        let row = page.lines().find(|line| line.starts_with("write_file")).expect("a row");
        assert!(
            row.starts_with("write_file a.txt → wrote 13 bytes to a.txt, formatted by squeeze, `lint $LOOP"),
            "{page}"
        );
        assert!(page.contains("\n  1:a bad line\n") && !page.contains("\n  wrote"), "{page}");
        let sent = server.requests().last().expect("a request").body["messages"].to_string();
        assert!(
            sent.contains("formatted by squeeze\\n1:a bad line\\n[... `lint $LOOP_FILE`: exit 1 ...]"),
            "{sent}"
        );
        chat.leaves();
    }
}

#[test]
fn a_person_formats_files() {
    let scenario = Scenario::new();
    let mut chat = open(&scenario, &ModelServer::new([]), SIZES[0]);
    scenario.write("b.txt", "b  c\n");
    scenario.write("poem", "b  c\n");
    chat.says("/format b.txt poem", "poem: no formatter");
    chat.sees("b.txt: formatted by squeeze");
    assert_eq!((scenario.read("b.txt").as_str(), scenario.read("poem").as_str()), ("b c\n", "b  c\n"));
    chat.says("/format b.txt", "b.txt: unchanged");
    chat.says("/format missing.txt", "1 of 1 not formatted");
    chat.says("/format", "name the files");
    chat.leaves();
}
