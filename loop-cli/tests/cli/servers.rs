//! Model servers that `loop` starts, watches and ends.

use std::{fs, process::Command};

use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, Fifo, RunningCommand, Scenario, wait_until},
};

/// A program that imitates `llama-server`.
const SERVER: &str = include_str!("model_server.py");

/// The settings of a server with this command and these further keys, and of its model.
fn scenario(command: &str, keys: &str) -> Scenario {
    let scenario = Scenario::new();
    scenario.write("server.py", SERVER);
    scenario.write(
        "user.toml",
        format!(
            "[servers.own]\ncommand = \"{command}\"\n{keys}\n[models.mine]\nmodel = \"openai:mine\"\nserver = \"own\"\n"
        ),
    );
    scenario
}

pub(crate) fn python() -> Scenario {
    scenario("python3 server.py {port}", "")
}

pub(crate) fn command(scenario: &Scenario, args: &[&str]) -> Command {
    let mut command = scenario.loop_command(args);
    command.env("LOOP_CONFIG", scenario.path("user.toml"));
    command
}

const ASK: [&str; 5] = ["chat", "--model", "mine", "--prompt", "Hello?"];

pub(crate) fn ask(scenario: &Scenario) -> CommandResult {
    RunningCommand::new(&mut command(scenario, &ASK)).finish()
}

/// Returns the ports and the processes of the servers that were started.
pub(crate) fn started(scenario: &Scenario) -> Vec<(u16, i32)> {
    let log = if scenario.has("log") { scenario.read("log") } else { String::new() };
    let starts = log.lines().filter_map(|line| line.strip_prefix("start "));
    let number = |text: &str| text.parse::<i32>().expect("a number");
    starts
        .filter_map(|line| line.split_once(' '))
        .map(|(port, process)| (port.parse().expect("a port"), number(process)))
        .collect()
}

/// Returns whether a process runs. One that has ended may wait for a parent that never asks for it.
pub(crate) fn lives(process: i32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_server_starts_at_the_first_request_and_ends_with_the_command() {
    let scenario = python();
    ask(&scenario).exits(0).prints(&["Hello."]);
    let [(_, process)] = started(&scenario)[..] else { panic!("{}", scenario.read("log")) };
    assert!(!lives(process));
    assert_eq!(
        fs::read_dir(scenario.state().join("servers")).expect("a folder").count(),
        2,
        "the lock and the log"
    );
}

#[test]
fn a_server_that_dies_starts_once_more_and_the_turn_is_repeated() {
    for (event, said) in [("die", "Hello."), ("half", "Hello.")] {
        let scenario = python();
        scenario.write("script", event);
        ask(&scenario).exits(0).prints(&[said]);
        assert_eq!(started(&scenario).len(), 2, "{event}");
    }
}

#[test]
fn a_server_that_never_answers_leaves_nothing() {
    let scenario = scenario("echo $$ > log; exec sleep 1000 {port}", "startup_seconds = 0");
    ask(&scenario).exits(3).says(&["did not answer within 0 s"]);
    // It may have ended before it wrote its number.
    let number = if scenario.has("log") { scenario.read("log") } else { String::new() };
    assert!(number.trim().is_empty() || !lives(number.trim().parse().expect("a number")));
}

#[test]
fn a_server_that_ends_at_once_shows_why() {
    let scenario = scenario("echo no weights {port}; exit 4", "");
    ask(&scenario).exits(3).says(&["did not start", "no weights"]);
}

#[test]
fn a_killed_command_leaves_no_server() {
    let scenario = python();
    let fifo = scenario.fifo("held");
    scenario.write("script", "half");
    let held = format!("exec 3>{}; exec python3 server.py {{port}}", scenario.path("held").display());
    let text = scenario.read("user.toml").replace("python3 server.py {port}", &held);
    scenario.write(
        "user.toml",
        text.replace("[models.mine]", "startup_seconds = 1000\nhealth = \"/never\"\n[models.mine]"),
    );
    let running = RunningCommand::new(&mut command(&scenario, &ASK));
    wait_until("the server has started", || !started(&scenario).is_empty());
    running.signal(Signal::KILL);
    running.killed();
    Fifo::released(&fifo);
}

#[test]
fn a_project_names_no_servers() {
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[servers.own]\ncommand = \"serve {port}\"\n");
    scenario.run(&["chat", "--prompt", "Hello?"]).exits(2).says(&["only for a user's own settings"]);
}

#[test]
fn a_server_that_answers_before_is_used_and_stays() {
    let server = ModelServer::new([Answer::deltas(["From before."])]);
    server.set_page("/health", json!({ "status": "ok" }));
    let scenario = python();
    let text = scenario.read("user.toml");
    scenario.write("user.toml", format!("{text}base_url = \"{}\"\n", server.url()));
    ask(&scenario).exits(0).prints(&["From before."]);
    assert_eq!((server.requests().len(), started(&scenario).len()), (1, 0));
}

#[test]
fn the_words_for_ollama_use_its_own_interface() {
    let server = ModelServer::new([]);
    let model = json!({ "name": "qwen3:8b", "size": 5_200_000_000_u64, "size_vram": 6_000_000_000_u64 });
    server.set_page("/api/tags", json!({ "models": [model] }));
    server.set_page("/api/ps", json!({ "models": [model] }));
    server.set_page("/api/show", json!({ "details": { "family": "qwen3" }, "capabilities": ["tools"] }));
    server.set_page("/api/pull", json!({ "status": "success" }));
    server.set_page("/api/create", json!({ "error": "no such model" }));
    server.set_page("/api/push", json!({ "status": "pushing", "total": 9, "completed": 3 }));
    server.set_page("/api/copy", json!({}));
    server.set_page("/api/delete", json!({}));
    server.set_page("/api/embed", json!({ "embeddings": [[0.5, 0.5, 0.5]] }));
    let scenario = Scenario::new();
    let asked = |words: &str| {
        let words: Vec<_> = ["server"].into_iter().chain(words.split(' ')).collect();
        let mut command = scenario.loop_command(&words);
        command.env("OLLAMA_HOST", server.url()).env("OLLAMA_API_KEY", "hunter2hunter2");
        RunningCommand::new(&mut command).finish()
    };
    for (words, shown) in [
        ("list", "qwen3:8b  5200 MB"),
        ("ps", "qwen3:8b  6000 MB"),
        ("show qwen3:8b", "family: qwen3\ncapabilities: tools"),
        ("pull qwen3:8b", "success"),
        ("cp qwen3:8b mine", "mine is a copy of qwen3:8b"),
        ("rm mine", "mine is removed"),
        ("probe qwen3:8b", "an embedding has 3 numbers"),
        ("status", "Ollama  answers at"),
        ("env", "OLLAMA_API_KEY=(hidden)"),
        ("files", "no `*.llamafile`"),
    ] {
        asked(words).exits(0).prints(&[shown]);
    }
    asked("create mine none").exits(3).says(&["no such model"]);
    asked("push mine").exits(3).says(&["ended before the end of the work"]);
    asked("pul qwen3").exits(2).says(&["did you mean `pull`?"]);
    asked("pull").exits(2).says(&["pull MODEL"]);
    asked("start own").exits(2).says(&["no `[servers.own]`"]);
    asked("use own").exits(2).says(&["`--model own`"]);
    drop(server);
    scenario.run(&["server", "env"]).exits(0);
}
