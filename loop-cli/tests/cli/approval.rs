//! Files that a later command executes or an agent follows: tools change them only after a person's yes.

use std::{fs, os::unix::fs::symlink};

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    model_server::Server,
    seat::{CTRL_C, Seat},
    support::{Manifest, World},
};

const SIZE: (u16, u16) = (110, 40);

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
fn told(server: &Server) -> String {
    server.requests().last().expect("a request").body["messages"].to_string()
}

#[test]
fn unattended_nothing_is_written_that_a_later_command_executes() {
    let world = World::new();
    world.write("sub/a.txt", "a\n");
    world.write("CLAUDE.local.md", "Be brief.\n");
    symlink("CLAUDE.local.md", world.path("notes.md")).expect("a link");
    symlink("docs/agents.txt", world.path("GEMINI.MD")).expect("a link");
    for (link, target) in LINKS {
        fs::create_dir_all(world.path(link).parent().expect("a folder")).expect("a folder");
        symlink(target, world.path(link)).expect("a link");
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
    let chatted = Server::new([calls(all.clone()), done()]);
    chatted.chat(&world, "Write them.", &[]).exits(0);
    let ran = Server::new([calls(all), done()]);
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    world.write(
        "run.json",
        serde_json::to_string(&Manifest::new("-", "true").set("agent", agent).0).expect("JSON"),
    );
    ran.run(&world, &["run", "run.json"]).exits(0);
    for server in [chatted, ran] {
        let told = told(&server);
        assert_eq!(told.matches("a person at the terminal").count(), count, "{told}");
    }
    for path in
        PATHS.iter().chain(&["docs/agents.txt", ".claude/commands", "docs/s.json", "scripts/start.sh"])
    {
        assert!(!world.has(path), "{path}");
    }
    assert!(!world.has("docs/sub.txt") && !world.has("docs/loop.txt"));
    assert_eq!(world.read("CLAUDE.local.md"), "Be brief.\n");
}

#[test]
fn at_a_terminal_the_change_is_shown_and_only_yes_allows_it() {
    let world = World::new();
    world.write("AGENTS.md", "one\ntwo\nthree\n");
    let edit = |new: &str| calls([("edit_file", json!({ "path": "AGENTS.md", "old": "two", "new": new }))]);
    let server =
        Server::new([edit("2"), done(), edit("zwei"), done(), writes("loop.yaml", "goal: x\n"), done()]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    // Input typed before the question is no answer to it.
    seat.types("Change it.\r");
    seat.sees("Type `yes` and Enter");
    seat.sees("-two\n+2\n");
    assert_eq!(world.read("AGENTS.md"), "one\ntwo\nthree\n");
    seat.types("\r");
    seat.is_asked_after("refused");
    seat.sees("Done.");
    assert!(told(&server).contains("said no"), "{}", told(&server));
    assert_eq!(world.read("AGENTS.md"), "one\ntwo\nthree\n");
    seat.types("Again.\r");
    seat.sees("+zwei\n");
    seat.sees("three\nType `yes`");
    seat.types("yes\r");
    seat.is_asked_after("allowed, this once");
    assert_eq!(world.read("AGENTS.md"), "one\nzwei\nthree\n");
    // Ctrl+C ends the turn and with it the question.
    seat.types("And a manifest.\r");
    seat.sees("+goal: x\n");
    seat.types(CTRL_C);
    seat.is_asked_after("interrupted");
    assert!(!world.has("loop.yaml"));
    seat.leaves();
}

#[test]
fn what_a_loop_repeats_asks_nobody() {
    let world = World::new();
    let server = Server::new([writes("AGENTS.md", "x\n"), done()]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.says("/loop 1ms --count 1 Write it.", "loop finished after 1/1 iterations");
    assert!(told(&server).contains("nobody is asked"), "{}", told(&server));
    assert!(!world.has("AGENTS.md") && !seat.page().contains("Type `yes`"), "{}", seat.page());
    seat.leaves();
}

/// Invisible characters appear as escapes, and the person approves exactly the displayed text.
#[test]
fn what_is_unseen_is_shown_as_it_is_written() {
    let world = World::new();
    let hidden = "Use tabs.\u{1b}]do\nevil\u{7}\n\u{e0041}\u{202e}x\r\ty \n";
    let server =
        Server::new([writes("AGENTS.md", hidden), done(), writes(".claude/a\u{200b}.md", "x\n"), done()]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.types("Write it.\r");
    seat.sees("Type `yes` and Enter");
    seat.sees("+Use tabs.\\u{1b}]do\n+evil\\u{7}\n+\\u{e0041}\\u{202e}x\\u{d}\\ty\\u{20}\n");
    seat.types("yes\r");
    seat.is_asked_after("allowed, this once");
    assert_eq!(world.read("AGENTS.md"), hidden);
    seat.types("Again.\r");
    seat.sees("`.claude/a\\u{200b}.md`");
    seat.types("no\r");
    seat.is_asked_after("refused");
    seat.leaves();
}

/// A command between two lines that look like a key once ran after a yes to `[redacted]`.
#[test]
fn nobody_is_asked_about_a_change_of_which_a_part_is_redacted() {
    let world = World::new();
    let block = format!("command: |\n  echo hi # PRIVATE KEY-----\n  touch pwned\n  {}\n", "a ".repeat(40));
    let key = "x: sk-ant-api03-0123456789abcdefghijABCDEFGH\n";
    let server = Server::new([writes("loop.yaml", &block), done(), writes("loop.yaml", key), done()]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    for prompt in ["Write it.", "Again."] {
        seat.types(&format!("{prompt}\r"));
        seat.is_asked_after("it is refused");
        seat.sees("Done.");
        assert!(told(&server).contains("which is not shown to the user"), "{}", told(&server));
    }
    assert!(!world.has("loop.yaml"));
    assert!(!seat.page().contains("Type `yes`") && !seat.page().contains("sk-ant"), "{}", seat.page());
    seat.leaves();
}
