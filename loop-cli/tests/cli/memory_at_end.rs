//! Memories that the model of a long session proposes when the session ends.

use loop_testing::{Answer, Gate};

use crate::{
    chat_harness::ChatHarness,
    memory::{memories, proposals},
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
};

const LESSON: &str = "Build with --offline";

/// Takes ten turns, and types the word that ends the session.
fn ends_after_ten_turns(
    scenario: &Scenario,
    last: Answer,
    args: &[&str],
    size: (u16, u16),
) -> (ModelServer, ChatHarness) {
    let mut answers: Vec<_> =
        (1..=10).map(|turn| Answer::deltas([format!("Reply {turn}.").as_str()])).collect();
    answers.push(last);
    let server = ModelServer::new(answers);
    let mut chat = ChatHarness::chat(scenario, &server, args, size);
    for turn in 1..=10 {
        chat.says(&format!("Always build with --offline, part {turn}."), &format!("Reply {turn}."));
    }
    chat.types("/exit\r");
    (server, chat)
}

#[test]
fn the_model_of_a_long_session_proposes_what_it_taught() {
    for size in SIZES {
        let scenario = Scenario::new();
        let lesson = proposals(&[(LESSON, "Always build with --offline, part 3.")]);
        let (server, chat) = ends_after_ten_turns(&scenario, lesson, &[], size);
        chat.sees("they count once you accept them");
        let page = chat.finish().exits(0).stderr;
        assert!(page.contains("Ctrl+C skips") && page.contains(LESSON), "{page}");
        assert_eq!(server.requests().len(), 11);
        // Nothing is known before a person says yes, and the session is not mined again.
        scenario.run(&["memory", "recall", "build"]).exits(1).says(&["nothing is known"]);
        let accepted = server.run(&scenario, &["memory", "mine", "--model", "openai:scripted", "--yes"]);
        accepted.exits(0).says(&["there is nothing new to mine"]);
        assert_eq!(memories(&scenario)[0]["summary"], LESSON);
    }
}

#[test]
fn ctrl_c_skips_it() {
    let scenario = Scenario::new();
    let held = Answer::deltas(["{", "}"]).gated(&Gate::new());
    let (_server, mut chat) = ends_after_ten_turns(&scenario, held, &[], SIZES[0]);
    chat.sees("Ctrl+C skips");
    chat.types("\x03");
    chat.sees("skipped");
    chat.finish().exits(0);
    assert!(memories(&scenario).is_empty());
}

#[test]
fn a_session_that_is_not_recorded_and_a_user_who_wants_none_are_left_alone() {
    for (settings, args) in
        [("[memory]\nenabled = true\n", &["--no-record"][..]), ("[memory]\nmine_at_end = false\n", &[])]
    {
        let scenario = Scenario::new();
        scenario.write("loop.toml", settings);
        let (server, chat) = ends_after_ten_turns(&scenario, proposals(&[]), args, SIZES[0]);
        chat.finish().exits(0);
        assert_eq!(server.requests().len(), 10, "{settings}");
    }
}

#[test]
fn the_first_recorded_session_of_a_folder_offers_a_profile() {
    let scenario = Scenario::new();
    let knowledge = scenario.state().join("knowledge");
    let ends = |args: &[&str]| {
        let server = ModelServer::new([Answer::deltas(["Reply."])]);
        let mut chat = ChatHarness::chat(&scenario, &server, args, SIZES[0]);
        chat.says("Hello?", "Reply.");
        chat.types("/exit\r");
        chat
    };
    ends(&["--no-record"]).finish().exits(0);
    assert!(!knowledge.exists(), "it leaves nothing behind");
    let chat = ends(&[]);
    chat.sees("`loop memory profile` shows how to tell models about this folder");
    chat.finish().exits(0);
    assert!(knowledge.exists(), "the next session offers nothing");
}
