//! Commands that pass their output on: each is judged, and a person decides about the whole line.

use crate::{
    approve_commands::{done, runs, with_program},
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::wait_until,
};

const KEYS: &str = "[y]es once · [n]o · or type why not";

fn sent_to_model(server: &ModelServer) -> String {
    server.requests().last().expect("a request").body["messages"].to_string()
}

#[test]
fn a_person_decides_about_the_whole_line() {
    for size in SIZES {
        let scenario = with_program();
        let line = "./check.sh a 2>&1 | tr a-z A-Z | head -1";
        let server = ModelServer::new([runs(line), done(), runs(line), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees(KEYS);
        chat.shows("a_question_about_a_pipeline");
        chat.sees("`/allow './check.sh a'` lets it run without a question next time");
        assert!(!scenario.has("log"));
        // No prefix covers a pipeline.
        chat.types("s\r");
        chat.wait_for_prompt_after("refused");
        assert!(!scenario.has("log"));
        chat.types("Again.\r");
        wait_until("the second question", || chat.page().matches(KEYS).count() == 2);
        chat.types("y\r");
        chat.wait_for_prompt_after("allowed, this once");
        assert_eq!(scenario.read("log"), "ran a\n");
        assert!(sent_to_model(&server).contains("RAN A\\n(exit 0)"), "{}", sent_to_model(&server));
        chat.leaves();
    }
}

#[test]
fn what_rules_allow_runs_without_a_question_and_says_which_command_failed() {
    let scenario = with_program();
    scenario.write("notes", "one\ntwo\nthree\n");
    let allowed = ["--allow", "./check.sh a"];
    let server = ModelServer::new([
        runs("cat notes | grep t | wc -l"),
        done(),
        runs("./check.sh a | tail -1"),
        done(),
        runs("grep -c q notes | wc -l"),
        done(),
        runs("grep -n '|' notes"),
        done(),
        runs("sort -c unsorted 2>&1 | grep -c disorder"),
        done(),
        runs("sort -c unsorted | grep -c disorder"),
        done(),
        runs("cat *.txt"),
        done(),
    ]);
    scenario.write("unsorted", "b\na\n");
    for expected in [
        "2\\n(exit 0)",
        "ran a\\n(exit 0)",
        "`grep -c q notes`: exit 1",
        "(exit 1)",
        "1\\n(exit 0)",
        "0\\n(exit 1)",
        "`*.txt` names no file",
    ] {
        server.chat(&scenario, "Check.", &allowed).exits(0);
        assert!(sent_to_model(&server).contains(expected), "{expected}: {}", sent_to_model(&server));
    }
}

/// No rule judges a line for a shell, so a person does, and the sandbox keeps it from secrets.
#[test]
fn a_line_for_a_shell_runs_once_after_a_yes() {
    for size in SIZES {
        let scenario = with_program();
        scenario.write(".env", "KEY=hunter2\n");
        let line = "cd . && ./check.sh a; cat .e* ; echo $((1 + 1)) > made";
        let server =
            ModelServer::new([runs(line), done(), runs(line), done(), runs("ls && git push"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees(KEYS);
        chat.sees("A tool asks to run a line in a shell, within the sandbox:");
        chat.types("s\r");
        chat.wait_for_prompt_after("refused");
        assert!(!scenario.has("log"));
        chat.types("Again.\r");
        wait_until("the second question", || chat.page().matches(KEYS).count() == 2);
        chat.types("y\r");
        chat.wait_for_prompt_after("allowed, this once");
        let told = sent_to_model(&server);
        assert!(!told.contains("hunter2"), "{told}");
        if told.contains("only in a sandbox") {
            assert!(!scenario.has("made"), "this machine cannot confine it");
        } else {
            assert_eq!((&*scenario.read("log"), &*scenario.read("made")), ("ran a\n", "2\n"), "{told}");
        }
        chat.says("/deny 'git push'", "forbidden in this session");
        chat.says("Push.", "Done.");
        assert_eq!(chat.page().matches(KEYS).count(), 2, "nobody is asked about a forbidden command");
        assert!(sent_to_model(&server).contains("`git push` is forbidden"));
        chat.leaves();
    }
}

/// No entry can allow these: they start programs, or their options are not known to be harmless.
#[test]
fn a_command_that_no_entry_can_allow_is_a_line_for_a_shell() {
    let scenario = with_program();
    scenario.write("notes/a.txt", "ran before\n");
    let lines = [
        ("grep -rn before notes", "notes/a.txt:1:ran before"),
        ("find notes -name a.txt -exec wc -l {} +", "1 notes/a.txt"),
        ("echo notes/a.txt | xargs cat", "ran before"),
        ("cat notes/*.txt", "ran before"),
    ];
    let server = ModelServer::new(lines.into_iter().flat_map(|(line, _)| [runs(line), done()]));
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 60));
    chat.wait_for_prompt_after("/help");
    for (number, (line, output)) in (1..).zip(lines) {
        chat.types("Look.\r");
        wait_until("a question", || chat.page().matches("in a shell, within the sandbox").count() == number);
        chat.types("y\r");
        wait_until("the answer", || chat.page().matches("allowed, this once").count() == number);
        chat.wait_for_prompt_after("allowed, this once");
        let told = sent_to_model(&server);
        assert!(told.contains(output) || told.contains("only in a sandbox"), "{line}: {told}");
    }
    chat.leaves();
}

#[test]
fn nobody_is_asked_if_a_rule_refuses_a_command_or_nobody_is_there() {
    let scenario = with_program();
    scenario.write(".env", "KEY=value\n");
    scenario.write("loop.toml", "[policy]\nforbid = [\"./check.sh a\"]\n");
    let lines = [
        "cat log | ./check.sh a",
        "./check.sh a | cat",
        "cat .env | head",
        "./check.sh b | cat .env",
        "./check.sh b |",
        "| ./check.sh b",
    ];
    let answers = lines.into_iter().flat_map(|line| [runs(line), done()]);
    let server = ModelServer::new(answers);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 60));
    chat.wait_for_prompt_after("/help");
    for _ in lines {
        chat.says("Check.", "Done.");
    }
    assert!(!chat.page().contains("[y]es"), "{}", chat.page());
    chat.leaves();
    // An allowed program gets foreign input only from a person.
    let server = ModelServer::new([runs("echo x | ./check.sh b"), done()]);
    server.chat(&scenario, "Check.", &["--allow", "./check.sh b"]).exits(0);
    assert!(sent_to_model(&server).contains("only a person can allow"), "{}", sent_to_model(&server));
    let server = ModelServer::new([runs("./check.sh c | cat"), done()]);
    let refused = server.chat(&scenario, "Check.", &[]).exits(0);
    assert!(refused.stderr.contains("`--allow './check.sh c'` allows it"), "{}", refused.stderr);
    assert!(!scenario.has("log") && !scenario.has("x"));
}

#[test]
fn much_output_ends_the_command_that_nobody_reads() {
    let scenario = with_program();
    let server = ModelServer::new([runs("yes | head -2"), done()]);
    server.chat(&scenario, "Check.", &["--allow", "yes"]).exits(0);
    let told = sent_to_model(&server);
    assert!(
        told.contains("`yes` was ended after much output") && told.contains("y\\ny\\n(exit 0)"),
        "{told}"
    );
}
