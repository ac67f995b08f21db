//! `loop task` whose loops come to no good end: what they did, and what is known by then, is not lost.

use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::json;

use crate::{
    model_server::Server,
    support::{Started, World, until},
    task::{MODEL, finds, idles, json_of, replaces, run, says, told, writes},
};

fn world() -> World {
    let world = World::new();
    world.write("task.md", "Do it.\n");
    world
}

#[test]
fn what_the_last_loop_did_is_told_though_it_failed() {
    let server = Server::new([writes("a", ""), Answer::status(400)]);
    let ran = run(&server, &world(), &["task.md", "--loops", "1", "--json"]).exits(1);
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
    let (server, world) = (Server::new(script.concat()), world());
    let started = Started::new(&mut server.command(&world, &[&["task", "task.md"][..], &MODEL].concat()));
    until("the second loop", || server.requests().len() == 3);
    started.signal(Signal::KILL);
    started.killed();
    let ran = server.run(&world, &["task", "task.md", "--resume", "--json"]).exits(0);
    assert_eq!(json_of(&ran)["files"]["written"], json!(["a"]));
    for request in [3, 4] {
        assert!(told(&server, request).contains("Files written: a\n"), "{}", told(&server, request));
    }
}

#[test]
fn a_loop_that_was_called_off_does_not_count_and_what_it_did_is_known() {
    for again in [&["task", "task.md", "--resume", "--json"][..], &["resume"]] {
        let script =
            [vec![writes("a", ""), says("And now").stalls()], vec![idles()], finds(&[], "").to_vec()];
        let (server, world) = (Server::new(script.concat()), world());
        let args = [&["task", "task.md", "--loops", "1", "--json"][..], &MODEL].concat();
        let started = Started::new(&mut server.command(&world, &args));
        until("the second request", || server.requests().len() == 2);
        started.signal(Signal::INT);
        let ran = started.finish().exits(130);
        assert_eq!(json_of(&ran)["files"]["written"], json!(["a"]));
        let id = json_of(&ran)["run_id"].as_str().expect("an id").to_owned();
        let named = if again.len() == 1 { [again, &[id.as_str()]].concat() } else { again.to_vec() };
        let ran = server.run(&world, &named).exits(0).says(&["nothing pending after 2 loops"]);
        if again.len() > 1 {
            assert_eq!(json_of(&ran)["files"]["written"], json!(["a"]));
        }
        for request in [2, 3] {
            assert!(told(&server, request).contains("Files written: a\n"), "{}", told(&server, request));
        }
    }
}

#[test]
fn what_a_review_found_stays_until_another_one_finds_something_out() {
    for bad in [vec![Answer::status(400)], vec![idles(), says("Hm.")], vec![idles(), Answer::status(400)]] {
        let found = [vec![idles()], finds(&["item-a"], "").to_vec(), bad.clone()].concat();
        let server = Server::new(found.clone());
        let ran = run(&server, &world(), &["task.md", "--loops", "2", "--json"]).exits(1);
        assert_eq!(json_of(&ran)["pending"], json!(["item-a"]));

        let server = Server::new([found, vec![idles()], finds(&[], "").to_vec()].concat());
        run(&server, &world(), &["task.md", "--loops", "3"]).exits(0);
        for request in [3 + bad.len(), 4 + bad.len()] {
            assert!(told(&server, request).contains("- item-a\n"), "{}", told(&server, request));
        }
    }
}

#[test]
fn what_an_agent_says_is_shown_to_its_end() {
    let server = Server::new(
        [vec![says("line one\nlast words")], vec![says("Hm."), says("STATUS: COMPLETE")]].concat(),
    );
    let ran = run(&server, &world(), &["task.md", "--verbose"]).exits(0);
    ran.says(&["│ line one\n", "│ last words\n", "│ Hm.\n", "│ STATUS: COMPLETE\n"]);
}

#[test]
fn a_log_is_made_before_the_run_and_can_be_looked_at() {
    let (server, world) = (Server::new([says("\u{1b}[2Jall \u{202e}done\nSTATUS: COMPLETE")]), world());
    run(&server, &world, &["task.md", "--log", "no/where"]).exits(2).says(&["--log no/where"]);
    assert!(world.run(&["runs", "--json"]).exits(0).stdout.is_empty());
    run(&server, &world, &["task.md", "--log", "log"]).exits(0);
    let log = world.read("log");
    assert!(log.contains("\nall done\nSTATUS: COMPLETE\n") && !log.contains('\u{1b}'), "{log:?}");
}

#[test]
fn a_task_whose_text_is_rewritten_is_told_of() {
    let world = world();
    let rewrites = replaces(&world, "task.md", "Nothing.\n");
    let server = Server::new([vec![rewrites, idles()], finds(&[], "").to_vec()].concat());
    run(&server, &world, &["task.md"]).exits(0).says(&["the text of task.md has changed since"]);
    assert!(told(&server, 2).contains("The text of the task has changed since"), "{}", told(&server, 2));
}

#[test]
fn a_run_whose_command_held_a_secret_says_why_it_cannot_go_on() {
    let world = world();
    let agent = "false; : sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let args = ["task", "task.md", "--agent", agent, "--review-agent", "false", "--loops", "1"];
    world.run(&args).exits(1);
    let ran = world.run(&["task", "task.md", "--resume", "--loops", "2"]).exits(2);
    ran.says(&["lacks a secret that stood in a command: begin a new run"]);
}

#[test]
fn a_folder_that_is_not_there_is_named_by_its_own_flag() {
    let ran = world().run(&["task", "task.md", "--workdir", "nope"]).exits(2).says(&["--workdir nope"]);
    assert!(!ran.stderr.contains("--cwd"), "{}", ran.stderr);
}
