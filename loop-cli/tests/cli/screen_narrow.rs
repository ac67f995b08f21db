//! A terminal that becomes narrower and wider again, while `loop chat` shows each of its parts.

use loop_testing::{Answer, Call, Gate};

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    screen::chat,
    support::{Scenario, wait_until_shown},
};

const CTRL_U: &str = "\u{15}";

const WIDE: (u16, u16) = (120, 40);

/// The sizes after that, in turn.
const SIZES: [(u16, u16); 5] = [(80, 24), (53, 24), (31, 20), (80, 24), (120, 40)];

/// Waits until each of these parts is on the screen once, in this order, and nothing but `last` follows.
fn shows_once(chat: &ChatHarness, parts: &[&str], last: &str) {
    // Rows that the terminal wrapped are one line for a person.
    let joined = |page: &str| page.replace('\n', "");
    let holds = |page: &str| {
        let text = joined(page);
        let mut rest = text.as_str();
        let in_order = parts.iter().all(|part| {
            let found = rest.split_once(part);
            rest = found.map_or("", |(_, after)| after);
            found.is_some() && text.matches(part).count() == 1
        });
        in_order && text.ends_with(last)
    };
    wait_until_shown(&format!("{parts:?}, each once, and {last}"), || chat.page(), holds);
}

#[test]
fn a_turn_with_a_queue_shows_no_half_lines() {
    let (scenario, gate) = (Scenario::new(), Gate::new());
    let first = "Some words begin a paragraph of the reply and others end it. ";
    let table = "\n\n| name | what it does |\n|---|---|\n| one | a cell that is wide |\n\nThe end.";
    let server = ModelServer::new([Answer::deltas([first, table]).gated(&gate)]);
    let mut chat = chat(&scenario, &server, WIDE);
    chat.types("Hello?\r");
    chat.sees("others end it.");
    chat.types("/status and a line that waits in the queue, longer than a narrow row\rtyping");
    chat.sees("(queued)\n> typing");
    for size in SIZES {
        chat.resizes(size);
        shows_once(&chat, &["> Hello?", "Some words", "scripted replies", "> /status and a"], "> typing");
    }
    chat.resizes(SIZES[2]);
    gate.open();
    chat.sees("The end.");
    chat.wait_for_typed_prompt_after("typing", "/status");
    // The error fills so many narrow rows that the first line has left the screen.
    shows_once(&chat, &["what it does", "The end.", "> /status and a"], "> typing");
    // Ctrl+C could still end the turn.
    chat.types(CTRL_U);
    chat.leaves();
}

#[test]
fn a_question_shows_no_half_lines() {
    let scenario = Scenario::new();
    let arguments = r#"{"command":"./check.sh with several words that fill a row of the terminal"}"#;
    let call = Call::new("c1", "run_command", [arguments]);
    let server = ModelServer::new([Answer::calls([call]), Answer::deltas(["Done."])]);
    let mut chat = chat(&scenario, &server, WIDE);
    chat.types("Check.\r");
    chat.sees("or type why not");
    for size in SIZES {
        chat.resizes(size);
        let parts = ["> Check.", "A tool asks to run", "$ ./check.sh", "[y]es once"];
        shows_once(&chat, &parts, "");
    }
    chat.resizes(SIZES[2]);
    chat.types("not at this time of the day, when everybody else builds\r");
    chat.wait_for_prompt_after("Done.");
    shows_once(&chat, &["or type why", "refused", "Done."], ">");
    chat.leaves();
}

#[test]
fn a_line_that_is_being_typed_shows_no_half_lines() {
    let scenario = Scenario::new();
    let server = ModelServer::new([Answer::deltas(["Well."])]);
    let mut chat = chat(&scenario, &server, WIDE);
    chat.says("Hello?", "Well.");
    let line = "a line that needs more than one row of the terminal when that is narrow";
    chat.types(line);
    chat.sees(line);
    for size in SIZES {
        chat.resizes(size);
        shows_once(&chat, &["> Hello?", "Well.", "scripted ·", "> a line that needs"], "narrow");
    }
    chat.types(CTRL_C);
    chat.wait_for_prompt_after("Ctrl+D leaves");
    chat.leaves();
}

#[test]
fn a_list_of_sessions_fits_the_terminal() {
    let scenario = Scenario::new();
    let server = ModelServer::new(["One.", "Two."].map(|text| Answer::deltas([text])));
    let name = "a name that somebody chose for a session about a long subject";
    let mut first = chat(&scenario, &server, (80, 24));
    first.says("Hello?", "One.");
    first.says(&format!("/rename {name}"), "now called");
    first.leaves();
    let mut second = chat(&scenario, &server, (80, 24));
    second.says("Hello?", "Two.");
    second.says("/session list", "this one");
    let page = second.page();
    let listed = page.split_once("/session list").expect("the list").1;
    let rows: Vec<_> = listed.lines().filter(|row| row.contains("this one")).collect();
    assert!(
        rows.len() == 2 && rows.iter().any(|row| row.contains("a name that") && row.contains("…")),
        "{page}"
    );
    assert_eq!(listed.trim().lines().count(), 4, "{page}");
    second.leaves();
}
