//! Files that a later command executes or an agent follows: tools change them only after a person's yes.

use std::{fs, os::unix::fs::symlink};

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    screen::SIZES,
    support::{Manifest, Scenario},
};

/// Files that `loop` executes or agents follow, in spellings that an attacker might try.
const PATHS: [&str; 19] = [
    "loop.yaml",
    "LOOP.YML",
    "sub/loop.json",
    "loop.toml",
    "deep/down/loop.toml",
    "AGENTS.md",
    "agents.MD",
    "sub/CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".claude/settings.json",
    ".codex/config.toml",
    ".gemini/x",
    ".cursor/rules/x.mdc",
    ".loop/plan.md",
    ".pi/extensions/x.ts",
    ".roomodes",
    ".kilocodemodes",
];

/// Links in other folders than their targets, from what agents follow or `loop` executes.
const LINKS: [(&str, &str); 4] = [
    (".claude/settings.local.json", "../docs/s.json"),
    (".cursor/hooks", "../scripts"),
    ("sub/deep/AGENTS.md", "../../docs/sub.txt"),
    ("sub/loop.yaml", "../docs/loop.txt"),
];

fn calls(calls: impl IntoIterator<Item = (&'static str, Value)>) -> Answer {
    let call = |(number, (tool, arguments)): (usize, (&str, Value))| {
        Call::new(&format!("c{number}"), tool, [arguments.to_string().as_str()])
    };
    Answer::calls(calls.into_iter().enumerate().map(call))
}

fn writes(path: &str, content: &str) -> Answer {
    calls([("write_file", json!({ "path": path, "content": content }))])
}

fn done() -> Answer {
    Answer::deltas(["Done."])
}

/// Returns the last input of the model.
fn sent_to_model(server: &ModelServer) -> String {
    server.requests().last().expect("a request").body["messages"].to_string()
}

#[test]
fn unattended_nothing_is_written_that_a_later_command_executes() {
    let scenario = Scenario::new();
    scenario.write("sub/a.txt", "a\n");
    scenario.write("CLAUDE.local.md", "Be brief.\n");
    symlink("CLAUDE.local.md", scenario.path("notes.md")).expect("a link");
    symlink("docs/agents.txt", scenario.path("GEMINI.MD")).expect("a link");
    for (link, target) in LINKS {
        fs::create_dir_all(scenario.path(link).parent().expect("a folder")).expect("a folder");
        symlink(target, scenario.path(link)).expect("a link");
    }
    let written = PATHS.iter().map(|path| ("write_file", json!({ "path": path, "content": "hostile" })));
    let others = [
        ("edit_file", json!({ "path": "CLAUDE.local.md", "old": "brief", "new": "hostile" })),
        ("write_file", json!({ "path": "notes.md", "content": "hostile" })),
        ("write_file", json!({ "path": "docs/agents.txt", "content": "hostile" })),
        ("create_dir", json!({ "path": ".claude/commands" })),
        ("write_file", json!({ "path": "docs/s.json", "content": "hostile" })),
        ("write_file", json!({ "path": "scripts/start.sh", "content": "hostile" })),
        ("write_file", json!({ "path": "docs/sub.txt", "content": "hostile" })),
        ("write_file", json!({ "path": "docs/loop.txt", "content": "hostile" })),
    ];
    let all: Vec<_> = written.chain(others).collect();
    let count = all.len();
    let chatted = ModelServer::new([calls(all.clone()), done()]);
    chatted.chat(&scenario, "Write them.", &[]).exits(0);
    let ran = ModelServer::new([calls(all), done()]);
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    scenario.write(
        "run.json",
        serde_json::to_string(&Manifest::new("-", "true").set("agent", agent).0).expect("JSON"),
    );
    ran.run(&scenario, &["run", "run.json"]).exits(0);
    for server in [chatted, ran] {
        let told = sent_to_model(&server);
        assert_eq!(told.matches("a person at the terminal").count(), count, "{told}");
    }
    for path in
        PATHS.iter().chain(&["docs/agents.txt", ".claude/commands", "docs/s.json", "scripts/start.sh"])
    {
        assert!(!scenario.has(path), "{path}");
    }
    assert!(!scenario.has("docs/sub.txt") && !scenario.has("docs/loop.txt"));
    assert_eq!(scenario.read("CLAUDE.local.md"), "Be brief.\n");
}

#[test]
fn at_a_terminal_the_change_is_shown_and_only_yes_allows_it() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("AGENTS.md", "one\ntwo\nthree\n");
        let edit =
            |new: &str| calls([("edit_file", json!({ "path": "AGENTS.md", "old": "two", "new": new }))]);
        let server = ModelServer::new([
            edit("2"),
            done(),
            edit("zwei"),
            done(),
            writes("loop.yaml", "goal: x\n"),
            done(),
        ]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        // Input typed before the question is no answer to it.
        chat.types("Change it.\r");
        chat.sees("Type `yes` and Enter");
        chat.sees("-two\n+2\n");
        assert_eq!(scenario.read("AGENTS.md"), "one\ntwo\nthree\n");
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        chat.sees("Done.");
        assert!(sent_to_model(&server).contains("said no"), "{}", sent_to_model(&server));
        assert_eq!(scenario.read("AGENTS.md"), "one\ntwo\nthree\n");
        chat.types("Again.\r");
        chat.sees("+zwei\n");
        chat.sees("three\nType `yes`");
        chat.types("yes\r");
        chat.wait_for_prompt_after("allowed, this once");
        assert_eq!(scenario.read("AGENTS.md"), "one\nzwei\nthree\n");
        // Ctrl+C ends the turn and with it the question.
        chat.types("And a manifest.\r");
        chat.sees("+goal: x\n");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("interrupted");
        assert!(!scenario.has("loop.yaml"));
        chat.leaves();
    }
}

