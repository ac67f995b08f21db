//! `loop hint` and `loop workspace`: what to do next, and what is stored for a folder.

use std::{fs, fs::File};

use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    chat_harness::ChatHarness,
    model_server::ModelServer,
    support::{Manifest, RunningCommand, Scenario},
};

fn hints(scenario: &Scenario) -> Vec<String> {
    let shown = scenario.run(&["hint", "--json"]).exits(0).stdout;
    let command = |line: &str| {
        serde_json::from_str::<Value>(line).expect("JSON")["command"].as_str().map(str::to_owned)
    };
    shown.lines().map(|line| command(line).expect("a command")).collect()
}

#[test]
fn hints_name_what_is_left_the_most_useful_first() {
    let scenario = Scenario::new();
    assert_eq!(hints(&scenario), ["loop kb project add NAME"]);
    assert!(!scenario.state().exists(), "a hint creates nothing");
    scenario.run(&["kb", "project", "add", "parser"]).exits(0);
    scenario.run(&["hint"]).exits(0).prints(&["there is nothing to suggest\n"]);
    scenario.run(&["rag", "new", "docs", "--embedder", "none"]).exits(0);
    scenario.run(&["rag", "on"]).exits(0);
    scenario.run(&["schedule", "add", "30m look", "--agent", "true"]).exits(0);
    assert_eq!(hints(&scenario), ["loop schedule run", "loop rag ingest ."]);
    scenario.write("notes.md", "A text.");
    scenario.run(&["rag", "ingest", "."]).exits(0);
    assert_eq!(hints(&scenario), ["loop schedule run"]);
}

#[test]
fn a_run_that_was_cut_off_comes_first() {
    let scenario = Scenario::new();
    let fifo = scenario.fifo("alive");
    let manifest = Manifest::new("echo begun > alive; sleep 1000", "false");
    let running = scenario.start_manifest(&manifest);
    fifo.line();
    running.signal(Signal::KILL);
    running.killed();
    let first = hints(&scenario).remove(0);
    assert!(first.starts_with("loop resume "), "{first}");
}

#[test]
fn data_that_cannot_be_read_is_a_hint_too() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let runs = scenario.state().join("runs");
    fs::rename(&runs, scenario.state().join("moved")).expect("a folder");
    File::create(&runs).expect("a file");
    assert_eq!(hints(&scenario)[0], "loop doctor");
    scenario.run(&["workspace"]).exits(0).prints(&["runs        "]);
}

#[test]
fn the_workspace_has_a_root_a_branch_and_sizes() {
    let scenario = Scenario::new();
    let read =
        |args: &[&str]| serde_json::from_str::<Value>(&scenario.run(args).exits(0).stdout).expect("JSON");
    let empty = read(&["workspace", "status", "--json"]);
    assert_eq!((&empty["branch"], &empty["data"][0]["bytes"]), (&Value::Null, &json!(0)));
    scenario.run(&["workspace"]).exits(0).prints(&["branch      (no git repository that can be read)"]);
    scenario.write(".git/HEAD", "ref: refs/heads/topic\n");
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let status = read(&["workspace", "--json"]);
    assert_eq!((&status["branch"], &status["data"][0]["count"]), (&json!("topic"), &json!(1)));
    assert_eq!(status["root"], json!(scenario.path("").canonicalize().expect("a folder")));
    let sizes: Vec<_> =
        status["data"].as_array().expect("data").iter().map(|data| data["bytes"].as_u64()).collect();
    assert!(sizes[0] > Some(500) && sizes.iter().all(Option::is_some), "{sizes:?}");
}

#[test]
fn a_key_in_the_name_of_the_folder_is_not_shown() {
    let scenario = Scenario::new();
    let key = "sk-proj-1234567890_abcdefghij";
    scenario.write(&format!("P-{key}/file"), "");
    let shown = |args: &[&str]| {
        let mut command = scenario.loop_command(args);
        command.current_dir(scenario.path(format!("P-{key}"))).env("OPENAI_API_KEY", key);
        RunningCommand::new(&mut command).finish().exits(0)
    };
    for args in [&["workspace", "--json"][..], &["workspace"], &["hint", "--json"]] {
        let shown = shown(args);
        let said = shown.stdout + &shown.stderr;
        assert!(!said.contains("1234567890"), "{said}");
    }
}

#[test]
fn sessions_that_cannot_be_read_are_named() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["Yes."])]));
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (200, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("Is it day?", "Yes.");
    chat.leaves();
    scenario.run(&["workspace"]).exits(0).prints(&["sessions    1, "]);
    let damaged = scenario.state().join("sessions/0198aaaa-0000-7000-8000-000000000000.jsonl");
    fs::write(damaged, "").expect("a file");
    scenario
        .run(&["workspace"])
        .exits(0)
        .prints(&["sessions    1, ", "1 session cannot be read, first 0198aaaa"]);
    let status = scenario.run(&["workspace", "--json"]).exits(0).stdout;
    assert!(status.contains("1 session cannot be read"), "{status}");
    scenario.run(&["hint"]).exits(0).prints(&["1 session cannot be read"]);
    let mined = server.run(&scenario, &["memory", "mine", "--yes", "--model", "openai:scripted"]);
    mined.says(&["session 0198aaaa-0000-7000-8000-000000000000 is not mined"]);
}

#[test]
fn a_session_has_the_same_words() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["Yes."])]));
    scenario.write(".git/HEAD", "ref: refs/heads/topic\n");
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (200, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("Is it day?", "Yes.");
    chat.says("/hint", "/kb project add NAME");
    chat.says("/workspace status", "branch      topic");
    chat.says("/workspace all", "`all` is not known");
    chat.leaves();
    assert_eq!(hints(&scenario), ["loop memory mine", "loop kb project add NAME"]);
}
