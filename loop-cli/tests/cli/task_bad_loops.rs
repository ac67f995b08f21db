//! `loop task` with loops that end badly: their work, and the usage known so far, is not lost.

use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{RunningCommand, Scenario, wait_until},
    task::{MODEL, finds, idles, json_of, replaces, run, says, sent_to_model, writes},
};

fn scenario() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    scenario
}

#[test]
fn what_the_last_loop_did_is_told_though_it_failed() {
    let server = ModelServer::new([writes("a", ""), Answer::status(400)]);
    let ran = run(&server, &scenario(), &["task.md", "--max", "1", "--json"]).exits(1);
    let outcome = json_of(&ran);
    assert_eq!(outcome["files"]["written"], json!(["a"]), "{outcome}");
    assert!(outcome["message"].as_str().is_some_and(|why| why.contains("400")), "{outcome}");
    ran.says(&["1 file written", "400"]);
}

#[test]
fn what_a_loop_did_that_failed_is_known_after_a_resumption_too() {
    let script = [
        vec![writes("a", ""), Answer::status(400), says("Let me see").stalls()],
        vec![idles()],
        finds(&[], "").to_vec(),
    ];
    let (server, scenario) = (ModelServer::new(script.concat()), scenario());
    let started =
        RunningCommand::new(&mut server.command(&scenario, &[&["task", "task.md"][..], &MODEL].concat()));
    wait_until("the second loop", || server.requests().len() == 3);
    started.signal(Signal::KILL);
    started.killed();
    let ran = server.run(&scenario, &["task", "task.md", "--resume", "--json"]).exits(0);
    assert_eq!(json_of(&ran)["files"]["written"], json!(["a"]));
    for request in [3, 4] {
        assert!(
            sent_to_model(&server, request).contains("Files written: a\n"),
            "{}",
            sent_to_model(&server, request)
        );
    }
}

#[test]
fn a_loop_that_was_called_off_does_not_count_and_what_it_did_is_known() {
    for again in [&["task", "task.md", "--resume", "--json"][..], &["resume"]] {
        let script =
            [vec![writes("a", ""), says("And now").stalls()], vec![idles()], finds(&[], "").to_vec()];
        let (server, scenario) = (ModelServer::new(script.concat()), scenario());
        let args = [&["task", "task.md", "--max", "1", "--json"][..], &MODEL].concat();
        let started = RunningCommand::new(&mut server.command(&scenario, &args));
        wait_until("the second request", || server.requests().len() == 2);
        started.signal(Signal::INT);
        let ran = started.finish().exits(130);
        assert_eq!(json_of(&ran)["files"]["written"], json!(["a"]));
        let id = json_of(&ran)["run_id"].as_str().expect("an id").to_owned();
        let named = if again.len() == 1 { [again, &[id.as_str()]].concat() } else { again.to_vec() };
        let ran = server.run(&scenario, &named).exits(0).says(&["nothing pending after 2 iterations"]);
        if again.len() > 1 {
            assert_eq!(json_of(&ran)["files"]["written"], json!(["a"]));
        }
        for request in [2, 3] {
            assert!(
                sent_to_model(&server, request).contains("Files written: a\n"),
                "{}",
                sent_to_model(&server, request)
            );
        }
    }
}

#[test]
fn what_a_review_found_stays_until_another_one_finds_something_out() {
    for bad in [vec![Answer::status(400)], vec![idles(), says("Hm.")], vec![idles(), Answer::status(400)]] {
        let found = [vec![idles()], finds(&["item-a"], "").to_vec(), bad.clone()].concat();
        let server = ModelServer::new(found.clone());
        let ran = run(&server, &scenario(), &["task.md", "--max", "2", "--json"]).exits(1);
        assert_eq!(json_of(&ran)["pending"], json!(["item-a"]));

        let server = ModelServer::new([found, vec![idles()], finds(&[], "").to_vec()].concat());
        run(&server, &scenario(), &["task.md", "--max", "3"]).exits(0);
        for request in [3 + bad.len(), 4 + bad.len()] {
            assert!(
                sent_to_model(&server, request).contains("- item-a\n"),
                "{}",
                sent_to_model(&server, request)
            );
        }
    }
}

#[test]
fn what_an_agent_says_is_shown_to_its_end() {
    let server = ModelServer::new(
        [vec![says("line one\nlast words")], vec![says("Hm."), says("STATUS: COMPLETE")]].concat(),
    );
    let ran = run(&server, &scenario(), &["task.md", "--verbose"]).exits(0);
    ran.says(&["│ line one\n", "│ last words\n", "│ Hm.\n", "│ STATUS: COMPLETE\n"]);
}

#[test]
fn a_log_is_made_before_the_run_and_can_be_looked_at() {
    let (server, scenario) =
        (ModelServer::new([says("\u{1b}[2Jall \u{202e}done\nSTATUS: COMPLETE")]), scenario());
    run(&server, &scenario, &["task.md", "--log", "no/where"]).exits(2).says(&["--log no/where"]);
    assert!(scenario.run(&["runs", "--json"]).exits(0).stdout.is_empty());
    run(&server, &scenario, &["task.md", "--log", "log"]).exits(0);
    let log = scenario.read("log");
    assert!(log.contains("\nall done\nSTATUS: COMPLETE\n") && !log.contains('\u{1b}'), "{log:?}");
}

#[test]
fn a_task_whose_text_is_rewritten_is_reported() {
    let scenario = scenario();
    let rewrites = replaces(&scenario, "task.md", "Nothing.\n");
    let server = ModelServer::new([vec![rewrites, idles()], finds(&[], "").to_vec()].concat());
    run(&server, &scenario, &["task.md"]).exits(0).says(&["the text of task.md has changed since"]);
    assert!(
        sent_to_model(&server, 2).contains("The text of the task has changed since"),
        "{}",
        sent_to_model(&server, 2)
    );
}

#[test]
fn a_run_whose_command_held_a_secret_says_why_it_cannot_go_on() {
    let scenario = scenario();
    let agent = "false; : sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let args = ["task", "task.md", "--agent", agent, "--review-agent", "false", "--max", "1"];
    scenario.run(&args).exits(1);
    let ran = scenario.run(&["task", "task.md", "--resume", "--max", "2"]).exits(2);
    ran.says(&["lacks a secret that was in a command: start a new run"]);
}

#[test]
fn a_folder_that_is_not_there_is_named_by_its_own_flag() {
    let ran = scenario().run(&["task", "task.md", "--workdir", "nope"]).exits(2).says(&["--workdir nope"]);
    assert!(!ran.stderr.contains("--cwd"), "{}", ran.stderr);
}
