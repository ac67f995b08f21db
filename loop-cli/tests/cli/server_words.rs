//! The words of `loop server` about servers that `loop` starts, and servers that other programs left.

use std::{fs, os::unix::process::CommandExt as _, process::Stdio};

use loop_testing::Answer;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use crate::{
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    servers::{ask, command, lives, python, started},
    support::{CommandResult, RunningCommand, Scenario, wait_until},
};

fn server(scenario: &Scenario, words: &[&str]) -> CommandResult {
    RunningCommand::new(&mut command(scenario, &[&["server"], words].concat())).finish()
}

/// Adds a key to the server of the settings.
fn set(scenario: &Scenario, key: &str) {
    let text = scenario.read("user.toml");
    scenario.write("user.toml", text.replace("[models.mine]", &format!("{key}\n[models.mine]")));
}

#[test]
fn a_started_server_serves_other_commands_until_its_own_ends() {
    let scenario = python();
    let running = RunningCommand::new(&mut command(&scenario, &["server", "start", "own"]));
    running.says("Ctrl+C ends it");
    assert!(running.printed().starts_with("`own` answers at 127.0.0.1:"), "{}", running.printed());
    ask(&scenario).exits(0).prints(&["Hello."]);
    ask(&scenario).exits(0).prints(&["Hello."]);
    server(&scenario, &["stop", "own"]).exits(0).prints(&["another `loop` has started `own`"]);
    let [(port, process)] = started(&scenario)[..] else { panic!("{}", scenario.read("log")) };
    server(&scenario, &["status"]).exits(0).prints(&[&format!("own  answers at 127.0.0.1:{port}")]);
    running.signal(Signal::INT);
    running.finish().exits(130);
    assert!(!lives(process));
    server(&scenario, &["status"]).exits(0).prints(&["own  does not run"]);
}

#[test]
fn a_started_server_that_ends_ends_its_command() {
    let scenario = python();
    let running = RunningCommand::new(&mut command(&scenario, &["server", "start", "own"]));
    running.says("Ctrl+C ends it");
    let [(_, process)] = started(&scenario)[..] else { panic!("{}", scenario.read("log")) };
    rustix::process::kill_process(Pid::from_raw(process).expect("a process"), Signal::KILL)
        .expect("it lives");
    running.finish().exits(3).says(&["ended by itself"]);
}

#[test]
fn a_kept_server_stays_until_it_is_stopped() {
    let scenario = python();
    set(&scenario, "keep = true");
    server(&scenario, &["start", "own"]).exits(0).prints(&["answers at"]);
    ask(&scenario).exits(0).prints(&["Hello."]);
    let [(_, process)] = started(&scenario)[..] else { panic!("{}", scenario.read("log")) };
    assert!(lives(process));
    let stopped = server(&scenario, &["stop", "own"]).exits(0).prints(&["`own` is stopped"]);
    assert!(!lives(process), "{}", stopped.stdout);
    server(&scenario, &["stop", "own"]).exits(0).prints(&["no `own` runs"]);
    // A first request starts it as well.
    ask(&scenario).exits(0).prints(&["Hello."]);
    let [_, (_, process)] = started(&scenario)[..] else { panic!("{}", scenario.read("log")) };
    assert!(lives(process));
    // It stays beside a command that is killed.
    scenario.write("script", "wait");
    let running =
        RunningCommand::new(&mut command(&scenario, &["chat", "--model", "mine", "--prompt", "Hello?"]));
    wait_until("the server works", || scenario.read("log").contains("reply wait"));
    running.signal(Signal::KILL);
    running.killed();
    assert!(lives(process));
    server(&scenario, &["drop", "own"]).exits(2).says(&["`[models.mine]`"]);
    server(&scenario, &["stop", "own"]).exits(0).prints(&["`own` is stopped"]);
    assert!(!lives(process));
}

#[test]
fn a_kept_server_that_never_answers_leaves_nothing() {
    let scenario = python();
    let text = scenario
        .read("user.toml")
        .replace("python3 server.py {port}", "echo loading {port}; echo $$ > log; exec sleep 1000");
    scenario.write("user.toml", text);
    set(&scenario, "keep = true\nstartup_seconds = 0");
    server(&scenario, &["start", "own"]).exits(3).says(&["did not answer within 0 s"]);
    server(&scenario, &["status"]).exits(0).prints(&["own  does not run"]);
    if scenario.has("log") && !scenario.read("log").trim().is_empty() {
        assert!(!lives(scenario.read("log").trim().parse().expect("a number")));
    }
    let ends = scenario.read("user.toml").replace("exec sleep 1000", "exit 4");
    scenario.write("user.toml", ends.replace("startup_seconds = 0", ""));
    server(&scenario, &["start", "own"]).exits(3).says(&["ended before it answered", "loading"]);
    server(&scenario, &["logs", "own"]).exits(0).prints(&["loading"]);
}

