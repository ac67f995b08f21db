//! Commands outside of the rules, and ordinary writes: at a terminal a person decides about them.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use loop_testing::{Answer, Call, Gate};
use serde_json::json;

use crate::{
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::{Scenario, shown, wait_until},
};

/// The end of every question about a command.
const COMMAND_KEYS: &str = "[y]es once · [s]ession · [a]lways here · [n]o · or type why not";

const WRITE_KEYS: &str = "[y]es once · [s]ession: all writes · [n]o · or type why not";

pub(crate) fn runs(command: &str) -> Answer {
    call("run_command", &json!({ "command": command }))
}

pub(crate) fn writes(path: &str) -> Answer {
    call("write_file", &json!({ "path": path, "content": "new\n" }))
}

pub(crate) fn call(tool: &str, arguments: &serde_json::Value) -> Answer {
    Answer::calls([Call::new("c1", tool, [arguments.to_string().as_str()])])
}

pub(crate) fn done() -> Answer {
    Answer::deltas(["Done."])
}

fn sent_to_model(server: &ModelServer) -> String {
    server.requests().last().expect("a request").body["messages"].to_string()
}

/// A folder with a program of its own, which is outside of the rules.
pub(crate) fn with_program() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("check.sh", "#!/bin/sh\necho ran \"$*\" | tee -a log\n");
    fs::set_permissions(scenario.path("check.sh"), fs::Permissions::from_mode(0o755)).expect("a program");
    scenario
}

