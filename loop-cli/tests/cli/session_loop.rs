//! `/loop` in a session.

use loop_testing::Answer;
use rustix::process::Signal;

use crate::{
    model_server::Server,
    seat::{CTRL_C, Seat},
    session::kept,
    support::World,
};

const SIZE: (u16, u16) = (100, 40);

fn says(text: &str) -> Answer {
    Answer::deltas([text])
}

fn seat(world: &World, server: &Server) -> Seat {
    let seat = Seat::chat(world, server, &[], SIZE);
    seat.is_asked_after("/help");
    seat
}

#[test]
fn a_prompt_is_said_again_and_again_in_one_conversation() {
    let world = World::new();
    let server = Server::new([says("one"), says("two"), says("three")]);
    let mut seat = seat(&world, &server);
    seat.says("/loop 1s --count 3 And now?", "loop finished after 3/3 iterations");
    seat.shows("session_loop");
    // Each turn is two messages.
    let requests = server.requests();
    let said = requests.last().expect("a request").body["messages"].as_array().expect("messages").len();
    let first = requests[0].body["messages"].as_array().expect("messages").len();
    assert_eq!((requests.len(), said - first), (3, 4));
    seat.leaves();
}

#[test]
fn ctrl_c_ends_it_in_an_iteration_in_a_command_and_in_the_pause() {
    let world = World::new();
    let server = Server::new([says("one"), Answer::deltas(["hal", "f"]).stalls()]);
    let mut seat = Seat::with_settings(&world, &server, "[policy]\nallow = [\"sleep\"]\n", SIZE);
    seat.is_asked_after("/help");
    seat.types("/loop 1h --count 3 And now?\r");
    seat.sees("next in 1h");
    seat.types(CTRL_C);
    seat.is_asked_after("loop cancelled after 1/3 iterations");
    seat.types("/loop 1h --count 4 And then?\r");
    seat.sees("half");
    seat.types(CTRL_C);
    seat.is_asked_after("loop cancelled after 0/4 iterations");
    seat.types("/loop 1h --count 5 /run sleep 1000\r");
    seat.sees("running");
    seat.types(CTRL_C);
    seat.is_asked_after("loop cancelled after 0/5 iterations");
    seat.shows("session_loop_cancelled");
    seat.leaves();
}

#[test]
fn words_that_leave_end_the_loop_and_not_the_session() {
    let world = World::new();
    let server = Server::new([]);
    let mut seat = seat(&world, &server);
    for (word, count) in [("/exit", 5), ("/quit", 6), ("/bye", 7), ("/EXIT", 8)] {
        seat.says(
            &format!("/loop 1ms --count {count} {word}"),
            &format!("loop stopped after 0/{count} iterations"),
        );
    }
    seat.says("/loop 1ms --count 2 /status", "loop finished after 2/2 iterations");
    // Impossible requests are rejected before anything repeats.
    for (line, said) in [
        ("/nothing", "there is no command /nothing"),
        ("/exit now", "/exit takes nothing, and here is `now`"),
        ("/", "`/` alone does nothing"),
        ("!", "`!` alone does nothing"),
        ("@", "`@` alone does nothing"),
    ] {
        seat.says(&format!("/loop 1ms --count 2 {line}"), said);
    }
    seat.says("/loop 5 m hi", "the interval `5 m` is one word: `5m`");
    for line in ["/loop 1ms x", "/ LOOP 1ms x", "/every 5m x", "/schedule at 18:00 x"] {
        seat.says(
            &format!("/loop 1ms {line}"),
            &format!("{line}\nerror: a loop that makes loops or jobs is none"),
        );
    }
    seat.says("/loop 1ms /session continue x", "a loop that goes on with another session is none");
    seat.says("/loop 1s --cuont 2 hi", "did you mean --count?");
    seat.says("/loop 5m --count 0 x", "a whole number from 1 to 100");
    seat.says("/loop check the build", "/every");
    seat.leaves();
}

#[test]
fn a_large_file_in_a_prompt_asks_nobody_anything() {
    let world = World::new();
    world.write("large.txt", "line\n".repeat(10_000));
    let server = Server::new([says("one"), says("two")]);
    let mut seat = seat(&world, &server);
    seat.says("/loop 1ms --count 2 Look at large.txt", "loop finished after 2/2 iterations");
    seat.leaves();
}

#[test]
fn words_that_are_typed_while_it_runs_end_it_too() {
    let world = World::new();
    let server =
        Server::new([says("one"), Answer::deltas(["hal", "f"]).stalls(), says("two"), says("three")]);
    let mut seat = seat(&world, &server);
    seat.types("/loop 1h --count 3 And now?\r");
    seat.sees("next in 1h");
    seat.types("/exit\r");
    seat.is_asked_after("loop cancelled after 1/3 iterations");
    seat.types("/loop 1h --count 4 And then?\r");
    seat.sees("half");
    // Input that does not end the loop is handled after it, and an incomplete line remains for editing.
    seat.types("/context add one \\\rtwo\r/QUIT\rnot yet");
    seat.is_asked_after_typing("not yet", "loop cancelled after 0/4 iterations");
    seat.sees("pinned");
    seat.types(CTRL_C);
    seat.is_asked_after("Ctrl+D leaves");
    seat.says("/context", "one\ntwo");
    // Input typed before the loop begins is not meant for it.
    seat.types("/loop 1h --count 5 Again?\r");
    seat.sees("count 5 Again?\nevery 1h");
    seat.sees("two\nscripted");
    // Ctrl+D leaves a session, and ends a loop.
    seat.types("\u{4}");
    seat.is_asked_after("loop cancelled after 1/5 iterations");
    seat.leaves();
}

#[test]
fn a_signal_leaves_no_loop_open_in_the_transcript() {
    let world = World::new();
    let server = Server::new([says("one")]);
    let mut seat = seat(&world, &server);
    seat.types("/loop 1h --count 3 And now?\r");
    seat.sees("next in 1h");
    seat.started().signal(Signal::TERM);
    seat.finish().exits(143);
    let entries = kept(&world).pop().expect("a session");
    let [.., ended, end] = &entries[..] else { panic!("{entries:#?}") };
    let ended = &ended["event"]["loop_ended"];
    assert_eq!((&ended["iterations"], &ended["how"]), (&1.into(), &"cancelled".into()), "{entries:#?}");
    assert_eq!(end["event"], "ended");
    // So no message claims that it was interrupted.
    let seat = Seat::chat(&world, &server, &["--resume"], SIZE);
    seat.is_asked_after("/help");
    assert!(!["cut off", "may be missing"].iter().any(|told| seat.page().contains(told)), "{}", seat.page());
    seat.leaves();
}
