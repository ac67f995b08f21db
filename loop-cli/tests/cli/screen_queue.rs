//! Input typed while a turn of `loop chat` runs.

use loop_testing::{Answer, Gate};
use rustix::process::Signal;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    screen::{SIZES, chat},
    support::{Scenario, wait_until},
};

const UP: &str = "\u{1b}[A";
const ESC: &str = "\u{1b}";
const CTRL_U: &str = "\u{15}";
const CTRL_Z: &str = "\u{1a}";

fn stalled() -> ModelServer {
    ModelServer::new([Answer::deltas(["Half. "]).stalls(), Answer::deltas(["Whole."])])
}

/// Starts a turn that waits for its model.
fn in_a_turn(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    let mut chat = chat(scenario, server, size);
    chat.types("Hello?\r");
    chat.sees("Half.");
    chat
}

#[test]
fn queued_lines_are_visible_and_can_be_taken_back() {
    for size in SIZES {
        let (scenario, gate) = (Scenario::new(), Gate::new());
        let first = Answer::deltas(["Half. ", "Whole."]).gated(&gate);
        let server = ModelServer::new([first, Answer::deltas(["Second."]), Answer::deltas(["Third."])]);
        let mut chat = in_a_turn(&scenario, &server, size);
        chat.types("the next one\rthe last one\rtyping");
        chat.sees("> the next one (queued)\n> the last one (queued)\n> typing");
        chat.types(CTRL_U);
        chat.types(UP);
        chat.types(" changed");
        chat.sees("> the next one (queued)\n> the last one changed");
        assert!(!chat.page().contains("changed (queued)"), "{}", chat.page());
        chat.types("\r");
        chat.sees("> the last one changed (queued)");
        gate.open();
        chat.wait_for_prompt_after("Third.");
        let page = chat.page();
        for part in ["> the next one\nSecond.", "> the last one changed\nThird."] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("(queued)"), "{page}");
        chat.leaves();
    }
}

#[test]
fn an_interrupted_turn_returns_the_queue_to_the_editor() {
    for size in SIZES {
        for key in [CTRL_C, ESC] {
            let (scenario, server) = (Scenario::new(), stalled());
            let mut chat = in_a_turn(&scenario, &server, size);
            chat.types("the next one\rhalf a line");
            chat.sees("> half a line");
            chat.types(key);
            chat.wait_for_typed_prompt_after("the next one", "1 more line waits behind this one");
            let page = chat.page();
            let (ended, note) = (page.find("interrupted"), page.find("1 more line waits"));
            assert!(ended.is_some() && ended < note, "{page}");
            assert_eq!(server.requests().len(), 1, "nothing is sent");
            chat.types(CTRL_C);
            chat.wait_for_typed_prompt_after("half a line", "Ctrl+D leaves");
            chat.types(CTRL_C);
            chat.wait_for_prompt_after("Ctrl+D leaves");
            chat.says("And now?", "Whole.");
            chat.leaves();
        }
    }
}

/// A line behind a command must not become a part of it.
#[test]
fn withdrawn_lines_stay_apart() {
    let (scenario, server) = (Scenario::new(), stalled());
    scenario.write("victim", "mine");
    let mut chat = in_a_turn(&scenario, &server, SIZES[0]);
    chat.types("!echo mine\rrm victim\r");
    chat.sees("> rm victim (queued)");
    chat.types(ESC);
    chat.wait_for_typed_prompt_after("!echo mine", "1 more line waits behind this one");
    chat.types("\r");
    chat.wait_for_typed_prompt_after("rm victim", "mine");
    assert!(scenario.has("victim") && server.requests().len() == 1);
    chat.types(CTRL_C);
    chat.wait_for_prompt_after("Ctrl+D leaves");
    chat.leaves();
}

/// Stops the session, continues it as `fg` does, and waits until it reads keys again.
fn suspends(chat: &mut ChatHarness) {
    chat.types(CTRL_Z);
    let stat = format!("/proc/{}/stat", chat.started().pid());
    let is_stopped = || std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T "));
    wait_until("the session is stopped", is_stopped);
    chat.started().signal(Signal::CONT);
    wait_until("the session has the terminal again", || chat.reads_each_key());
}

#[test]
fn ctrl_z_suspends_the_session_in_a_turn_and_at_the_prompt() {
    for size in SIZES {
        let (scenario, gate) = (Scenario::new(), Gate::new());
        let server = ModelServer::new([Answer::deltas(["Half. ", "Whole."]).gated(&gate)]);
        let mut chat = in_a_turn(&scenario, &server, size);
        chat.types("queued\r");
        chat.sees("(queued)");
        chat.types(UP);
        suspends(&mut chat);
        chat.sees("scripted replies");
        chat.sees("> queued");
        chat.types(CTRL_U);
        wait_until("the line is empty", || !chat.page().contains("> queued"));
        gate.open();
        chat.wait_for_prompt_after("Half. Whole.");
        chat.types("typed");
        chat.sees("> typed");
        suspends(&mut chat);
        chat.wait_for_typed_prompt_after("typed", "Half. Whole.");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("Ctrl+D leaves");
        chat.leaves();
    }
}
