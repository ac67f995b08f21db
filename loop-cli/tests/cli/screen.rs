//! The display of replies in `loop chat`.

use loop_testing::{Answer, Gate};

use crate::{chat_harness::ChatHarness, model_server::ModelServer, support::Scenario};

/// The sizes at which everything holds.
pub(crate) const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Starts a session, and waits for its prompt.
pub(crate) fn chat(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    let chat = ChatHarness::chat(scenario, server, &[], size);
    chat.wait_for_prompt_after("/help");
    chat
}

const LONG: &str = "These are **many words** of one paragraph, which is wider than every terminal that this test \
    uses, so that the words at the edge have to begin a new row, and none of them is cut in two.";

#[test]
fn words_wrap_and_markdown_is_rendered() {
    let wide = "漢字とかなが続く長い文は、端末の右端で折り返されて、どの文字も失われない。".repeat(3);
    let reply = format!(
        "# Title\n\n{LONG}\n\n{wide}\n\n👍 emoji 👩‍👩‍👧 too\n\n- `one`\n- *two*\n\n| a | b |\n|---|--:|\n| x | 1 |\n\n\
         ```sh\necho {}\n```\nDone.",
        "0123456789".repeat(13)
    );
    for size in SIZES {
        let scenario = Scenario::new();
        let pieces: Vec<_> = reply.split_inclusive(' ').collect();
        let server = ModelServer::new([Answer::deltas(pieces)]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("Hello?", "Done.");
        chat.shows(&format!("screen_markdown_{}", size.0));
        chat.leaves();
    }
}

#[test]
fn text_appears_before_its_paragraph_ends() {
    for size in SIZES {
        let (scenario, gate) = (Scenario::new(), Gate::new());
        let server = ModelServer::new([Answer::deltas([LONG, " And **so,", " it** ends."]).gated(&gate)]);
        let mut chat = chat(&scenario, &server, size);
        chat.types("Hello?\r");
        chat.sees("These are many words");
        chat.sees("cut in two.");
        gate.open();
        // A word at the end could begin a secret, and would be held back.
        chat.sees("And **so,");
        gate.open();
        chat.wait_for_prompt_after("And so, it ends.");
        let page = chat.page();
        assert_eq!(page.matches("many words").count(), 1, "{page}");
        assert_eq!(page.matches("cut in two").count(), 1, "{page}");
        chat.leaves();
    }
}

#[test]
fn a_terminal_that_changes_its_size_shows_whole_lines() {
    for (before, after) in [(SIZES[0], SIZES[1]), (SIZES[1], SIZES[0])] {
        let (scenario, gate) = (Scenario::new(), Gate::new());
        let server = ModelServer::new([Answer::deltas([LONG, " And so, ", "it goes."]).gated(&gate)]);
        let mut chat = chat(&scenario, &server, before);
        chat.types("Hello?\r");
        chat.sees("cut in two.");
        chat.resizes(after);
        gate.open();
        chat.sees("And so,");
        gate.open();
        chat.wait_for_prompt_after("And so, it goes.");
        let page = chat.page();
        for part in ["> Hello?", "These are many words", "cut in two. And so, it goes."] {
            assert_eq!(page.matches(part).count(), 1, "{part}: {page}");
        }
        chat.leaves();
    }
}

#[test]
fn a_resumed_session_shows_its_last_exchange() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["The **answer** is 42."])]);
        let mut first = chat(&scenario, &server, size);
        first.says("!seq 5", "5");
        first.says("What is it?", "The answer is 42.");
        first.says("!echo later", "later\n");
        first.leaves();
        let second = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        second.wait_for_prompt_after(
            "/help\n> !seq 5\n… 3 more rows\n4\n5\n(exit 0)\n> What is it?\nThe answer is 42.\n\
             > !echo later\nlater\n(exit 0)\n",
        );
        second.leaves();
    }
}
