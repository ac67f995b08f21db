//! `/undo`, `/redo` and `/rewind`: the states of the folder before the turns of a session.

use crate::{chat_harness::ChatHarness, model_server::ModelServer, support::Scenario};

#[test]
fn a_session_returns_to_the_states_before_its_turns() {
    let scenario = Scenario::new();
    scenario.write("mine", "mine\n");
    let server = ModelServer::new([]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (80, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("/undo", "nothing is left to undo");
    chat.says("!echo one > n; rm mine; echo did first", "did first");
    chat.says("!echo two > n; echo did second", "did second");
    chat.says("/undo", "the state before turn 2 again (1 file modified)");
    assert_eq!(scenario.read("n"), "one\n");
    chat.says("/undo", "the state before turn 1 again");
    assert!(!scenario.has("n") && scenario.read("mine") == "mine\n");
    chat.says("/redo", "the state before turn 2 again (2 files changed");
    chat.says("/redo", "its last state again");
    assert!(scenario.read("n") == "two\n" && !scenario.has("mine"));
    chat.says("/redo", "nothing is left to redo");
    chat.says("/rewind 1", "the state before turn 1 again (2 files changed");
    assert!(!scenario.has("n") && scenario.has("mine"));
    chat.says("/rewind 9", "the turns 1 to 2");
    chat.leaves();
}

#[test]
fn redo_takes_back_all_of_a_rewind_with_the_edits_since() {
    let scenario = Scenario::new();
    let server = ModelServer::new([]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 60));
    chat.wait_for_prompt_after("/help");
    chat.says("/rewind", "has no turns yet");
    for turn in ["one", "two", "three"] {
        chat.says(&format!("!echo {turn} > {turn}; echo did {turn}"), &format!("did {turn}\n"));
    }
    let files = || ["one", "two", "three", "mine"].map(|name| scenario.has(name));
    scenario.write("mine", "edited\n");
    chat.says("/rewind 1", "the state before turn 1 again (4 files removed)");
    assert_eq!(files(), [false; 4]);
    chat.says("/redo", "its last state again (4 files added)");
    assert_eq!(files(), [true; 4]);
    chat.says("/rewind 2", "the state before turn 2 again");
    scenario.write("later", "edited\n");
    chat.says("/undo", "the state before turn 1 again");
    assert!(!scenario.has("later"));
    // Each step is taken back as it was made, with edits of the person.
    chat.says("/redo", "the state before turn 2 again");
    assert!(scenario.has("later") && files() == [true, false, false, false]);
    chat.says("/rewind", "/rewind N");
    chat.shows("rewind_lists_turns");
    chat.says("/redo", "its last state again");
    assert!(!scenario.has("later") && files() == [true; 4]);
    chat.says("/redo", "nothing is left to redo");
    // A look at the folder changes nothing.
    chat.says("/undo", "the state before turn 3 again");
    for look in ["first", "second"] {
        chat.says(&format!("!ls; echo {look} look"), &format!("{look} look\n"));
    }
    chat.says("/redo", "its last state again");
    assert_eq!(files(), [true; 4]);
    // Another course of events begins.
    chat.says("/rewind 2", "the state before turn 2 again");
    chat.says("!echo four > four; echo did four", "did four\n");
    chat.says("/redo", "nothing is left to redo");
    chat.says("/rewind 9", "the turns 1 to 2");
    chat.leaves();
}

#[test]
fn a_session_keeps_its_states_when_unused_snapshots_are_removed() {
    let scenario = Scenario::new();
    let server = ModelServer::new([]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (80, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("!echo one > n; echo did first", "did first");
    scenario.run(&["snapshots", "gc"]).exits(0);
    chat.says("/undo", "the state before turn 1 again");
    assert!(!scenario.has("n"));
    chat.leaves();
    scenario.run(&["snapshots", "gc"]).exits(0);
    let listed = scenario.run(&["snapshots", "list"]).exits(0).stdout;
    assert!(listed.lines().all(|line| line.starts_with("restore-")), "{listed}");
}