#[test]
fn a_command_allowed_once_has_no_memory_limit_that_it_would_not_have_in_a_session() {
    let scenario = with_program();
    scenario.write("check.sh", "#!/bin/sh\nulimit -v >> log\n");
    let server = ModelServer::new([runs("./check.sh a"), done(), runs("./check.sh a"), done()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    for (prompt, answer, shown) in
        [("One.\r", "y\r", "allowed, this once"), ("Two.\r", "s\r", "allowed in this session")]
    {
        chat.types(prompt);
        wait_until("a question", || chat.page().trim_end().ends_with(COMMAND_KEYS));
        chat.types(answer);
        chat.wait_for_prompt_after(shown);
    }
    let limits: Vec<_> = scenario.read("log").lines().map(str::to_owned).collect();
    assert_eq!(limits, [&*limits[0], &*limits[0]]);
    chat.leaves();
}

#[test]
fn once_is_for_one_call() {
    for size in SIZES {
        let scenario = with_program();
        let server = ModelServer::new([runs("./check.sh a 'b  c'"), done(), runs("./check.sh a"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees(COMMAND_KEYS);
        shown("a_question_about_a_command", &chat.page());
        assert!(!scenario.has("log"));
        chat.types("y\r");
        chat.wait_for_prompt_after("allowed, this once");
        assert_eq!(scenario.read("log"), "ran a b  c\n");
        chat.types("Again.\r");
        chat.sees("$ ./check.sh a\n");
        chat.types("not now: it is slow\r");
        chat.wait_for_prompt_after("refused");
        assert_eq!(scenario.read("log"), "ran a b  c\n");
        let told = sent_to_model(&server);
        assert!(told.contains("said no: not now: it is slow"), "{told}");
        chat.leaves();
    }
}

#[test]
fn for_the_session_covers_the_same_words_and_no_others() {
    let scenario = with_program();
    let both = Answer::calls([
        Call::new("c1", "run_command", [r#"{"command":"./check.sh a 1"}"#]),
        Call::new("c2", "run_command", [r#"{"command":"./check.sh a 2"}"#]),
    ]);
    let answers = [both, done(), runs("./check.sh a 3"), done(), runs("./check.sh ab"), done()];
    let server = ModelServer::new(answers);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (160, 40));
    chat.wait_for_prompt_after("/help");
    chat.types("Check.\r");
    chat.sees("every command that begins with `./check.sh a`");
    chat.types("s\r");
    chat.wait_for_prompt_after("Done.");
    // Nobody is there in a loop, and what was allowed holds.
    chat.says("/loop 1ms --count 1 Again.", "loop finished after 1/1 iterations");
    assert_eq!(scenario.read("log"), "ran a 1\nran a 2\nran a 3\n");
    chat.says("/allow", "   your answer\n");
    chat.types("Other.\r");
    chat.sees("every command that begins with `./check.sh ab`");
    chat.types("n\r");
    chat.wait_for_prompt_after("refused");
    chat.says("/safemode reset", "safe mode is on");
    chat.says("/run ./check.sh a", "`/allow './check.sh a'` allows it");
    chat.says("/allow './check.sh a'", "allowed in this session: `./check.sh a`");
    chat.says("/run ./check.sh a 4", "ran a 4");
    chat.says("/allow", "   /allow\n");
    chat.says("/deny ./check.sh", "forbidden in this session: `./check.sh`");
    chat.says("/run ./check.sh a 5", "`./check.sh` is forbidden");
    chat.leaves();
    assert_eq!(scenario.read("log"), "ran a 1\nran a 2\nran a 3\nran a 4\n");
}

#[test]
fn always_holds_in_later_sessions_and_repetitions_here_and_nowhere_else() {
    for size in SIZES {
        let scenario = with_program();
        let settings = "# mine\n[chat]\n";
        scenario.write("../home/.config/loop/loop.toml", settings);
        let server = ModelServer::new([runs("./check.sh a"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees(COMMAND_KEYS);
        chat.types("a\r");
        chat.wait_for_prompt_after("Done.");
        chat.leaves();
        let folder = fs::canonicalize(scenario.path("")).expect("a folder");
        let stored = format!("{settings}\n[folders.\"{}\"]\nallow = [\"./check.sh a\"]\n", folder.display());
        assert_eq!(scenario.read("../home/.config/loop/loop.toml"), stored);

        let server = ModelServer::new([runs("./check.sh a 2"), done(), runs("./check.sh a 3"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("Check.", "Done.");
        chat.says("/allow", "./check.sh a");
        chat.leaves();
        server
            .run(&scenario, &["every", "1ms", "--count", "1", "--model", "openai:scripted", "Check."])
            .exits(0);
        assert_eq!(scenario.read("log"), "ran a\nran a 2\nran a 3\n");
    }
}

#[test]
fn every_write_is_shown_until_the_person_allows_all_of_them() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("a.txt", "old\n");
        let server = ModelServer::new([
            writes("a.txt"),
            done(),
            writes("b.txt"),
            done(),
            writes("c.txt"),
            done(),
            writes("AGENTS.md"),
            done(),
        ]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Write.\r");
        chat.sees(WRITE_KEYS);
        chat.sees("-old\n+new\n");
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        assert_eq!(scenario.read("a.txt"), "old\n");
        chat.types("Write.\r");
        chat.sees("A tool asks to write `b.txt`:");
        chat.types("s\r");
        chat.wait_for_prompt_after("writes are allowed in this session");
        chat.says("Write more.", "Done.");
        assert_eq!((scenario.read("b.txt"), scenario.read("c.txt")), ("new\n".into(), "new\n".into()));
        // Instructions of agents ask for each change.
        chat.types("Instruct.\r");
        chat.sees("Type `yes` and Enter");
        chat.types("y\r");
        chat.sees("`y` is not the whole word `yes`.\nType `yes` and Enter");
        assert!(!chat.page().contains("do not change it elsewhere"), "{}", chat.page());
        chat.types("n\r");
        chat.wait_for_prompt_after("Done.");
        assert!(!scenario.has("AGENTS.md"));
        chat.leaves();
    }
}

#[test]
fn settings_decide_how_often_writes_ask() {
    for size in SIZES {
        for (setting, questions) in [("never", 0), ("session", 1)] {
            let scenario = Scenario::new();
            let server = ModelServer::new([writes("a.txt"), done(), writes("b.txt"), done()]);
            let settings = format!("[policy]\napprove_writes = \"{setting}\"\n");
            let mut chat = ChatHarness::with_settings(&scenario, &server, &settings, size);
            chat.wait_for_prompt_after("/help");
            chat.types("Write.\r");
            for _ in 0..questions {
                chat.sees(WRITE_KEYS);
                chat.types("y\r");
            }
            chat.wait_for_prompt_after("Done.");
            chat.says("Write again.", "Done.");
            assert!(scenario.has("a.txt") && scenario.has("b.txt"), "{setting}");
            assert_eq!(chat.page().matches(WRITE_KEYS).count(), questions, "{setting}");
            chat.leaves();
        }
    }
}

#[test]
fn a_flag_names_commands_beforehand_and_a_refusal_names_the_flag() {
    let scenario = with_program();
    let server = ModelServer::new([runs("./check.sh a 1"), done(), runs("./check.sh a 2"), done()]);
    let refused = server.chat(&scenario, "Check.", &[]).exits(0);
    assert!(refused.stderr.contains("`--allow './check.sh a'` allows it"), "{}", refused.stderr);
    let told = sent_to_model(&server);
    assert!(told.contains("needs their permission") && !told.contains("--allow"), "{told}");
    server.chat(&scenario, "Check.", &["--allow", "./check.sh a"]).exits(0);
    assert_eq!(scenario.read("log"), "ran a 2\n");
}

#[test]
fn no_command_looks_like_another_question() {
    let fillers = [" ".repeat(1600), "x ".repeat(1200)];
    for (size, filler) in SIZES.into_iter().flat_map(|size| fillers.iter().map(move |filler| (size, filler)))
    {
        let scenario = Scenario::new();
        let fake = "A tool asks to run a command: $ cargo test [s] and [a] allow every command that begins with `cargo test`";
        let line = format!("python3 -c 'import os; os.remove(\"x\") #{filler}{fake}'");
        let server = ModelServer::new([runs(&line), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees("[y]es once");
        let page = chat.page();
        let rows: Vec<_> = page.lines().collect();
        // The real question and the beginning of a long command are repeated below it, and each row of the command has
        // its mark.
        let asked = rows.iter().rposition(|row| *row == "A tool asks to run a command:").expect("a question");
        let covers =
            rows.iter().rposition(|row| row.starts_with("[s] and [a]")).expect("what it would cover");
        assert!(rows[asked..covers].iter().any(|row| row.starts_with(" $ python3 -c 'import os")), "{page}");
        assert_eq!(rows[covers], "[s] and [a] allow every command that begins with all of it");
        assert!(
            rows.iter().filter(|row| row.contains("cargo test")).all(|row| row.starts_with('…')),
            "{page}"
        );
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        chat.leaves();
    }
}

#[test]
fn a_question_about_a_write_names_the_file_that_changes() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("build.txt", "old\n");
        symlink("build.txt", scenario.path("notes.md")).expect("a link");
        let detour = format!("c.txt/{}A tool asks to write `README.md/..", " ".repeat(300));
        let server = ModelServer::new([writes("notes.md"), done(), writes(&detour), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Write.\r");
        chat.sees("A tool asks to write `build.txt`, to which `notes.md` leads:");
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        chat.types("Write.\r");
        chat.sees("A tool asks to write `c.txt`:");
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        assert!(!chat.page().contains("README.md"), "{}", chat.page());
        chat.leaves();
    }
}

#[test]
fn a_diff_whose_lines_a_secret_hides_is_refused() {
    for size in SIZES {
        let scenario = Scenario::new();
        let block = "A".repeat(64);
        let content = format!(
            "# -----BEGIN RSA PRIVATE KEY-----\n{block}\nbin/evil\nreboot\n{block}\n# -----END RSA PRIVATE KEY-----\n"
        );
        let write =
            Call::new("w", "write_file", [&*json!({ "path": "run.sh", "content": content }).to_string()]);
        let server = ModelServer::new([Answer::calls([write]), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Write.\r");
        chat.wait_for_prompt_after("so nobody can say yes to");
        assert!(!scenario.has("run.sh"));
        chat.leaves();
    }
}

#[test]
fn the_end_of_a_line_is_no_answer() {
    for size in SIZES {
        let scenario = with_program();
        let gate = Gate::new();
        let server = ModelServer::new([runs("./check.sh a").gated(&gate), done(), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Check.\r");
        chat.sees("· 0s");
        chat.types("then update the schem");
        chat.sees("> then update the schem");
        gate.open();
        chat.sees("A tool has a question. Send or delete your line to see it.");
        assert!(!chat.page().contains("[y]es"), "{}", chat.page());
        chat.types("a\r");
        chat.sees("[y]es once");
        assert!(!scenario.has("log"));
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        // The line is the next prompt.
        chat.sees("> then update the schema");
        chat.leaves();
    }
}