#[test]
fn what_a_loop_repeats_asks_nobody() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([writes("AGENTS.md", "x\n"), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/loop 1ms --count 1 Write it.", "loop finished after 1/1 iterations");
        assert!(sent_to_model(&server).contains("nobody is asked"), "{}", sent_to_model(&server));
        assert!(!scenario.has("AGENTS.md") && !chat.page().contains("Type `yes`"), "{}", chat.page());
        chat.leaves();
    }
}

/// Invisible characters appear as escapes, and the person approves exactly the displayed text.
#[test]
fn what_is_unseen_is_shown_as_it_is_written() {
    for size in SIZES {
        let scenario = Scenario::new();
        let hidden = "Use tabs.\u{1b}]do\nevil\u{7}\n\u{e0041}\u{202e}x\r\ty \n";
        let server = ModelServer::new([
            writes("AGENTS.md", hidden),
            done(),
            writes(".claude/a\u{200b}.md", "x\n"),
            done(),
        ]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Write it.\r");
        chat.sees("Type `yes` and Enter");
        chat.sees("+Use tabs.\\u{1b}]do\n+evil\\u{7}\n+\\u{e0041}\\u{202e}x\\u{d}\\ty\\u{20}\n");
        chat.types("yes\r");
        chat.wait_for_prompt_after("allowed, this once");
        assert_eq!(scenario.read("AGENTS.md"), hidden);
        chat.types("Again.\r");
        chat.sees("`.claude/a\\u{200b}.md`");
        chat.types("no\r");
        chat.wait_for_prompt_after("refused");
        chat.leaves();
    }
}

/// A command between two lines that look like a key once ran after a yes to `[redacted]`.
#[test]
fn nobody_is_asked_about_a_change_of_which_a_part_is_redacted() {
    for size in SIZES {
        let scenario = Scenario::new();
        let block =
            format!("command: |\n  echo hi # PRIVATE KEY-----\n  touch pwned\n  {}\n", "a ".repeat(40));
        let key = "x: sk-ant-api03-0123456789abcdefghijABCDEFGH\n";
        let server =
            ModelServer::new([writes("loop.yaml", &block), done(), writes("loop.yaml", key), done()]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        for prompt in ["Write it.", "Again."] {
            chat.types(&format!("{prompt}\r"));
            chat.wait_for_prompt_after("it is refused");
            chat.sees("Done.");
            assert!(
                sent_to_model(&server).contains("which is not shown to the user"),
                "{}",
                sent_to_model(&server)
            );
        }
        assert!(!scenario.has("loop.yaml"));
        assert!(!chat.page().contains("Type `yes`") && !chat.page().contains("sk-ant"), "{}", chat.page());
        chat.leaves();
    }
}
