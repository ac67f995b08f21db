//! The destinations of messages.

use std::{fs, io, process::Stdio};

use loop_testing::Answer;
use serde_json::Value;

use crate::{
    model_server::ModelServer,
    support::{Manifest, RunningCommand, Scenario, StreamReader},
    terminal::Terminal,
};

/// Creates a scenario with a loop that takes two iterations.
fn twice() -> Scenario {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("echo noise; echo x >> work", "test $(wc -l < work) -ge 2"));
    scenario
}

#[test]
fn results_go_to_standard_output_and_all_else_to_standard_error() {
    let ran = twice().run(&["run", "loop.json"]).exits(0).says(&[
        "iteration 2 of 3",
        "goal_met",
        "unknown",
        "next",
    ]);
    assert_eq!(ran.stdout, "");
    assert!(!ran.stderr.contains('\u{1b}'), "no colours where there is no terminal");
}

#[test]
fn the_record_alone_goes_to_standard_output_as_one_line() {
    let scenario = twice();
    let ran = scenario.run(&["run", "loop.json", "--json"]).exits(0);
    assert_eq!(ran.stdout.matches('\n').count(), 1);
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap(), scenario.record());
}

#[test]
fn quiet_says_nothing_but_errors() {
    let scenario = twice();
    let ran = scenario.run(&["run", "loop.json", "--quiet"]).exits(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let warned = Manifest::new("true", "false").set("agent.prompt", "{gaol}");
    scenario.write("warned.json", warned.0.to_string());
    let ran = scenario.run(&["run", "warned.json", "--quiet"]).exits(1);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    scenario.write("wrong.json", Manifest::new("", "true").0.to_string());
    scenario.run(&["run", "wrong.json", "--quiet"]).exits(2).says(&["agent.command"]);
}

#[test]
fn quiet_still_says_why_nothing_could_be_done() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("test -e . && no-such-program-here", "true"));
    let ran = scenario.run(&["run", "loop.json", "--quiet", "--json"]).exits(1);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran.says(&["error: agent_unavailable", "no-such-program-here"]);
}

#[test]
fn an_agent_that_prints_faster_than_anyone_reads_is_held_to_its_time() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("yes", "false").set("guardrails.max_seconds", 0.5);
    scenario.run_manifest(&manifest).exits(1).says(&["time_exceeded"]);
    let seconds = scenario.record()["elapsed_seconds"].as_f64().expect("a number");
    assert!(seconds < 20.0, "the limit was noticed after {seconds} s");
}

/// Returns the standard error of a run that shows this many numbered lines, and whose reader starts only after all are
/// printed.
fn read_late(lines: u32) -> String {
    let scenario = Scenario::new();
    let (printed, go) = (scenario.fifo("printed"), scenario.path("go"));
    let agent = format!("seq {lines}; echo all > printed; until test -e go; do sleep 0.01; done");
    scenario.manifest(&Manifest::new(&agent, "true"));
    let (reader, writer) = io::pipe().expect("a pipe");
    let mut command = scenario.loop_command(&["run", "loop.json", "--show-output"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(writer);
    let started = RunningCommand::as_it_is(&mut command);
    // The command object holds the last write end of the pipe.
    drop(command);
    printed.line();
    let mut heard = StreamReader::new(Some(reader));
    fs::write(go, "").expect("a file");
    started.finish().exits(0);
    heard.whole()
}

/// Returns the numbers in the lines of output.
fn numbers(shown: &str) -> Vec<u32> {
    shown.lines().filter_map(|line| line.trim_start().strip_prefix("│ ")?.parse().ok()).collect()
}

#[test]
fn who_reads_late_misses_nothing() {
    let shown = read_late(100_000);
    assert!(numbers(&shown).into_iter().eq(1..=100_000) && !shown.contains("are not shown"));
}

#[test]
fn who_reads_too_late_is_told_what_they_miss_and_sees_the_end() {
    let shown = read_late(1_000_000);
    let numbers = numbers(&shown);
    assert!(numbers.first() == Some(&1) && numbers.is_sorted() && numbers.len() < 1_000_000);
    let (before, after) = shown.split_once("bytes are not shown").expect("a notice");
    assert!(before.starts_with("iteration 1 of 3") && after.contains("agent  done"), "{after}");
    assert!(after.contains("goal_met"), "{after}");
}

#[test]
fn quiet_and_json_go_together() {
    let ran = twice().run(&["run", "loop.json", "--quiet", "--json"]).exits(0);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""));
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let scenario = twice();
    let coloured = Terminal::live(&scenario, &["run", "loop.json"], (80, 24), true).finish().exits(0);
    assert!(coloured.stderr.contains("\u{1b}[1m\u{1b}[32m"));
    let plain = Terminal::with(&scenario, &["run", "loop.json"], |_| {});
    assert!(!plain.finish().exits(0).stderr.contains('\u{1b}'));
}

/// Returns a pipe without a reader.
fn closed() -> Stdio {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn a_pipe_that_nobody_reads_is_no_error() {
    for args in [
        &["run", "loop.json", "--json"][..],
        &["run", "loop.json", "--dry-run"],
        &["check", "loop.json"],
        &["--help"],
    ] {
        let scenario = twice();
        let mut command = scenario.loop_command(args);
        command.stdin(Stdio::null()).stdout(closed()).stderr(closed());
        let ran = RunningCommand::as_it_is(&mut command).finish().exits(0);
        assert_eq!(ran.stderr, "");
        if args.contains(&"--json") {
            assert_eq!(scenario.record()["success"], true);
        }
    }
}

#[test]
fn a_result_that_cannot_be_written_is_pointed_out() {
    let scenario = twice();
    let mut command = scenario.loop_command(&["run", "loop.json", "--json", "--quiet"]);
    let full = fs::File::options().write(true).open("/dev/full").expect("a disk that is full");
    command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
    RunningCommand::as_it_is(&mut command)
        .finish()
        .exits(3)
        .says(&["warning: standard output cannot be written"]);
    assert_eq!(scenario.record()["success"], true);
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    for args in [
        &["chat", "--model", "openai:gpt-5", "--prompt", "hi"][..],
        &["chat", "--model", "openai:gpt-5", "--prompt", "hi", "--json"],
    ] {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["It is done."])]);
        let full = fs::File::options().write(true).open("/dev/full").expect("a disk that is full");
        let mut command = server.command(&scenario, args);
        command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
        RunningCommand::as_it_is(&mut command).finish().exits(3).says(&["standard output cannot be written"]);
    }
}

#[test]
fn what_an_agent_prints_does_not_steer_the_terminal() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "printf 'x\\033[2J\\033]0;title\\007y\\n'; exit 1");
    let ran = scenario.run_manifest(&manifest).exits(1).says(&["xy"]);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{7}'));
}
