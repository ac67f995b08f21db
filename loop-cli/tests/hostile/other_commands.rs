//! Work that stops its supervisors, in the commands other than `loop run`.

use std::fs;

use loop_testing::{Answer, Call};
use rustix::process::Signal;
use serde_json::Value;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    processes::is_stopped,
    support::{Fifo, RunningCommand, Scenario, wait_until},
};

/// Ends each command of a tool after a second.
const SETTINGS: &str = "[policy]\nallow = [\"./work.sh\"]\ncommand_seconds = 1\n";

/// Allows a command of a tool more time than a test takes.
const PATIENT: &str = "[policy]\nallow = [\"./work.sh\"]\ncommand_seconds = 1000\n";

/// Stops every process called `loop` above itself, up to the test's own process.
const STOPS_ALL: &str = r#"
above=$PPID
while [ "$above" -gt 1 ]; do
    case $(cat "/proc/$above/comm") in
        loop) kill -STOP "$above" ;;
        hostile*) break ;;
    esac
    above=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$above/status")
done
"#;

/// Creates a program that begins with this line of a shell, reports its PID through the pipe, and never ends.
fn working(scenario: &Scenario, begins: &str) -> Fifo {
    use std::os::unix::fs::PermissionsExt;

    scenario.write("work.sh", format!("#!/bin/sh\n{begins}\nexec 9>held; echo $$ >&9; exec sleep 1000\n"));
    fs::set_permissions(scenario.path("work.sh"), PermissionsExt::from_mode(0o755)).expect("a program");
    scenario.fifo("held")
}

/// A model that calls the program.
fn calling() -> ModelServer {
    let call = Call::new("c1", "run_command", [r#"{"command":"./work.sh"}"#]);
    ModelServer::new([Answer::calls([call]), Answer::deltas(["Done."])])
}

#[test]
fn a_command_that_stops_a_prompts_chat_keeps_its_limit() {
    let (scenario, server) = (Scenario::new(), calling());
    let work = working(&scenario, STOPS_ALL);
    scenario.write("settings.toml", SETTINGS);
    let mut chat = server.command(&scenario, &["chat", "--model", "openai:scripted", "--prompt", "Work."]);
    let chat = RunningCommand::new(chat.env("LOOP_CONFIG", scenario.path("settings.toml")));
    work.line();
    chat.finish().exits(0);
    work.released();
    assert_eq!(server.requests().len(), 2, "the model learns how the command ended");
}

#[test]
fn a_command_that_stops_a_session_keeps_its_limit() {
    let (scenario, server) = (Scenario::new(), calling());
    let work = working(&scenario, STOPS_ALL);
    let mut chat = ChatHarness::with_settings(&scenario, &server, SETTINGS, (110, 40));
    chat.wait_for_prompt_after("/help");
    chat.types("Work.\r");
    work.line();
    chat.wait_for_prompt_after("Done.");
    work.released();
    chat.leaves();
}

#[test]
fn ctrl_z_stops_a_session_and_its_command_until_the_session_continues() {
    let (scenario, server) = (Scenario::new(), calling());
    let work = working(&scenario, "");
    let mut chat = ChatHarness::with_settings(&scenario, &server, PATIENT, (110, 40));
    chat.wait_for_prompt_after("/help");
    chat.types("Work.\r");
    let command: u32 = work.line().trim().parse().expect("a PID");
    chat.types("\u{1a}");
    // The watchdog stops the command. So it has looked at the stopped session, and has not continued it.
    wait_until("the command is stopped", || is_stopped(command));
    assert!(is_stopped(chat.started().pid()));
    chat.started().signal(Signal::CONT);
    wait_until("the command continues", || !is_stopped(command));
    chat.types(CTRL_C);
    chat.wait_for_prompt_after("interrupted");
    work.released();
    chat.leaves();
}

#[test]
fn a_job_that_stops_the_scheduler_keeps_its_limit() {
    let scenario = Scenario::new();
    let work = working(&scenario, STOPS_ALL);
    let add = ["schedule", "add", "--json", "1d Work.", "--agent", "./work.sh", "--max-time", "1s"];
    let added: Value = serde_json::from_str(&scenario.run(&add).exits(0).stdout).expect("JSON");
    scenario.run(&["schedule", "fire", added["id"].as_str().expect("an id")]).exits(0);
    let started = RunningCommand::new(&mut scenario.loop_command(&["schedule", "run", "--once"]));
    work.line();
    started.finish().exits(0);
    work.released();
    assert_eq!(scenario.record()["stop_reason"], "time_exceeded");
}
