//! `/loop` in a session.

use loop_testing::Answer;
use rustix::process::Signal;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    screen::SIZES,
    session::transcript_entries,
    support::Scenario,
};

fn says(text: &str) -> Answer {
    Answer::deltas([text])
}

fn chat(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    let chat = ChatHarness::chat(scenario, server, &[], size);
    chat.wait_for_prompt_after("/help");
    chat
}

#[test]
fn a_prompt_is_said_again_and_again_in_one_conversation() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("one"), says("two"), says("three")]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("/loop 1s --count 3 And now?", "loop finished after 3/3 iterations");
        chat.shows(&format!("session_loop_{}", size.0));
        // Each turn is two messages.
        let requests = server.requests();
        let said = requests.last().expect("a request").body["messages"].as_array().expect("messages").len();
        let first = requests[0].body["messages"].as_array().expect("messages").len();
        assert_eq!((requests.len(), said - first), (3, 4));
        chat.leaves();
    }
}

#[test]
fn ctrl_c_ends_it_in_an_iteration_in_a_command_and_in_the_pause() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("one"), Answer::deltas(["hal", "f"]).stalls()]);
        let mut chat =
            ChatHarness::with_settings(&scenario, &server, "[policy]\nallow = [\"sleep\"]\n", size);
        chat.wait_for_prompt_after("/help");
        chat.types("/loop 1h --count 3 And now?\r");
        chat.sees("next in 1h");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("loop cancelled after 1/3 iterations");
        chat.types("/loop 1h --count 4 And then?\r");
        chat.sees("half");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("loop cancelled after 0/4 iterations");
        chat.types("/loop 1h --count 5 /run sleep 1000\r");
        chat.sees("running");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("loop cancelled after 0/5 iterations");
        chat.shows(&format!("session_loop_cancelled_{}", size.0));
        chat.leaves();
    }
}

#[test]
fn words_that_leave_end_the_loop_and_not_the_session() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([]);
        let mut chat = chat(&scenario, &server, size);
        for (word, count) in [("/exit", 5), ("/quit", 6), ("/bye", 7), ("/EXIT", 8)] {
            chat.says(
                &format!("/loop 1ms --count {count} {word}"),
                &format!("loop stopped after 0/{count} iterations"),
            );
        }
        chat.says("/loop 1ms --count 2 /status", "loop finished after 2/2 iterations");
        // Impossible requests are rejected before anything repeats.
        for (line, said) in [
            ("/nothing", "there is no command /nothing"),
            ("/exit now", "/exit takes no arguments, but got `now`"),
            ("/", "`/` alone does nothing"),
            ("!", "`!` alone does nothing"),
            ("@", "`@` alone does nothing"),
        ] {
            chat.says(&format!("/loop 1ms --count 2 {line}"), said);
        }
        chat.says("/loop 5 m hi", "the interval `5 m` is one word: `5m`");
        for line in ["/loop 1ms x", "/ LOOP 1ms x", "/every 5m x", "/schedule at 18:00 x"] {
            chat.says(
                &format!("/loop 1ms {line}"),
                &format!("{line}\nerror: a loop cannot create loops or jobs"),
            );
        }
        chat.says("/loop 1ms /session continue x", "a loop cannot switch to another session: switch first");
        chat.says("/loop 1s --cuont 2 hi", "did you mean --count?");
        chat.says("/loop 5m --count 0 x", "a whole number from 1 to 100");
        chat.says("/loop check the build", "/every");
        chat.leaves();
    }
}

#[test]
fn a_large_file_in_a_prompt_asks_nobody_anything() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("large.txt", "line\n".repeat(10_000));
        let server = ModelServer::new([says("one"), says("two")]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("/loop 1ms --count 2 Look at large.txt", "loop finished after 2/2 iterations");
        chat.leaves();
    }
}

#[test]
fn words_that_are_typed_while_it_runs_end_it_too() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([
            says("one"),
            Answer::deltas(["hal", "f"]).stalls(),
            says("two"),
            says("three"),
        ]);
        let mut chat = chat(&scenario, &server, size);
        chat.types("/loop 1h --count 3 And now?\r");
        chat.sees("next in 1h");
        chat.types("/exit\r");
        chat.wait_for_prompt_after("loop cancelled after 1/3 iterations");
        chat.types("/loop 1h --count 4 And then?\r");
        chat.sees("half");
        // Input that does not end the loop is handled after it, and an incomplete line remains for editing.
        chat.types("/context add one \\\rtwo\r/QUIT\rnot yet");
        chat.wait_for_typed_prompt_after("not yet", "loop cancelled after 0/4 iterations");
        chat.sees("pinned");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("Ctrl+D leaves");
        chat.says("/context show", "one\ntwo");
        // Input typed before the loop begins is not meant for it.
        chat.types("/loop 1h --count 5 Again?\r");
        chat.sees("count 5 Again?\nevery 1h");
        chat.sees("two\nscripted");
        // Ctrl+D leaves a session, and ends a loop.
        chat.types("\u{4}");
        chat.wait_for_prompt_after("loop cancelled after 1/5 iterations");
        chat.leaves();
    }
}

#[test]
fn a_signal_leaves_no_loop_open_in_the_transcript() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("one")]);
        let mut chat = chat(&scenario, &server, size);
        chat.types("/loop 1h --count 3 And now?\r");
        chat.sees("next in 1h");
        chat.started().signal(Signal::TERM);
        chat.finish().exits(143);
        let entries = transcript_entries(&scenario).pop().expect("a session");
        let [.., ended, end] = &entries[..] else { panic!("{entries:#?}") };
        let ended = &ended["event"]["loop_ended"];
        assert_eq!((&ended["iterations"], &ended["how"]), (&1.into(), &"cancelled".into()), "{entries:#?}");
        assert_eq!(end["event"], "ended");
        // So no message claims that it was interrupted.
        let chat = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        chat.wait_for_prompt_after("/help");
        assert!(
            !["cut off", "may be missing"].iter().any(|told| chat.page().contains(told)),
            "{}",
            chat.page()
        );
        chat.leaves();
    }
}

#[test]
fn lines_typed_in_a_pause_are_shown_as_a_queue_and_return_to_the_editor() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("one")]);
        let mut chat = chat(&scenario, &server, size);
        chat.types("/loop 1h --count 3 And now?\r");
        chat.sees("waiting for the next iteration");
        chat.types("hello\rand th");
        chat.sees("> hello (queued)\n> and th");
        chat.types("\u{3}");
        chat.sees("loop cancelled after 1/3 iterations");
        chat.sees("> hello");
        assert_eq!(server.requests().len(), 1);
        chat.types("\u{15}");
        chat.leaves();
    }
}
