//! The logs of a task's phases: `.loop/task/execution.toml` and `review.toml`.

use std::{fs, os::unix::fs::symlink};

use rustix::process::Signal;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, RunningCommand, Scenario, wait_until},
    task::{calls, finds, idles, read_toml, run, says, writes},
    task_agents::reviewer,
};

/// Returns the events of a log, each with its call, its arguments, its outcome and its exit code.
fn events(scenario: &Scenario, name: &str) -> Vec<(String, String, String, Option<i64>)> {
    let log = read_toml(scenario, name);
    let events = log.get("event").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let times: Vec<_> =
        events.iter().map(|event| event["time"].as_str().expect("a time").to_owned()).collect();
    assert!(times.is_sorted() && times.iter().all(|time| time.ends_with('Z')), "{times:?}");
    let text = |event: &toml::Value, key: &str| {
        event.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let exit_code = |event: &toml::Value| event.get("exit_code").and_then(toml::Value::as_integer);
    let event =
        |event| (text(event, "call"), text(event, "arguments"), text(event, "outcome"), exit_code(event));
    events.iter().map(event).collect()
}

fn event(
    call: &str,
    arguments: &str,
    outcome: &str,
    exit_code: Option<i64>,
) -> (String, String, String, Option<i64>) {
    (call.to_owned(), arguments.to_owned(), outcome.to_owned(), exit_code)
}

fn command_task(scenario: &Scenario, agent: &str, review: &str) -> CommandResult {
    scenario.write("task.md", "---\nchecks: [test -e done]\n---\nDo it.\n");
    scenario.run(&["task", "task.md", "--agent", agent, "--review-agent", review])
}

#[test]
fn the_calls_of_models_are_events_in_order() {
    let long = "y".repeat(500);
    let script = [
        vec![
            writes("a.txt", &long),
            calls("run_command", &json!({ "command": "grep x a.txt" })),
            calls("run_command", &json!({ "command": "rm -rf x" })),
            calls("read_file", &json!({ "path": "none" })),
            idles(),
        ],
        finds(&[], "").to_vec(),
    ];
    let (server, scenario) = (ModelServer::new(script.concat()), Scenario::new());
    scenario.write("task.md", "---\nchecks: ['exit 0']\n---\nDo it.\n");
    run(&server, &scenario, &["task.md"]).exits(0);
    let log = read_toml(&scenario, "execution");
    assert_eq!((log["loop"].as_integer(), log["phase"].as_str()), (Some(1), Some("execution")));
    assert_eq!(log["run_id"], read_toml(&scenario, "run")["run_id"]);
    let cut = format!(r#"{{"path":"a.txt","content":"{}…"#, "y".repeat(199 - 27));
    let expected = [
        event("write_file", &cut, "done", None),
        event("run_command", r#"{"command":"grep x a.txt"}"#, "done", Some(1)),
        event("run_command", r#"{"command":"rm -rf x"}"#, "rejected", None),
        event("read_file", r#"{"path":"none"}"#, "failed", None),
        event("reply", "", "done", None),
    ];
    assert_eq!(events(&scenario, "execution"), expected);
    let rejected = log["event"][2]["message"].as_str().expect("a reason");
    assert!(rejected.contains("`rm`"), "{rejected}");
    let review: Vec<_> =
        events(&scenario, "review").into_iter().map(|(call, _, outcome, _)| (call, outcome)).collect();
    let done = |call: &str, outcome: &str| (call.to_owned(), outcome.to_owned());
    let expected =
        [done("check", "done"), done("give_verdict", "done"), done("reply", "done"), done("verdict", "pass")];
    assert_eq!(review, expected);
}

#[test]
fn commands_checks_and_verdicts_are_events_and_the_next_phase_writes_over_them() {
    let scenario = Scenario::new();
    let agent = "cat >/dev/null; [ $LOOP_ITERATION = 1 ] && exit 7; touch done; echo I did it.";
    let review = reviewer(r#"$([ -e done ] || echo '"do it"')"#);
    command_task(&scenario, agent, &review).exits(0).says(&["nothing pending after 2 iterations"]);
    let log = read_toml(&scenario, "execution");
    assert_eq!((log["loop"].as_integer(), log["agent"].as_str()), (Some(2), Some(agent)));
    assert_eq!(
        events(&scenario, "execution"),
        [event("command", agent, "done", Some(0)), event("reply", "", "done", None)]
    );
    assert_eq!(log["event"][1]["message"].as_str(), Some("I did it.\n"));
    let review_events = events(&scenario, "review");
    assert_eq!(review_events[0], event("check", "test -e done", "done", Some(0)));
    assert_eq!(
        (review_events.len(), review_events[1].0.as_str(), review_events[1].3),
        (4, "command", Some(0))
    );
    assert_eq!(review_events[3], event("verdict", "", "pass", None));
}

#[test]
fn a_failed_command_and_a_failed_check_have_their_exit_codes() {
    let scenario = Scenario::new();
    scenario.write("task.md", "---\nchecks: ['exit 4']\n---\nDo it.\n");
    let args = ["task", "task.md", "--agent", "exit 3", "--review-agent", "true", "--max", "1"];
    scenario.run(&args).exits(1);
    assert_eq!(events(&scenario, "execution")[0], event("command", "exit 3", "failed", Some(3)));
    assert_eq!(events(&scenario, "review")[0], event("check", "exit 4", "failed", Some(4)));
    assert_eq!(read_toml(&scenario, "execution")["event"][0]["message"].as_str(), Some("exited with 3"));
}

#[test]
fn a_killed_loop_leaves_what_had_happened() {
    let script = vec![writes("half", "x"), says("And now").stalls()];
    let (server, scenario) = (ModelServer::new(script), Scenario::new());
    scenario.write("task.md", "Do it.\n");
    let args = ["task", "task.md", "--model", "openai:scripted"];
    let started = RunningCommand::new(&mut server.command(&scenario, &args));
    wait_until("the second request", || server.requests().len() == 2);
    started.signal(Signal::KILL);
    started.killed();
    let written = event("write_file", r#"{"path":"half","content":"x"}"#, "done", None);
    assert_eq!(events(&scenario, "execution"), [written]);

    // A stream is read while the agent works, and a call without an end has no outcome.
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let used = |id: &str, command: &str| {
        json!({ "type": "assistant", "message": { "id": id, "role": "assistant", "model": "m", "content": [
            { "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }] } })
    };
    let ended = json!({ "type": "user", "message": { "content": [
        { "type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "Exit code 2\nno" }] } });
    scenario.write("stream", format!("{}\n{ended}\n{}\n", used("t1", "make"), used("t2", "sleep 1000")));
    scenario.write("bin/claude", "#!/bin/sh\ncat > /dev/null; cat stream; sleep 1000\n");
    std::process::Command::new("chmod")
        .arg("+x")
        .arg(scenario.path("bin/claude"))
        .status()
        .expect("chmod runs");
    let path = format!("{}:{}", scenario.path("bin").display(), std::env::var("PATH").expect("a path"));
    let agent = "claude -p --output-format stream-json --verbose";
    let args = ["task", "task.md", "--agent", agent, "--review-agent", "true"];
    let started = RunningCommand::new(scenario.loop_command(&args).env("PATH", path));
    let log = || fs::read_to_string(scenario.path(".loop/task/execution.toml")).unwrap_or_default();
    wait_until("the last call", || log().contains("sleep 1000\"}"));
    let expected = [
        event("command", agent, "", None),
        event("Bash", r#"{"command":"make"}"#, "failed", Some(2)),
        event("Bash", r#"{"command":"sleep 1000"}"#, "", None),
    ];
    assert_eq!(events(&scenario, "execution"), expected);
    started.signal(Signal::KILL);
    started.killed();
    assert_eq!(events(&scenario, "execution"), expected);
}

#[test]
fn a_secret_in_an_argument_is_nowhere_in_a_log() {
    let key = format!("sk-ant-api03-{}", "A".repeat(40));
    let script = [
        calls("run_command", &json!({ "command": format!("grep {} {key} a", "x".repeat(160)) })),
        says("STATUS: COMPLETE"),
    ];
    let (server, scenario) = (ModelServer::new(script), Scenario::new());
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md"]).exits(0);
    let log = scenario.read(".loop/task/execution.toml");
    assert!(!log.contains("sk-ant") && log.contains("[redacted"), "{log}");
}

/// The system's limit on file sizes simulates a full disk: the log of a thousand calls is longer.
#[test]
fn a_log_that_cannot_be_written_is_a_warning_and_stays_valid() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let reads = (0..1000).map(|id| {
        let message = json!({ "content": [
            { "type": "tool_use", "id": id.to_string(), "name": "Read", "input": { "file_path": "task.md" } }] });
        format!("{}\n", json!({ "type": "assistant", "message": message }))
    });
    scenario.write("stream", reads.collect::<String>());
    let agent = "claude() { cat stream; }; claude -p --output-format stream-json --verbose";
    let script = r#"trap '' XFSZ; ulimit -f 64; exec "$0" "$@""#;
    let args = ["task", "task.md", "--agent", agent, "--review-agent", &reviewer("")];
    let mut command =
        scenario.command("sh", &[&["-c", script, env!("CARGO_BIN_EXE_loop")], &args[..]].concat());
    let ran = RunningCommand::new(&mut command).finish();
    ran.says(&["cannot write the files for you in .loop/task", "free space on its disk"]);
    let written = events(&scenario, "execution").len();
    assert!((100..1000).contains(&written), "{written}");
}

#[test]
fn links_in_the_place_of_a_log_lead_nowhere() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    scenario.write("precious", "mine\n");
    fs::create_dir_all(scenario.path(".loop/task")).expect("a folder");
    let log = scenario.path(".loop/task/execution.toml");
    symlink(scenario.path("precious"), &log).expect("a link");
    // The agent replaces the open log by a link, and by a second name of another file.
    let agent =
        "ln -sf ../../precious .loop/task/execution.toml; ln -f precious .loop/task/review.toml; echo Hm.";
    scenario.run(&["task", "task.md", "--agent", agent, "--review-agent", &reviewer("")]).exits(0);
    assert_eq!(scenario.read("precious"), "mine\n");
    assert_eq!(read_toml(&scenario, "review")["phase"].as_str(), Some("review"));
}
