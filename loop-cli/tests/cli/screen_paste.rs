//! Long pastes in `loop chat`.

use loop_testing::{Answer, Gate};

use crate::{
    chat_harness::{CTRL_C, ChatHarness, answered_by},
    model_server::ModelServer,
    screen::{SIZES, chat},
    support::{Scenario, wait_until_shown},
};

const UP: &str = "\u{1b}[A";
const CTRL_U: &str = "\u{15}";
const BACKSPACE: &str = "\u{7f}";
const LABEL: &str = "[3,000 lines pasted]";

fn lines() -> String {
    (1..=3000).map(|number| format!("line {number}\n")).collect()
}

/// Returns the keys of a terminal that pastes this text.
fn pasted(text: &str) -> String {
    format!("\u{1b}[200~{}\u{1b}[201~", text.replace('\n', "\r"))
}

/// Returns the last message of the server's request with this index.
fn asked(server: &ModelServer, index: usize) -> String {
    let requests = server.requests();
    let messages = requests[index].body["messages"].as_array().expect("messages").clone();
    messages.last().expect("a message")["content"].as_str().expect("text").to_owned()
}

#[test]
fn a_long_paste_is_one_label_and_is_sent_whole() {
    for size in SIZES {
        let scenario = Scenario::new();
        let replies = ["One.", "Two.", "Three."].map(|text| Answer::deltas([text]));
        let server = ModelServer::new(replies);
        let mut first = chat(&scenario, &server, size);
        first.types("see ");
        first.types(&pasted(&lines()));
        first.wait_for_typed_prompt_after(&format!("see {LABEL}"), "/help");
        first.types(BACKSPACE);
        first.wait_for_typed_prompt_after("see", "/help");
        first.types(&pasted(&lines()));
        first.wait_for_typed_prompt_after(&format!("see {LABEL}"), "/help");
        first.types(CTRL_U);
        first.wait_for_prompt_after("/help");
        first.types(&pasted(&lines()));
        first.wait_for_typed_prompt_after(LABEL, "/help");
        first.types(" what?\r");
        first.wait_for_prompt_after("One.");
        assert_eq!(asked(&server, 0), format!("{} what?", lines()));
        first.types(UP);
        first.wait_for_typed_prompt_after(&format!("{LABEL} what?"), "One.");
        first.types("\r");
        first.wait_for_prompt_after("Two.");
        assert_eq!(asked(&server, 1), format!("{} what?", lines()));
        first.leaves();

        // A later session remembers the whole input, too.
        let mut second = chat(&scenario, &server, size);
        second.types(UP);
        second.types(UP);
        // The input has one line more than the paste.
        second.sees("> [3,001 lines pasted]");
        second.types("\r");
        second.wait_for_prompt_after("Three.");
        assert_eq!(asked(&server, 2), format!("{} what?", lines()));
        second.leaves();
    }
}

#[test]
fn a_paste_during_a_turn_is_one_queued_line() {
    for size in SIZES {
        let (scenario, gate) = (Scenario::new(), Gate::new());
        let first = Answer::deltas(["Half. ", "Whole."]).gated(&gate);
        let server = ModelServer::new([first, Answer::deltas(["Read."])]);
        let mut chat = chat(&scenario, &server, size);
        chat.types("Hello?\r");
        chat.sees("Half.");
        chat.types(&pasted(&lines()));
        chat.sees(&format!("> {LABEL}"));
        chat.types("\r");
        chat.sees(&format!("> {LABEL} (queued)"));
        gate.open();
        chat.wait_for_prompt_after("Read.");
        assert_eq!(asked(&server, 1), lines().trim_end());
        chat.leaves();
    }
}

#[test]
fn a_paste_that_fills_half_of_the_window_is_sent_after_a_question() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["Read."]), Answer::deltas(["Read again."])]);
        let settings = format!(
            "[models.small]\nmodel = \"openai:scripted\"\nbase_url = \"{}\"\ncontext_tokens = 12000\n",
            server.url()
        );
        scenario.write("settings.toml", settings);
        let mut chat = ChatHarness::open(&scenario, &["chat", "--model", "small"], size, |command| {
            answered_by(command, &server);
            command.env("LOOP_CONFIG", scenario.path("settings.toml"));
        });
        chat.wait_for_prompt_after("/help");
        let question = "more than half of the window of 12,000";
        let kept = "not sent; Up brings it back";
        for (answer, result, sent) in
            [("no", kept, 0), ("N", kept, 0), ("yes", "Read.", 1), ("Y", "Read again.", 2)]
        {
            chat.says("/clear", "forgotten");
            chat.types(&pasted(&lines()));
            chat.sees(LABEL);
            chat.types("\r");
            chat.wait_for_prompt_after(question);
            let before = server.requests().len();
            chat.types(&format!("{answer}\r"));
            let page = |page: &str| {
                let after = page.rsplit_once(question).map_or("", |(_, after)| after);
                after.contains(result) && page.lines().last() == Some(">")
            };
            wait_until_shown(result, || chat.page(), page);
            assert_eq!((before, server.requests().len()), (sent.max(1) - 1, sent));
        }
        // Nobody is asked about what cannot be sent.
        chat.says("/clear", "forgotten");
        chat.types(&pasted(&lines().repeat(2)));
        chat.sees("[6,000 lines pasted]");
        chat.types("\r");
        chat.wait_for_prompt_after("the prompt was not sent, because it does not fit");
        assert_eq!(server.requests().len(), 2);
        assert_eq!(asked(&server, 0), lines().trim_end());
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("Ctrl+D leaves");
        chat.leaves();
    }
}

/// The label is text for the editor, so its parts could be deleted one by one.
#[test]
fn a_line_with_a_part_of_a_label_is_not_sent() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["One."])]);
        let mut chat = chat(&scenario, &server, size);
        chat.types(&pasted(&lines()));
        chat.wait_for_typed_prompt_after(LABEL, "/help");
        chat.types("\u{1b}[D");
        chat.types("Q\r");
        chat.wait_for_typed_prompt_after(
            "[3,000 lines pastedQ]",
            "not sent: the label of a paste was edited",
        );
        chat.types(CTRL_U);
        chat.wait_for_prompt_after("not sent");
        // A key that is held comes several times at once.
        chat.types(&(pasted(&lines()) + " end"));
        chat.wait_for_typed_prompt_after(&format!("{LABEL} end"), "not sent");
        chat.types(&BACKSPACE.repeat(5));
        chat.wait_for_prompt_after("not sent");
        chat.says("Hello?", "One.");
        assert_eq!(asked(&server, 0), "Hello?");
        chat.leaves();
    }
}