#[test]
fn a_server_of_a_dead_program_is_adopted_and_ends_with_the_next() {
    let scenario = python();
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let mut left = scenario.command("python3", &["server.py", &port.to_string()]);
    left.env("OLLAMA_HOST", format!("127.0.0.1:{port}")).process_group(0).stdout(Stdio::null());
    let mut left = left.spawn().expect("a server");
    let file = scenario.state().join("servers/own.json");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, json!({ "port": port, "process": left.id() }).to_string()).expect("a file");
    wait_until("it listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    // The first question about its health gets no 200.
    server(&scenario, &["status"]).exits(0);
    ask(&scenario).exits(0).prints(&["Hello."]);
    assert_eq!(started(&scenario).len(), 1);
    wait_until("it has ended", || left.try_wait().expect("a child").is_some());
    assert!(!file.exists());
}

#[test]
fn a_note_about_another_process_ends_nothing() {
    let scenario = python();
    let mut other = scenario.command("sleep", &["1000"]).process_group(0).spawn().expect("a process");
    let file = scenario.state().join("servers/own.json");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, json!({ "port": 9, "process": other.id() }).to_string()).expect("a file");
    server(&scenario, &["stop", "own"]).exits(0).prints(&["no `own` runs"]);
    assert!(other.try_wait().expect("a child").is_none() && !file.exists());
    kill_process_group(Pid::from_child(&other), Signal::KILL).expect("it lives");
    other.wait().expect("a child");
}

#[test]
fn a_server_that_lies_about_its_window_is_an_error_and_no_second_start() {
    let scenario = python();
    scenario.write("script", "full\nfull");
    ask(&scenario).exits(3).says(&["too long for the model"]);
    assert_eq!(started(&scenario).len(), 1);
}

#[test]
fn a_run_waits_after_a_crash_instead_of_failing() {
    let scenario = python();
    scenario.write("script", "die\ndie");
    scenario.write("loop.yaml", "goal: Greet\nagent:\n  model: mine\nevaluator:\n  command: 'true'\nguardrails:\n  max_iterations: 2\n");
    let running = RunningCommand::new(&mut command(&scenario, &["run"]));
    running.says("tried again in 1m");
    running.signal(Signal::INT);
    let ended = running.finish();
    assert_eq!(scenario.record()["stop_reason"], json!("cancelled"), "{}", ended.stderr);
    assert_eq!(started(&scenario).len(), 2);
}

#[test]
fn mining_starts_the_server_of_its_model() {
    let scenario = python();
    scenario.run(&["run", "--agent", "echo We use tabs", "--check", "false", "--max", "1"]).exits(1);
    scenario.write("script", "[]");
    let mined = RunningCommand::new(&mut command(&scenario, &["memory", "mine", "--model", "mine"])).finish();
    let starts = started(&scenario);
    assert_eq!(starts.len(), 1, "{}{}", mined.stdout, mined.stderr);
    assert!(starts.iter().all(|(_, process)| !lives(*process)));
}

#[test]
fn files_and_other_names_become_settings_and_leave_again() {
    let scenario = python();
    let (before, home) = (scenario.read("user.toml"), scenario.path("../home/Models"));
    fs::create_dir_all(&home).expect("a folder");
    for file in ["q w.gguf", "qwen2.5.Q4.llamafile"] {
        fs::write(home.join(file), "").expect("a file");
    }
    server(&scenario, &["add", "none.gguf"]).exits(2).says(&["not a model"]);
    server(&scenario, &["add", "q w.gguf"]).exits(2).says(&["without spaces"]);
    server(&scenario, &["add", "qwen2.5.Q4.llamafile"]).exits(0).prints(&["`qwen2-5-Q4` is a model"]);
    server(&scenario, &["add", "qwen2.5.Q4"]).exits(2).says(&["already have `[servers.qwen2-5-Q4]`"]);
    server(&scenario, &["alias", "gpt-4.1", "openai:gpt-4.1"])
        .exits(0)
        .prints(&["`gpt-4.1` is openai:gpt-4.1"]);
    server(&scenario, &["alias", "mine", "openai:x"]).exits(2).says(&["already have `[models.mine]`"]);
    server(&scenario, &["alias", "x", "a b"]).exits(2).says(&["user.toml"]);
    let now = scenario.read("user.toml");
    assert!(now.contains("[servers.qwen2-5-Q4]\ncommand = \"qwen2.5.Q4.llamafile\"\n"), "{now}");
    server(&scenario, &["status"]).exits(0).prints(&["qwen2-5-Q4  does not run"]);
    server(&scenario, &["drop", "qwen2-5-Q4"]).exits(0).prints(&["is removed"]);
    server(&scenario, &["drop", "gpt-4.1"]).exits(0).prints(&["is removed"]);
    server(&scenario, &["drop", "gpt-4.1"]).exits(2).says(&["neither"]);
    assert_eq!(scenario.read("user.toml"), before);
}

#[test]
fn a_session_knows_at_once_which_models_it_added() {
    let scenario = Scenario::new();
    let model = ModelServer::new([Answer::deltas(["As another."])]);
    let mut chat =
        ChatHarness::with_settings(&scenario, &model, "[models.one]\nmodel = \"openai:one\"\n", SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("/ollama alias other openai:scripted", "`other` is openai:scripted");
    chat.says("/ollama use other", "other answers from now on");
    chat.says("Hello?", "As another.");
    chat.says("/ollama drop other", "`other` is removed");
    chat.leaves();
}
