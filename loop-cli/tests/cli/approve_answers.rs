//! The lines that a person may type at a question: a clear yes, a no with its reason, or one that is no answer.

use crate::{
    approve_commands::{done, runs, with_program, writes},
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::{Scenario, wait_until},
};

const KEYS: &str = "[y]es once";

/// Waits until the keys were shown so often.
fn sees_keys(chat: &ChatHarness, times: usize) {
    wait_until("the keys", || chat.page().matches(KEYS).count() == times);
}

#[test]
fn each_clear_yes_allows_once() {
    let yes = ["ok", "Okay!", "sure", "y.", "Yes, please."];
    let scenario = with_program();
    let server = ModelServer::new(yes.into_iter().flat_map(|_| [runs("./check.sh a"), done()]));
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 60));
    chat.wait_for_prompt_after("/help");
    for (times, yes) in (1..).zip(yes) {
        chat.types("Check.\r");
        sees_keys(&chat, times);
        chat.types(&format!("{yes}\r"));
        wait_until("the command ran", || {
            scenario.has("log") && scenario.read("log").lines().count() == times
        });
        wait_until("the reply", || {
            chat.page().matches("Done.").count() == times && chat.page().ends_with("\n>")
        });
    }
    chat.leaves();
}

#[test]
fn a_line_that_is_no_answer_shows_the_keys_again() {
    for size in SIZES {
        let scenario = with_program();
        let server = ModelServer::new([runs("./check.sh a"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        sees_keys(&chat, 1);
        chat.types("\r");
        sees_keys(&chat, 2);
        chat.types("/context\r");
        chat.sees("not done: `/context`. A tool's question waits first.");
        sees_keys(&chat, 3);
        assert!(!scenario.has("log") && !chat.page().contains("refused"), "{}", chat.page());
        // Doubt is no yes.
        chat.types("ok?\r");
        chat.wait_for_prompt_after("refused");
        assert!(!scenario.has("log"));
        let told = server.requests().last().expect("a request").body["messages"].to_string();
        assert!(told.contains("said no: ok?"), "{told}");
        chat.leaves();
    }
}

#[test]
fn instructions_of_agents_need_the_whole_word() {
    let scenario = Scenario::new();
    let server = ModelServer::new([writes("AGENTS.md"), done()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (80, 24));
    chat.wait_for_prompt_after("/help");
    chat.types("Instruct.\r");
    chat.sees("Type `yes` and Enter");
    chat.types("sure\r");
    chat.sees("`sure` is not the whole word `yes`.");
    chat.types("not now\r");
    chat.wait_for_prompt_after("refused");
    assert!(!scenario.has("AGENTS.md"));
    chat.leaves();
}

#[test]
fn what_is_forbidden_or_secret_is_not_asked_about() {
    let scenario = with_program();
    scenario.write("loop.toml", "[policy]\nforbid = [\"./check.sh a\"]\n");
    let lines = ["./check.sh a", "./check.sh .env", "env ./check.sh a", "./check.sh b && ./check.sh a"];
    let answers = lines.into_iter().flat_map(|line| [runs(line), done()]);
    let server = ModelServer::new(answers);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 40));
    chat.wait_for_prompt_after("/help");
    for _ in lines {
        chat.says("Check.", "Done.");
    }
    assert!(!chat.page().contains("[y]es"), "{}", chat.page());
    assert!(!scenario.has("log"));
    chat.leaves();
}

#[test]
fn escape_at_a_question_ends_the_turn() {
    for size in SIZES {
        let scenario = with_program();
        let server = ModelServer::new([runs("./check.sh a"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees(KEYS);
        chat.types("\u{1b}");
        chat.wait_for_prompt_after("interrupted");
        assert!(!scenario.has("log") && server.requests().len() == 1);
        chat.leaves();
    }
}
